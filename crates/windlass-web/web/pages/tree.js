// The tree of milestones, tasks and subtasks, with how far each is.

import { html, useState } from "../lib/html.js";
import { useCall } from "../lib/data.js";
import { link } from "../lib/router.js";
import { plural } from "../lib/format.js";
import { Badge, Empty, Head, Loaded, Priority, Who } from "../parts/ui.js";

const ENDED = ["done", "completed", "skipped", "cancelled"];

/** How many tasks at the ends below it there are, and how many of them are done. @param {any} node @returns {[number, number]} */
function progress(node) {
  if (!node.children?.length) return [1, ENDED.includes(node.status) ? 1 : 0];
  return node.children.map(progress).reduce((/** @type {any} */ sum, /** @type {any} */ one) => [sum[0] + one[0], sum[1] + one[1]], [0, 0]);
}

export default function Tree() {
  const tree = useCall("tasks.tree", {}, { on: ["task.", "entity.", "relation.", "review.", "help."] });
  const [hidden, setHidden] = useState(false);
  // The tree's own words have none for a draft.
  const drafts = useCall("board.list", { status: ["draft"], limit: 100 }, { on: ["task.", "entity."] });
  const draft = new Set((drafts.data?.tasks ?? []).map((/** @type {any} */ task) => task.number));
  return html`<${Head} title="Tree" side=${html`<label class="line"><input type="checkbox" checked=${hidden} onChange=${() => setHidden(!hidden)} /> without what is done</label>`} />
    <${Loaded} of=${tree}>${(/** @type {any} */ answer) => html`
      ${answer.truncated && html`<p class="note">Only the first 500 tasks are shown. The board has all of them.</p>`}
      ${answer.tree.length ? html`<ul class="tree">${sorted(answer.tree).map((node) => html`<${NodeView} key=${node.id} node=${node} hidden=${hidden} draft=${draft} />`)}</ul>` : html`<${Empty} title="No tasks yet">Press c to create one.<//>`}`}<//>`;
}

/** What is made of parts comes first. @param {any[]} nodes */
const sorted = (nodes) => [...nodes].sort((one, other) => Number(Boolean(other.children?.length)) - Number(Boolean(one.children?.length)) || one.number - other.number);

/** @param {{ node: any, hidden: boolean, draft: Set<number> }} props */
function NodeView({ node, hidden, draft }) {
  if (hidden && ENDED.includes(node.status)) return null;
  const children = node.children ?? [];
  const [all, done] = progress(node);
  const title = html`<a href=${link("task", node.number)}><span class="number">#${node.number}</span> ${node.description.split("\n")[0]}</a> <${Badge} word=${draft.has(node.number) ? "draft" : node.status} /> <${Priority} word=${node.priority} />
    ${node.effectively_blocked && !ENDED.includes(node.status) && html`<span class="badge warn">blocked</span>`} <${Who} name=${node.claimed_by} />`;
  if (!children.length) return html`<li class="leaf">${title}</li>`;
  return html`<li><details open><summary>${title}<span class="grow"></span><${Bar} all=${all} done=${done} /></summary>
    <ul>${sorted(children).map((child) => html`<${NodeView} key=${child.id} node=${child} hidden=${hidden} draft=${draft} />`)}</ul></details></li>`;
}

/** @param {{ all: number, done: number }} props */
export const Bar = ({ all, done }) => html`<span class="progress" title=${`${done} of ${plural(all, "task")} done`}><progress max=${all} value=${done} aria-label=${`${done} of ${all} done`}></progress><span class="dim">${done}/${all}</span></span>`;
