// What an event says beside its kind and what it is about, in a few words.

import { words } from "./format.js";

/** @param {any} value */
const shown = (value) => (value === null || value === undefined || value === "" ? "none" : Array.isArray(value) ? value.join(", ") || "none" : words(String(value)));

/** What changed, from what to what. @param {any} payload */
function changes(payload) {
  const told = Object.entries(payload?.changes ?? {}).filter(([name]) => !/_(at|commit|tree)$/.test(name)).slice(0, 3);
  return told.map(([name, value]) => (Array.isArray(value) && value.length === 2 ? `${words(name)}: ${shown(value[0])} → ${shown(value[1])}` : `${words(name)}: ${shown(value)}`)).join(" · ");
}

/** @param {any} payload */
const gate = (payload) => `${payload.name}${payload.attempt > 1 ? `, attempt ${payload.attempt}` : ""}${payload.message ? `: ${payload.message}` : ""}`;
/** @param {any} payload */
const review = (payload) => [`review ${payload.review}`, payload.summary].filter(Boolean).join(": ");
/** @param {any} payload */
const relation = (payload) => `${words(payload.relation_type)} #${payload.target_number}`;

/** How the most frequent kinds are told. @type {Record<string, (payload: any) => string>} */
const SENTENCES = {
  "gate.started": gate, "gate.passed": gate, "gate.failed": gate,
  "review.created": review, "review.approved": review, "review.changes_requested": review, "review.withdrawn": review,
  "review.advanced": (payload) => `review ${payload.review}: ${words(payload.status)}`,
  "relation.created": relation, "relation.deleted": relation,
  "session.signal": (payload) => [payload.verb, payload.body?.summary ?? payload.body?.question ?? payload.body?.text ?? payload.body?.reason].filter(Boolean).join(": "),
  "run.step": (payload) => `${payload.step?.name ?? payload.name ?? "step"}: ${words(payload.step?.status ?? payload.status)}`,
  "run.ended": (payload) => words(payload.status),
  "run.created": (payload) => shown(payload.runtime),
  "job.started": (payload) => shown(payload.command),
  "job.ended": (payload) => (payload.exit_code !== undefined && payload.exit_code !== null ? `exit ${payload.exit_code}` : words(payload.state)),
  "task.created": (payload) => (payload.parent ? `part of #${payload.parent}` : ""),
  "task.started": (payload) => (payload.branch ? `on ${payload.branch}` : ""),
};

/** All short values that are not names for machines. @param {any} payload */
function rest(payload) {
  const tells = (/** @type {string} */ name, /** @type {unknown} */ value) => ["string", "number"].includes(typeof value) && !/(^|_)(id|session|owner|author|expires_at)$/.test(name) && !/^[0-9a-f-]{36,}$/.test(String(value));
  return Object.entries(payload ?? {}).filter(([name, value]) => tells(name, value)).slice(0, 4).map(([name, value]) => `${words(name)}: ${value}`).join(" · ");
}

/** @param {{ type: string, payload?: any }} event */
export function eventWords({ type, payload }) {
  const own = /** @type {((payload: any) => string) | undefined} */ (SENTENCES[type]);
  const text = own && payload ? own(payload) : [rest(payload), changes(payload)].filter(Boolean).join(" · ");
  return text.replaceAll("undefined", "").replace(/\s*\n[\s*-]*/g, " · ").replace(/\*\*|`/g, "").slice(0, 240);
}
