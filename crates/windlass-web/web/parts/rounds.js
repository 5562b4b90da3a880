// What happened in a review so far: submitted, gates, changes requested, submitted again.

import { html } from "../lib/html.js";
import { useCall } from "../lib/data.js";
import { Time, Who } from "./ui.js";

const STEPS = /** @type {Record<string, string>} */ ({
  "review.created": "Submitted", "review.resubmitted": "Submitted again", "review.advanced": "Moved on", "review.approved": "Approved",
  "review.changes_requested": "Changes requested", "review.withdrawn": "Withdrawn", "gate.passed": "Gate passed", "gate.failed": "Gate failed", "gate.escalated": "Gates gave up",
});

/** @param {{ review: any }} props */
export function Rounds({ review }) {
  const events = useCall("events.list", { entity: String(review.task_number ?? review.task_id), limit: 100 }, { on: ["review.", "gate."] });
  const steps = (events.data?.events ?? []).filter((/** @type {any} */ event) => STEPS[event.type]).reverse();
  if (!steps.length) return null;
  return html`<section><h2>Rounds</h2><ol class="rounds">${steps.map((/** @type {any} */ event) => html`<li class=${event.type.replace(".", "-")}>
    <div class="line"><strong>${STEPS[event.type]}</strong> <span class="dim">${event.payload.name ?? event.payload.gate ?? ""}</span> <${Time} time=${event.at} /></div>
    ${(event.payload.summary ?? event.payload.message) && html`<p class="clamp">${event.payload.summary ?? event.payload.message}</p>`}
    <${Who} name=${event.session} actor=${event.actor} /></li>`)}</ol></section>`;
}
