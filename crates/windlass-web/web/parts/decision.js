// The decision of a person about a review.

import { html, useState } from "../lib/html.js";
import { api } from "../lib/api.js";
import { attempt } from "../lib/toast.js";
import { plural } from "../lib/format.js";

/** @param {{ review: any, files: number, viewed: number, results: any[], changed: boolean, open: number, decided: () => void }} props */
export function Decision({ review, files, viewed, results, changed, open, decided }) {
  const [summary, setSummary] = useState("");
  const [busy, setBusy] = useState(false);
  const failed = results.filter((gate) => gate.status !== "passed").length;
  const act = async (/** @type {() => Promise<unknown>} */ work, /** @type {string} */ done) => {
    setBusy(true);
    if (await attempt(work, done)) {
      setSummary("");
      decided();
    }
    setBusy(false);
  };
  const approve = () => act(async () => {
    if (summary.trim()) await api.reviews.comment({ review_id: review.id, body: summary.trim() });
    await api.reviews.approve({ id: review.id, ...(changed && { accept_changes: true }) });
  }, `Approved: #${review.task_number}`);
  const send = () => act(() => api.reviews.requestChanges({ id: review.id, ...(summary.trim() && { summary: summary.trim() }) }), `Changes requested: #${review.task_number} goes back`);
  return html`<section class="card decision" aria-label="Decision"><h2>Your decision</h2>
    ${failed > 0 && html`<p class="note warn">${plural(failed, "gate has", "gates have")} not passed.</p>`}
    ${changed && html`<p class="note warn">Files have changed since the gates ran. Approving accepts them as they are now.</p>`}
    <label class="sr" for="summary">What has to change</label>
    <textarea id="summary" rows="3" placeholder="What has to change, or why it is good (optional for approval)" value=${summary} onInput=${(/** @type {any} */ event) => setSummary(event.target.value)}></textarea>
    <div class="line wrap">
      <button class="primary" disabled=${busy} onClick=${() => void approve()}>${changed ? "Approve with these changes" : "Approve"}</button>
      <button disabled=${busy || review.status === "gates_pending"} onClick=${() => void send()}>Request changes</button>
      <span class="dim">${[files > 0 && `${viewed} of ${files} files looked at`, open > 0 && plural(open, "open comment")].filter(Boolean).join(" · ")}</span>
    </div>
  </section>`;
}

/** Goes to the decision. */
export function decide() {
  const place = document.getElementById("summary");
  place?.scrollIntoView({ block: "center" });
  place?.focus({ preventScroll: true });
}
