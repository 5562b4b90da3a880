// What happened in a review so far: submitted, gates, changes requested, submitted again.

import { html } from "../lib/html.js";
import { Time, Who } from "./ui.js";

const STEPS = /** @type {Record<string, string>} */ ({
  "review.created": "Submitted", "review.resubmitted": "Submitted again", "review.approved": "Approved",
  "review.changes_requested": "Changes requested", "review.withdrawn": "Withdrawn", "gate.passed": "Gate passed", "gate.failed": "Gate failed", "gate.escalated": "Gates gave up",
  "session.signal": "Said",
});

/** @param {{ events: EventOutput[] }} props */
export function Rounds({ events }) {
  const steps = events.filter((event) => STEPS[event.type]).reverse();
  if (!steps.length) return null;
  return html`<section><h2>Rounds</h2><ol class="rounds">${steps.map((event) => {
    const payload = /** @type {any} */ (event.payload);
    const text = payload.summary ?? payload.message ?? payload.body?.summary ?? payload.body?.question;
    const what = event.type === "session.signal" ? `Said ${payload.verb}` : STEPS[event.type];
    return html`<li><div class="line"><strong>${what}</strong> <span class="dim">${payload.name ?? ""}</span> <${Time} time=${event.at} /></div>
      ${text && html`<p class="clamp">${text}</p>`}<${Who} name=${event.session} actor=${event.actor} /></li>`;
  })}</ol></section>`;
}
