// A review: what was done, whether the gates passed, the change with comments on its lines, and the decision.

import { html, useMemo, useState } from "../lib/html.js";
import { api, mayWrite } from "../lib/api.js";
import { useCall } from "../lib/data.js";
import { parseDiff } from "../lib/diff.js";
import { useKeys } from "../lib/keys.js";
import { inline, Markdown } from "../lib/markdown.js";
import { link } from "../lib/router.js";
import { attempt } from "../lib/toast.js";
import { plural } from "../lib/format.js";
import { FileDiffView } from "../parts/file-diff.js";
import { CommentView } from "../parts/comment.js";
import { GateList } from "../parts/gate-list.js";
import { Rounds } from "../parts/rounds.js";
import { Badge, Head, Loaded, Time, Who } from "../parts/ui.js";

const OPEN = ["human_pending", "gates_escalated", "agent_pending", "gates_pending"];
const ON = ["review.", "gate.", "comment.", "task."];

/** @param {{ id: string }} props */
export default function Review({ id }) {
  const shown = useCall("reviews.show", { id }, { on: ON });
  const gates = useCall("gates.results", { review_id: id }, { on: ["gate.", "review."], touch: true });
  return html`<${Loaded} of=${shown}>${(/** @type {any} */ it) => html`<${Body} shown=${it} gates=${gates} />`}<//>`;
}

/** @param {{ shown: any, gates: any }} props */
function Body({ shown, gates }) {
  const { review } = shown;
  const files = useMemo(() => parseDiff(shown.diff), [shown.diff]);
  const [viewed, setViewed] = useState(/** @type {Set<string>} */ (new Set()));
  const task = useCall("board.show", { id: String(review.task_number ?? review.task_id) }, { on: ["task.", "entity."] });
  const events = useCall("events.list", { entity: String(review.task_number ?? review.task_id), limit: 100 }, { on: ["review.", "gate.", "session.", "comment."] });
  const said = events.data?.events.find((event) => event.type === "session.signal" && event.payload.verb === "done");
  const summary = review.summary ?? /** @type {any} */ (said)?.payload.body?.summary;
  /** @type {string[]} */
  const criteria = /** @type {any} */ (task.data)?.acceptance_criteria ?? [];
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  const general = shown.comments.filter((/** @type {any} */ comment) => !comment.file_path || !files.some((file) => file.path === comment.file_path));
  const open = OPEN.includes(review.status);
  const results = gates.data?.results ?? review.gates ?? [];
  useKeys([
    { keys: "j", does: "Next file", run: () => step(1) },
    { keys: "k", does: "File before", run: () => step(-1) },
    { keys: "p", does: "Print the review", run: () => print() },
  ]);
  const toggle = (/** @type {string} */ path) => {
    const next = new Set(viewed);
    if (!next.delete(path)) next.add(path);
    setViewed(next);
  };
  return html`
    <${Head} title=${html`Review ${review.number}: <a href=${link("task", review.task_number ?? review.task_id)}>#${review.task_number} ${task.data?.title ?? ""}</a>`}>
      <p class="line wrap"><${Badge} word=${review.status} /> <span class="dim">round ${review.round}</span> <${Who} name=${review.submitted_by} /> <${Time} time=${review.submitted_at} prefix="submitted " />
        <span class="dim">${plural(files.length, "file")}</span> <span class="plus">+${added}</span> <span class="minus">−${removed}</span></p>
    <//>
    ${shown.changed_since_submission && html`<p class="note warn" role="alert">The files have changed since the work was submitted: this is the change as it is now, not as the gates saw it.</p>`}
    <div class="columns review">
      <div class="wide">
        ${summary && html`<section class="card"><h2>What was done</h2><${Markdown} text=${summary} /></section>`}
        <section><h2>Gates</h2>${results.length ? html`<${GateList} gates=${results} />` : html`<p class="dim">No gates check this work.</p>`}</section>
        <section aria-label="Change"><h2>Change <span class="dim">since ${(shown.start_commit ?? "").slice(0, 10) || "the start"}</span></h2>
          ${shown.diff_truncated && html`<p class="note warn">The change is longer than what is shown here.</p>`}
          ${shown.untracked_files.length > 0 && !files.length && html`<p>New files: ${shown.untracked_files.join(", ")}</p>`}
          ${shown.ignored_files?.length > 0 && html`<p class="note">Ignored by git and not shown: <span class="mono">${shown.ignored_files.join(", ")}</span></p>`}
          ${!files.length && html`<p class="dim">No file has changed.</p>`}
          ${files.map((file) => html`<${FileDiffView} key=${file.path} file=${file} review=${review} comments=${shown.comments.filter((/** @type {any} */ comment) => comment.file_path === file.path)} viewed=${viewed.has(file.path)} toggle=${() => toggle(file.path)} open=${open} />`)}
        </section>
        ${general.length > 0 && html`<section><h2>Comments</h2>${general.map((/** @type {any} */ comment) => html`<${CommentView} key=${comment.id} comment=${comment} place />`)}</section>`}
        ${open && mayWrite() && html`<${Decision} review=${review} files=${files.length} viewed=${viewed.size} results=${results} />`}
      </div>
      <aside class="narrow" aria-label="Files and rounds">
        <section><h2>Files</h2><ul class="files">${files.map((file) => html`<li><button class="quiet file" onClick=${() => document.getElementById("file:" + file.path)?.scrollIntoView({ block: "start" })}>
          <span class=${"mark " + file.status}>${{ new: "A", deleted: "D", renamed: "R" }[file.status] ?? "M"}</span><span class="mono clip">${file.path}</span><span class="grow"></span><span class="plus">+${file.added}</span> <span class="minus">−${file.removed}</span>${viewed.has(file.path) ? " ✓" : ""}</button></li>`)}</ul></section>
        ${criteria.length > 0 && html`<section><h2>Acceptance criteria</h2><ul>${criteria.map((text) => html`<li>${inline(text)}</li>`)}</ul></section>`}
        <${Rounds} events=${events.data?.events ?? []} />
      </aside>
    </div>`;
}

/** @param {{ review: any, files: number, viewed: number, results: any[] }} props */
function Decision({ review, files, viewed, results }) {
  const [summary, setSummary] = useState("");
  const [busy, setBusy] = useState(false);
  const failed = results.filter((gate) => gate.status !== "passed").length;
  const act = async (/** @type {() => Promise<unknown>} */ work, /** @type {string} */ done) => {
    setBusy(true);
    if (await attempt(work, done)) setSummary("");
    setBusy(false);
  };
  return html`<section class="card decision" aria-label="Decision"><h2>Your decision</h2>
    ${failed > 0 && html`<p class="note warn">${plural(failed, "gate has", "gates have")} not passed.</p>`}
    <label class="sr" for="summary">What has to change</label>
    <textarea id="summary" rows="3" placeholder="What has to change, or why it is good (optional for approval)" value=${summary} onInput=${(/** @type {any} */ event) => setSummary(event.target.value)}></textarea>
    <div class="line wrap">
      <button class="primary" disabled=${busy} onClick=${() => void act(async () => {
        if (summary.trim()) await api.reviews.comment({ review_id: review.id, body: summary.trim() });
        await api.reviews.approve({ id: review.id });
      }, `Approved: #${review.task_number}`)}>Approve</button>
      <button disabled=${busy || review.status === "gates_pending"} onClick=${() => void act(() => api.reviews.requestChanges({ id: review.id, ...(summary.trim() && { summary: summary.trim() }) }), `Changes requested: #${review.task_number} goes back`)}>Request changes</button>
      ${files > 0 && html`<span class="dim">${viewed} of ${files} files looked at</span>`}
    </div>
  </section>`;
}

/** @param {number} by */
function step(by) {
  const all = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".filediff")]);
  const at = all.findIndex((file) => file.contains(document.activeElement));
  const next = all[Math.max(0, Math.min(all.length - 1, at + by))];
  next?.scrollIntoView({ block: "start" });
  next?.querySelector("button")?.focus({ preventScroll: true });
}
