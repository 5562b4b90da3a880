// What happened in the reviews of a task so far, round by round.

import { html } from "../lib/html.js";
import { inline } from "../lib/markdown.js";
import { Time, Who } from "./ui.js";

const ENDS = /** @type {Record<string, string>} */ ({
  "review.approved": "Approved", "review.changes_requested": "Changes requested", "review.withdrawn": "Withdrawn", "gate.escalated": "Gates failed too often",
});

/** The rest is on the page of that review. @param {string} text */
const firstLine = (text) => text.trim().split("\n")[0];

/** @typedef {{ begin: EventOutput, summary: string, passed: Set<string>, failed: Set<string>, ends: EventOutput[] }} Round */

/** Events in the order in which they happened, as rounds. @param {EventOutput[]} events @returns {Round[]} */
export function roundsOf(events) {
  /** @type {Round[]} */
  const rounds = [];
  for (const event of events) {
    const payload = /** @type {any} */ (event.payload);
    const round = rounds.at(-1);
    if (event.type === "review.created" || event.type === "review.resubmitted") rounds.push({ begin: event, summary: payload.summary ?? "", passed: new Set(), failed: new Set(), ends: [] });
    else if (!round) continue;
    else if (event.type === "session.signal" && payload.verb === "done") round.summary ||= payload.body?.summary ?? "";
    else if (event.type === "gate.passed") {
      round.passed.add(payload.name);
      round.failed.delete(payload.name);
    } else if (event.type === "gate.failed") round.failed.add(payload.name);
    else if (ENDS[event.type]) round.ends.push(event);
  }
  return rounds;
}

/** @param {{ events: EventOutput[] }} props */
export function Rounds({ events }) {
  const rounds = roundsOf([...events].reverse());
  if (!rounds.length) return null;
  return html`<section><h2>Rounds <span class="dim">${rounds.length}</span></h2><ol class="rounds">${rounds.map(({ begin, summary, passed, failed, ends }) => html`<li>
    <div class="line wrap"><strong>Submitted</strong> <${Who} name=${begin.session} actor=${begin.actor} /> <${Time} time=${begin.at} /></div>
    ${summary && html`<p class="clamp">${inline(firstLine(summary))}</p>`}
    ${passed.size > 0 && html`<div class="dim"><span class="plus">✓</span> ${[...passed].join(", ")}</div>`}
    ${failed.size > 0 && html`<div class="dim"><span class="minus">✕</span> ${[...failed].join(", ")}</div>`}
    ${ends.map((event) => html`<div class="line wrap"><strong>${ENDS[event.type]}</strong> <${Who} name=${event.session} actor=${event.actor} /> <${Time} time=${event.at} /></div>
      ${/** @type {any} */ (event.payload).summary && html`<p class="clamp">${inline(firstLine(/** @type {any} */ (event.payload).summary))}</p>`}`)}
  </li>`)}</ol></section>`;
}
