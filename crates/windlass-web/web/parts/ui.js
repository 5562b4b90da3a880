// Small things that every page uses.

import { html } from "../lib/html.js";
import { ago, exact, words } from "../lib/format.js";
import { inline } from "../lib/markdown.js";
import { link } from "../lib/router.js";

/** @param {{ time?: string | number, prefix?: string, short?: boolean }} props */
export const Time = ({ time, prefix = "", short = false }) =>
  time ? html`<time class="dim" title=${exact(time)}>${prefix}${short ? ago(time).replace(/ ago$|^just /, "") : ago(time)}</time>` : null;

const TONES = /** @type {Record<string, string>} */ ({
  done: "good", completed: "good", success: "good", passed: "good", approved: "good", exited: "good", accepted: "good", ready: "accent",
  failed: "bad", timeout: "bad", gates_escalated: "bad", urgent: "bad", stuck: "bad", error: "bad",
  in_progress: "accent", running: "accent", in_review: "warn", awaiting_human: "warn", human_pending: "warn", pending_review: "warn",
  blocked: "warn", changes_requested: "warn", waiting: "warn", high: "warn", gates_pending: "accent", agent_pending: "accent",
});

/** @param {{ word?: string, label?: string }} props */
export const Badge = ({ word, label }) =>
  word ? html`<span class=${"badge " + (TONES[word] ?? "")}>${label ?? words(word)}</span>` : null;

/** What a review waits for. @type {Record<string, string>} */
export const REVIEW_LABELS = { gates_pending: "gates run", gates_escalated: "gates failed too often", agent_pending: "for an agent or you", human_pending: "to decide" };

/** @param {{ word?: string }} props */
export const Priority = ({ word }) =>
  word && word !== "normal" ? html`<span class=${"priority " + word} title=${`Priority: ${word}`}>${word}</span>` : null;

/** @param {{ task: { number: number, title: string, status?: string } }} props */
export const TaskLink = ({ task }) => html`<a class="tasklink" href=${link("task", task.number)}><span class="number">#${task.number}</span> ${task.title}</a>`;

/** Waits, fails or shows. @param {{ of: { data: any, error: any, loading: boolean, again: () => void }, children: any }} props */
export function Loaded({ of, children }) {
  if (of.loading) return html`<div class="skeleton" role="status" aria-label="Loading"><i></i><i></i><i></i></div>`;
  if (of.data === undefined) return html`<${Failed} error=${of.error} again=${of.again} />`;
  return html`${of.error && html`<p class="note bad" role="alert">Not up to date: ${of.error.message}</p>`}${typeof children === "function" ? children(of.data) : children}`;
}

/** @param {{ error: any, again?: () => void }} props */
export const Failed = ({ error, again }) => html`<div class="empty" role="alert">
  <p><strong>${error?.message ?? "Something went wrong"}</strong></p>
  ${error?.hint && html`<p class="dim">${inline(error.hint)}</p>`}
  ${again && html`<button onClick=${again}>Try again</button>`}
</div>`;

/** @param {{ title: string, children?: any }} props */
export const Empty = ({ title, children }) => html`<div class="empty"><p><strong>${title}</strong></p>${children && html`<p class="dim">${children}</p>`}</div>`;

/** @param {{ title: any, side?: any, children?: any }} props */
export const Head = ({ title, side, children }) => html`<header class="head"><div><h1>${title}</h1>${children}</div><div class="side">${side}</div></header>`;

/** Who did something: of an agent's session name only the beginning tells it from others. @param {{ name?: string, actor?: string }} props */
export const Who = ({ name, actor }) => {
  if (!name) return null;
  const short = name.replace(/^(cli|dashboard|mcp|http|session):/, "").replace(/^(?:mcp|http|stdio)-([0-9a-f]{4})[0-9a-f]{4,}$/, "agent $1");
  const shown = short.length > 22 ? short.slice(0, 20) + "…" : short;
  return html`<span class="who" title=${actor === "human" ? `${name}, a person` : name}>${shown}</span>`;
};
