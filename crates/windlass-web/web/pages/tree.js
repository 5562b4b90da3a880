// The tree of milestones, tasks and subtasks, with how far each is.

import { html, useState } from "../lib/html.js";
import { useFocus } from "../lib/focus.js";
import { useKeys } from "../lib/keys.js";
import { go, link } from "../lib/router.js";
import { number, plural } from "../lib/format.js";
import { useTree } from "../lib/tree.js";
import { WindowList } from "../parts/window-list.js";
import { Badge, Empty, Failed, Head, Priority, Who } from "../parts/ui.js";

const ENDED = ["done", "skipped", "cancelled"];
const HEIGHT = 32;

export default function Tree() {
  const [open, setOpen] = useState(false);
  const tree = useTree(open);
  const { focus, step } = useFocus(tree.count);
  const fold = (/** @type {boolean} */ shown) => {
    const task = tree.at(focus);
    if (task?.parts && tree.isOpen(focus) === shown) tree.toggle(task, shown);
  };
  useKeys([
    { keys: "j", does: "Next task", run: () => step(1) },
    { keys: "k", does: "Task before", run: () => step(-1) },
    { keys: "l", does: "Show its parts", run: () => fold(false) },
    { keys: "h", does: "Hide its parts", run: () => fold(true) },
    { keys: "o", does: "Open the task", run: () => tree.at(focus) && go(link("task", tree.at(focus).number)) },
  ]);
  const side = html`<label class="line"><input type="checkbox" checked=${open} onChange=${() => setOpen(!open)} /> Open tasks only</label>`;
  const row = (/** @type {number} */ index) => {
    const task = tree.at(index);
    return task ? html`<${TaskRow} task=${task} depth=${tree.depth(index)} shown=${tree.isOpen(index)} toggle=${tree.toggle} focused=${index === focus} />` : html`<div class="tree-row loading" aria-hidden="true"></div>`;
  };
  return html`<div class="list-page"><${Head} title="Tree" side=${side}>${tree.total >= 0 && html`<p class="dim">${number(tree.total)} at the top</p>`}<//>
    ${tree.error && tree.total >= 0 && html`<p class="note bad" role="alert">Not up to date: ${tree.error.message}</p>`}
    ${tree.total < 0 ? (tree.error ? html`<${Failed} error=${tree.error} again=${tree.again} />` : html`<div class="skeleton" role="status" aria-label="Loading"><i></i><i></i></div>`)
      : tree.total === 0 ? html`<${Empty} title=${open ? "No open tasks" : "No tasks yet"}>Press <kbd>c</kbd> to create one.<//>`
      : html`<${WindowList} class="tall tree" count=${tree.count} height=${HEIGHT} row=${row} need=${tree.need} label="Tasks" focus=${focus} />`}</div>`;
}

/** @param {{ task: any, depth: number, shown: boolean, toggle: (task: any, shown: boolean) => void, focused: boolean }} props */
function TaskRow({ task, depth, shown, toggle, focused }) {
  return html`<div class=${"tree-row" + (focused ? " focused" : "")} style=${{ paddingLeft: `${depth * 1.25}rem` }}>
    ${task.parts > 0 ? html`<button class="quiet fold" aria-expanded=${shown} aria-label=${`Parts of ${task.number}`} onClick=${() => toggle(task, shown)}>${shown ? "▾" : "▸"}</button>` : html`<span class="fold"></span>`}
    <a class="clip" href=${link("task", task.number)} title=${task.title}><span class="number">#${task.number}</span> ${task.title}</a>
    ${task.kind === "milestone" && html`<span class="tag">milestone</span>`} ${task.parts === 0 && task.status !== "pending" && html`<${Badge} word=${task.status} />`} <${Priority} word=${task.priority} />
    ${task.blocked && !ENDED.includes(task.status) && task.status === "pending" && html`<span class="badge warn">waits</span>`} <${Who} name=${task.claimed_by} />
    <span class="grow"></span>${task.parts > 0 && html`<${Bar} all=${task.parts} done=${task.parts_ended} />`}
  </div>`;
}

/** @param {{ all: number, done: number }} props */
const Bar = ({ all, done }) => html`<span class="progress" title=${`${done} of ${plural(all, "task")} done`}><progress max=${all} value=${done} aria-label=${`${done} of ${all} done`}></progress><span class="dim">${number(done)}/${number(all)}</span></span>`;
