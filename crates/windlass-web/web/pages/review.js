// A review: what was done, whether the gates passed, the change with comments on its lines, and the decision.

import { html, useEffect, useMemo, useState } from "../lib/html.js";
import { api, mayWrite, me } from "../lib/api.js";
import { useCall } from "../lib/data.js";
import { parseDiff } from "../lib/diff.js";
import { useKeys } from "../lib/keys.js";
import { inline, Markdown } from "../lib/markdown.js";
import { link } from "../lib/router.js";
import { attempt } from "../lib/toast.js";
import { plural } from "../lib/format.js";
import { useViewed } from "../lib/viewed.js";
import { FileDiffView } from "../parts/file-diff.js";
import { FileList } from "../parts/file-list.js";
import { Conversation, conversations } from "../parts/comment.js";
import { Decision, decide } from "../parts/decision.js";
import { GateList } from "../parts/gate-list.js";
import { Earlier, useEarlier } from "../parts/earlier.js";
import { NotShown } from "../parts/not-shown.js";
import { Rounds } from "../parts/rounds.js";
import { Badge, Head, Loaded, REVIEW_LABELS, Time, Who } from "../parts/ui.js";

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
  const [more, setMore] = useState(/** @type {import("../lib/diff.js").FileDiff[]} */ ([]));
  // What was read for another state of the files is read again when it is opened again.
  useEffect(() => setMore([]), [shown.diff, shown.changed_since_submission]);
  const files = useMemo(() => [...parseDiff(shown.diff), ...more.filter((file) => shown.not_shown?.includes(file.path))], [shown.diff, more]);
  const { viewed, changed, isNew, toggle, decided } = useViewed(`${me.value?.project} ${review.task_id}`, files);
  const task = useCall("board.show", { id: String(review.task_number ?? review.task_id) }, { on: ["task.", "entity."] });
  const events = useCall("events.list", { entity: String(review.task_number ?? review.task_id), limit: 100 }, { on: ["review.", "gate.", "session.", "comment."] });
  const earlier = useEarlier(review);
  const said = events.data?.events.find((event) => event.type === "session.signal" && event.payload.verb === "done");
  const summary = review.summary ?? /** @type {any} */ (said)?.payload.body?.summary;
  /** @type {string[]} */
  const criteria = /** @type {any} */ (task.data)?.acceptance_criteria ?? [];
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  const about = (/** @type {any[]} */ comments, /** @type {string} */ path) => comments.filter((comment) => comment.file_path === path);
  const general = shown.comments.filter((/** @type {any} */ comment) => !comment.file_path || !files.some((file) => file.path === comment.file_path));
  const unresolved = earlier.comments.filter((/** @type {any} */ comment) => !comment.resolved_at);
  const open = OPEN.includes(review.status);
  const results = gates.data?.results ?? review.gates ?? [];
  const toggleHere = () => {
    const here = fileHere();
    const file = files.find((one) => "file:" + one.path === here?.id);
    if (file) toggle(file);
  };
  useKeys([
    { keys: "j", does: "Next file", run: () => step(1) },
    { keys: "k", does: "File before", run: () => step(-1) },
    { keys: "l", does: "Lines of the file: then the arrows, shift and the arrows, Enter to comment", run: () => lines() },
    { keys: "n", does: "Next open comment", run: () => nextComment() },
    { keys: "x", does: "Mark the file as looked at", run: toggleHere },
    { keys: "d", does: "Decide", run: decide },
    { keys: "p", does: "Print the review", run: () => print() },
  ]);
  return html`
    <${Head} title=${html`Review ${review.number}: <a href=${link("task", review.task_number ?? review.task_id)}>#${review.task_number} ${task.data?.title ?? ""}</a>`}
      side=${html`<div class="line noprint"><button onClick=${() => print()}>Print <kbd>p</kbd></button>${open && mayWrite() && html`<button class="primary" onClick=${decide}>Decide <kbd>d</kbd></button>`}</div>`}>
      <p class="line wrap"><${Badge} word=${review.status} label=${REVIEW_LABELS[review.status]} /> <span class="dim">round ${review.round}</span> <${Who} name=${review.submitted_by} /> <${Time} time=${review.submitted_at} prefix="submitted " />
        <span class="dim">${plural(files.length + (shown.not_shown?.length ?? 0) - more.length, "file")}</span> <span class="plus">+${added}</span> <span class="minus">−${removed}</span></p>
    <//>
    ${shown.changed_since_submission && html`<p class="note warn" role="alert">The files have changed since the work was submitted: this is the change as it is now, not as the gates saw it.</p>`}
    <div class="columns review">
      <div class="wide">
        ${summary && html`<section class="card"><h2>What was done</h2><${Markdown} text=${summary} /></section>`}
        <section><h2>Gates</h2>${results.length ? html`<${GateList} gates=${results} rerun=${open && mayWrite() ? (/** @type {string} */ gate) => attempt(() => api.gates.rerun({ review_id: review.id, gate, wait: false }), `${gate} runs again`) : undefined} />` : html`<p class="dim">No gates check this work.</p>`}</section>
        <section aria-label="Change"><h2>Change <span class="dim">since ${(shown.start_commit ?? "").slice(0, 10) || "the start"}</span></h2>
          ${shown.diff_truncated && !shown.not_shown?.length && html`<p class="note warn">The change is longer than what is shown here.</p>`}
          ${shown.untracked_files.length > 0 && !files.length && html`<p>New files: ${shown.untracked_files.join(", ")}</p>`}
          ${shown.ignored_files?.length > 0 && html`<p class="note">Ignored by git and not shown: <span class="mono">${shown.ignored_files.join(", ")}</span></p>`}
          ${!files.length && html`<p class="dim">No file has changed.</p>`}
          ${files.map((file) => html`<${FileDiffView} key=${file.path} file=${file} review=${review} comments=${about(shown.comments, file.path)} earlier=${about(unresolved, file.path)} viewed=${viewed.has(file.path)} changed=${changed.has(file.path)} isNew=${isNew(file.path)} toggle=${() => toggle(file)} open=${open} />`)}
          <${NotShown} review=${review} paths=${(shown.not_shown ?? []).filter((/** @type {string} */ path) => !more.some((file) => file.path === path))} add=${(/** @type {any[]} */ read) => setMore((old) => [...old, ...read])} />
        </section>
        ${general.length > 0 && html`<section><h2>Comments</h2>${conversations(general).map((list) => html`<${Conversation} key=${list[0].id} comments=${list} open=${open} place />`)}</section>`}
        <${Earlier} reviews=${earlier.reviews} comments=${earlier.comments} />
        ${open && mayWrite() && html`<${Decision} review=${review} files=${files.length + (shown.not_shown?.length ?? 0) - more.length} viewed=${viewed.size} results=${results} changed=${Boolean(shown.changed_since_submission)} open=${shown.comments.filter((/** @type {any} */ one) => !one.resolved_at).length} decided=${decided} />`}
      </div>
      <aside class="narrow" aria-label="Files and rounds">
        <${FileList} files=${files} viewed=${viewed} changed=${changed} comments=${shown.comments} />
        ${criteria.length > 0 && html`<section><h2>Acceptance criteria</h2><ul>${criteria.map((text) => html`<li>${inline(text)}</li>`)}</ul></section>`}
        <${Rounds} events=${events.data?.events ?? []} />
      </aside>
    </div>`;
}

const allFiles = () => /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".filediff")]);

/** The file that has the focus, or else the first in sight. */
const fileHere = () => allFiles().find((one) => one.contains(document.activeElement)) ?? allFiles().find((one) => one.getBoundingClientRect().bottom > 80);

/** @param {number} by */
function step(by) {
  const all = allFiles();
  const at = all.findIndex((file) => file.contains(document.activeElement));
  const next = all[Math.max(0, Math.min(all.length - 1, at + by))];
  next?.scrollIntoView({ block: "start" });
  next?.querySelector("button")?.focus({ preventScroll: true });
}

/** Goes into the lines of the file. */
function lines() {
  const box = /** @type {HTMLElement | null | undefined} */ (fileHere()?.querySelector(".lines"));
  box?.focus();
  box?.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown" }));
}

/** Goes to the next conversation that nobody has settled. */
function nextComment() {
  const all = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('.conversation[data-open="true"]')]);
  const at = all.findIndex((one) => one.contains(document.activeElement));
  const next = all[(at + 1) % all.length];
  next?.scrollIntoView({ block: "center" });
  next?.querySelector("button")?.focus({ preventScroll: true });
}
