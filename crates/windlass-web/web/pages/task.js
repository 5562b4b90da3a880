// One task: everything that is known about it, editable, and the tasks around it.

import { html, useState } from "../lib/html.js";
import { api, mayWrite } from "../lib/api.js";
import { useCall } from "../lib/data.js";
import { useKeys } from "../lib/keys.js";
import { inline, Markdown } from "../lib/markdown.js";
import { link } from "../lib/router.js";
import { attempt } from "../lib/toast.js";
import { words } from "../lib/format.js";
import { Around } from "../parts/around.js";
import { EventList } from "../parts/event-list.js";
import { GateList } from "../parts/gate-list.js";
import { Question } from "../parts/question.js";
import { Badge, Head, Loaded, Priority, REVIEW_LABELS, TaskLink, Time, Who } from "../parts/ui.js";
import { TaskForm } from "../parts/task-form.js";

/** @param {{ id: string }} props */
export default function Task({ id }) {
  const task = useCall("board.show", { id }, { on: undefined });
  const [editing, setEditing] = useState(false);
  useKeys([{ keys: "e", does: "Edit the task", run: () => mayWrite() && setEditing(true) }]);
  return html`<${Loaded} of=${task}>${(/** @type {any} */ it) => (it.type !== "task"
    ? html`<p>This is not a task: <a href=${link("entity", it.number)}>#${it.number} ${it.title}</a></p>`
    : html`
    <${Head} title=${html`<span class="number">#${it.number}</span> ${it.title}`} side=${html`<${Actions} task=${it} edit=${() => setEditing(true)} />`}>
      <p class="line wrap"><${Badge} word=${it.status} /> <${Priority} word=${it.priority} /> ${it.blocked && it.status === "pending" && html`<span class="badge warn">blocked</span>`}
        ${it.kind !== "task" && html`<span class="dim">${it.kind}</span>`} ${it.claimed_by && html`<span class="dim">held by <${Who} name=${it.claimed_by} /></span>${mayWrite() && html`<button class="small" onClick=${() => void attempt(() => api.tasks.claim({ id: it.number, release: true }), `#${it.number} is free`)}>Release</button>`}`}
        ${it.tags.map((/** @type {string} */ tag) => html`<a class="tag" href=${"#/board?tag=" + encodeURIComponent(tag)}>${tag}</a>`)} <${Time} time=${it.updated_at} prefix="changed " /></p>
    <//>
    <div class="columns task-page">
      <div class="wide">
        ${it.question && it.question.status !== "resumed" && html`<${Question} question=${it.question} title=${it.title} />`}
        ${it.review && html`<a class="card entry" href=${link("review", it.review.number)}><div class="line wrap"><strong>Review ${it.review.number}</strong> <${Badge} word=${it.review.status} label=${REVIEW_LABELS[it.review.status]} /> <span class="dim">round ${it.review.round}</span> <${Time} time=${it.review.submitted_at} /></div>${it.review.summary && html`<p class="clamp">${it.review.summary}</p>`}</a>`}
        ${it.description ? html`<${Markdown} text=${it.description} />` : html`<p class="dim">No description.</p>`}
        <${TextList} title="Acceptance criteria" items=${it.acceptance_criteria} />
        <${Prose} title="Hints" text=${it.hints} /> <${Prose} title="Pseudocode" text=${it.pseudocode} code />
        <${TextList} title="Files to read first" items=${it.context_files} mono /> <${TextList} title="Files that it changes" items=${it.output_artifacts} mono />
        <${Around} task=${it} />
      </div>
      <aside class="narrow" aria-label="Facts">
        <${Facts} task=${it} />
        <${References} title="Waits for" tasks=${it.blocked_by} total=${it.blocked_by_total} task=${it} remove />
        <${References} title="Others wait for it" tasks=${it.blocks} total=${it.blocks_total} />
        <${References} title="Parts" tasks=${it.children} total=${it.children_total} />
        ${it.gates?.length > 0 && html`<section><h2>Gates</h2><${GateList} gates=${it.gates.map((/** @type {any} */ gate) => ({ ...gate.last_result, name: gate.name, status: gate.last_result?.status ?? "not run", command: gate.command, waiting: gate.waiting }))} /></section>`}
        ${it.relations.length > 0 && html`<section><h2>Relations</h2><ul class="rows">${it.relations.map((/** @type {any} */ one) => html`<li><span class="dim">${words(one.type)}${one.direction === "from" ? " ←" : ""}</span> <a href=${one.entity_type === "task" ? link("task", one.number) : link("entity", one.number)}>#${one.number} ${one.title}</a></li>`)}</ul></section>`}
        <${Learnings} learnings=${it.learnings} />
      </aside>
      <div class="rest">
        <${Comments} task=${it} />
        <section><h2>History</h2><${EventList} input=${{ entity: String(it.number), limit: 30 }} /></section>
      </div>
    </div>
    ${editing && html`<${TaskForm} task=${it} close=${() => setEditing(false)} />`}
  `)}<//>`;
}

/** @param {{ task: any, edit: () => void }} props */
function Actions({ task, edit }) {
  if (!mayWrite()) return null;
  const back = () => api.board.update({ id: task.number, status: task.status });
  const set = (/** @type {string} */ status, /** @type {string} */ done) => () => void attempt(() => api.board.update({ id: task.number, status }), done, back);
  return html`<div class="line wrap">
    ${task.status === "draft" && html`<button class="primary" onClick=${set("pending", `#${task.number} is ready`)}>Make ready</button>`}
    ${task.status === "pending" && !task.blocked && html`<button onClick=${() => void attempt(() => api.tasks.start({ id: task.number }), `#${task.number} is yours`, back)}>Start</button>`}
    ${task.status === "in_progress" && html`<button onClick=${() => void attempt(() => api.tasks.submit({ id: task.number }), `#${task.number} is submitted`)}>Submit</button>`}
    ${["pending", "in_progress"].includes(task.status) && html`<button onClick=${set("done", `#${task.number} is done`)}>Done</button>`}
    ${["done", "skipped", "cancelled"].includes(task.status) && html`<button onClick=${set("pending", `#${task.number} is open again`)}>Open again</button>`}
    <button onClick=${edit}>Edit <kbd>e</kbd></button>
  </div>`;
}

/** @param {{ task: any }} props */
function Facts({ task }) {
  const rows = [["Feature", task.feature], ["Discipline", task.discipline], ["Assignee", task.assignee], ["Due", task.due_date], ["Estimated turns", task.estimated_turns]].filter(([, value]) => value);
  return html`<dl class="facts">
    ${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
    ${task.parent && html`<div><dt>Part of</dt><dd><${TaskLink} task=${task.parent} /></dd></div>`}
    <div><dt>Created</dt><dd><${Time} time=${task.created_at} /></dd></div>
  </dl>`;
}

/** @param {{ title: string, tasks?: any[], total?: number, task?: any, remove?: boolean }} props */
function References({ title, tasks, total = 0, task, remove }) {
  if (!tasks?.length) return null;
  return html`<section><h2>${title}</h2><ul class="rows">${tasks.map((one) => html`<li><${TaskLink} task=${one} /><span class="line"><${Badge} word=${one.status} />
    ${remove && mayWrite() && html`<button class="quiet small" aria-label=${`No longer wait for ${one.number}`} onClick=${() => void attempt(() => api.board.update({ id: task.number, remove_blocked_by: [String(one.number)] }), `#${task.number} no longer waits for #${one.number}`, () => api.board.update({ id: task.number, add_blocked_by: [String(one.number)] }))}>✕</button>`}</span></li>`)}</ul>
    ${total > tasks.length && html`<p class="dim">and ${total - tasks.length} more</p>`}</section>`;
}

/** @param {{ title: string, items?: string[], mono?: boolean }} props */
const TextList = ({ title, items, mono }) => items?.length ? html`<section><h2>${title}</h2><ul class=${mono ? "mono" : undefined}>${items.map((text) => html`<li>${mono ? text : inline(text)}</li>`)}</ul></section>` : null;

/** @param {{ title: string, text?: string, code?: boolean }} props */
const Prose = ({ title, text, code }) => text ? html`<section><h2>${title}</h2>${code ? html`<pre class="code" tabindex="0">${text}</pre>` : html`<${Markdown} text=${text} />`}</section>` : null;

/** @param {{ learnings: any }} props */
function Learnings({ learnings }) {
  const all = learnings ? [...learnings.own, ...learnings.parent, ...learnings.milestone] : [];
  return all.length ? html`<section><h2>Learnings</h2><ul>${all.map((one) => html`<li>${one.content}</li>`)}</ul></section>` : null;
}

/** @param {{ task: any }} props */
function Comments({ task }) {
  const [text, setText] = useState("");
  const send = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (await attempt(() => api.plan.addTaskComment(/** @type {any} */ ({ task_id: task.number, author: "human", body: text.trim() })), "Comment added")) setText("");
  };
  if (!task.comments?.length && !mayWrite()) return null;
  return html`<section><h2>Comments</h2>
    ${(task.comments ?? []).map((/** @type {any} */ comment) => html`<article class="comment"><div class="line"><strong><${Who} name=${comment.author} /></strong> <${Time} time=${comment.created_at} /></div><${Markdown} text=${comment.body} /></article>`)}
    ${mayWrite() && html`<form class="answer" onSubmit=${send}><textarea rows="2" aria-label="Comment" placeholder="Comment" value=${text} onInput=${(/** @type {any} */ event) => setText(event.target.value)}></textarea><button disabled=${!text.trim()}>Comment</button></form>`}
  </section>`;
}
