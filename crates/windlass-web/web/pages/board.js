// The board: six columns, each a windowed list, so that 10,000 tasks are as smooth as ten.

import { html, useEffect, useRef, useState } from "../lib/html.js";
import { api, mayWrite } from "../lib/api.js";
import { isNarrow } from "../lib/focus.js";
import { useKeys } from "../lib/keys.js";
import { go, link, route, setQuery } from "../lib/router.js";
import { number } from "../lib/format.js";
import { complain, say } from "../lib/toast.js";
import { useCall } from "../lib/data.js";
import { usePages, WindowList } from "../parts/window-list.js";
import { Failed, Head, Priority, Time, Who } from "../parts/ui.js";
import { Dialog } from "../parts/dialog.js";

/** @typedef {{ id: string, title: string, filter: any, status: string, hint: string, none: string }} Column */
/** @type {Column[]} */
const COLUMNS = [
  { id: "draft", title: "Draft", filter: { status: ["draft"] }, status: "draft", hint: "Ideas that nobody should start yet", none: "No ideas" },
  { id: "ready", title: "Ready", filter: { status: ["pending"], blocked: false }, status: "pending", hint: "Can be worked on now", none: "Nothing can be started" },
  { id: "progress", title: "In progress", filter: { status: ["in_progress"] }, status: "in_progress", hint: "Somebody works on it", none: "Nobody works on anything" },
  { id: "review", title: "In review", filter: { status: ["in_review"] }, status: "in_review", hint: "Submitted: gates, then a decision", none: "Nothing is submitted" },
  { id: "blocked", title: "Blocked", filter: { status: ["pending", "blocked", "awaiting_human"], blocked: true }, status: "blocked", hint: "Waits for tasks or for a person", none: "Nothing waits" },
  { id: "done", title: "Done", filter: { status: ["done"], sort: "updated" }, status: "done", hint: "Finished", none: "Nothing is finished" },
];

const HEIGHT = 86;
const ON = ["task.", "entity.", "blocker.", "review.", "help.", "relation."];

/** A change of nothing but these leaves a task in its column. */
const STAY = ["title", "content", "priority", "tags", "assignee", "due_date", "feature", "discipline", "hints", "acceptance_criteria", "context_files", "output_artifacts"];

/** Whether a task is in the column that it was in before. @param {import("../lib/live.js").Change} event */
function stays({ kind, entity_type, payload }) {
  // It comes after another event, which says what was changed.
  if (kind === "task.updated") return true;
  return kind === "entity.updated" && entity_type === "task" && payload?.changes && Object.keys(payload.changes).every((name) => STAY.includes(name));
}

/** The filters of the address as the input of a call. */
function filters() {
  const { query } = route.value;
  /** @type {Record<string, any>} */
  const input = {};
  for (const name of ["text", "feature", "discipline", "assignee"]) if (query.get(name)) input[name] = query.get(name);
  if (query.get("tag")) input.tag = [query.get("tag")];
  return input;
}

/** What is moving: shown in its new place until the server has answered. @typedef {{ task: any, from: string, to: string }} Moving */

export default function Board() {
  const chosen = filters();
  // Where a task is shown and stays, no other column has to be read.
  const shown = useRef(/** @type {{ id: string, pages: any }[]} */ ([]));
  const concerns = (/** @type {string} */ id) => (/** @type {import("../lib/live.js").Change} */ event) => {
    const known = stays(event) && shown.current.find(({ pages }) => pages.known().some((/** @type {any} */ task) => task.number === event.payload?.number));
    return !known || known.id === id;
  };
  const columns = COLUMNS.map((column) => ({ ...column, pages: usePages("board.list", { ...column.filter, ...chosen }, { rows: (answer) => answer.tasks, on: ON, concerns: concerns(column.id) }) }));
  shown.current = columns;
  const [moving, setMoving] = useState(/** @type {Moving | null} */ (null));
  const [place, setPlace] = useState({ column: 1, row: -1 });
  const [menu, setMenu] = useState(/** @type {any} */ (null));
  const dragged = useRef(/** @type {any} */ (null));
  const at = (/** @type {number} */ column, /** @type {number} */ row) => columns[column].pages.at(row);
  const board = useRef(/** @type {HTMLElement | null} */ (null));
  // On a phone one column is in sight: first the one that can be worked on, then the one of the keys.
  useEffect(() => {
    if (place.row < 0 && !isNarrow()) return;
    const column = /** @type {HTMLElement | undefined} */ (board.current?.children[place.column]);
    if (board.current && column) board.current.scrollLeft = column.offsetLeft - board.current.offsetLeft - 8;
  }, [place.column]);

  const move = async (/** @type {any} */ task, /** @type {string} */ to, /** @type {string | undefined} */ priority = undefined) => {
    const from = columnOf(task);
    if (from === to && (!priority || priority === task.priority)) return;
    setMoving({ task, from, to });
    try {
      if (to === "review") await api.tasks.submit({ id: task.number });
      else if (from === to) await api.board.update({ id: task.number, priority });
      else await api.board.update({ id: task.number, status: COLUMNS.find((column) => column.id === to)?.status });
      const undo = to === "review" ? undefined : () => api.board.update({ id: task.number, status: task.status, priority: task.priority });
      say(from === to ? `#${task.number} is ${priority}` : `#${task.number} is in ${COLUMNS.find((column) => column.id === to)?.title}`, undo);
    } catch (error) {
      complain(error);
    }
    // Until both columns were read again, the card would be seen where it is no more.
    await Promise.all(columns.filter((column) => column.id === from || column.id === to).map((column) => column.pages.again()));
    setMoving(null);
  };

  const step = (/** @type {number} */ dx, /** @type {number} */ dy) => {
    const column = Math.max(0, Math.min(COLUMNS.length - 1, place.column + dx));
    const row = dx ? Math.min(Math.max(place.row, 0), columns[column].pages.total - 1) : place.row + dy;
    setPlace({ column, row: Math.max(0, Math.min(columns[column].pages.total - 1, row)) });
  };
  const here = () => at(place.column, place.row);
  useKeys([
    { keys: "j", does: "Next task", run: () => step(0, 1) },
    { keys: "k", does: "Task before", run: () => step(0, -1) },
    { keys: "l", does: "Next column", run: () => step(1, 0) },
    { keys: "h", does: "Column before", run: () => step(-1, 0) },
    { keys: "o", does: "Open the task", run: () => here() && go(link("task", here().number)) },
    { keys: "m", does: "Move the task", run: () => here() && setMenu(here()) },
  ]);

  // What keeps the columns from being read is said once.
  const failing = columns.find(({ pages }) => pages.error);
  if (failing && columns.every(({ pages }) => pages.total < 0)) {
    return html`<${Head} title="Board" side=${html`<${Filters} />`} /><${Failed} error=${failing.pages.error} again=${() => columns.forEach(({ pages }) => void pages.again())} />`;
  }
  const filtered = Object.keys(chosen).length > 0;
  const empty = columns.every(({ pages }) => pages.total === 0);
  return html`<div class="board-page">
    <${Head} title="Board" side=${html`<${Filters} />`} />
    ${empty && html`<p class="note">${filtered ? html`No task fits the filter. <button class="small" onClick=${() => setQuery({ text: "", feature: "", discipline: "", assignee: "", tag: "" })}>Clear it</button>` : html`There are no tasks yet. Press <kbd>c</kbd> to create one, or let an agent plan them.`}</p>`}
    <div class="board" ref=${board} role="group" aria-label="Board">
      ${columns.map((column, index) => html`<${ColumnView} key=${column.id} column=${filtered ? { ...column, none: "None that fits the filter" } : column} moving=${moving} focus=${place.column === index ? place.row : -1}
        dragged=${dragged} drop=${(/** @type {any} */ target) => dragged.current && void move(dragged.current, column.id, target?.priority)} menu=${setMenu} />`)}
    </div>
    ${menu && html`<${Dialog} title=${`Move #${menu.number}`} close=${() => setMenu(null)}>
      <p>${menu.title}</p>
      ${mayWrite() ? html`<div class="line wrap">${COLUMNS.map((column) => html`<button disabled=${columnOf(menu) === column.id} onClick=${() => { void move(menu, column.id); setMenu(null); }}>${column.title}</button>`)}</div>
      <h3>Priority</h3><div class="line wrap">${["urgent", "high", "normal", "low"].map((word) => html`<button disabled=${menu.priority === word} onClick=${() => { void move(menu, columnOf(menu), word); setMenu(null); }}>${word}</button>`)}</div>`
      : html`<p>Log in first: run <code>windlass dashboard</code> in a terminal.</p>`}
    <//>`}
  </div>`;
}

/** @param {any} task */
function columnOf(task) {
  if (task.status === "in_progress") return "progress";
  if (task.status === "in_review") return "review";
  if (task.status === "done" || task.status === "draft") return task.status;
  return task.blocked || task.status !== "pending" ? "blocked" : "ready";
}

/** @param {{ column: any, moving: Moving | null, focus: number, dragged: any, drop: (target: any) => void, menu: (task: any) => void }} props */
function ColumnView({ column, moving, focus, dragged, drop, menu }) {
  const [over, setOver] = useState(false);
  const { pages } = column;
  const arriving = moving && moving.to === column.id && moving.from !== column.id ? moving.task : null;
  const count = Math.max(0, pages.total) + (arriving ? 1 : 0);
  const row = (/** @type {number} */ index) => {
    if (arriving && index === 0) return html`<${Card} task=${arriving} ghost />`;
    const task = pages.at(index - (arriving ? 1 : 0));
    if (!task) return html`<div class="task loading" aria-hidden="true"></div>`;
    return html`<${Card} task=${task} focused=${focus === index} leaving=${moving?.task.number === task.number && moving?.from === column.id && moving?.to !== column.id} dragged=${dragged} drop=${drop} menu=${menu} />`;
  };
  return html`<section class=${"column" + (over ? " over" : "")} aria-label=${column.title}
      onDragOver=${(/** @type {DragEvent} */ event) => { if (dragged.current) { event.preventDefault(); setOver(true); } }}
      onDragLeave=${() => setOver(false)}
      onDrop=${(/** @type {DragEvent} */ event) => { event.preventDefault(); setOver(false); drop(null); }}>
    <h2 title=${column.hint}>${column.title} <span class="dim">${pages.total < 0 ? "" : number(pages.total)}</span>${pages.error && pages.total >= 0 ? html` <span class="badge warn" title=${pages.error.message}>not up to date</span>` : ""}</h2>
    ${pages.error && pages.total < 0 ? html`<${Failed} error=${pages.error} again=${pages.again} />`
      : pages.loading ? html`<div class="skeleton" role="status" aria-label="Loading"><i></i><i></i></div>`
      : count === 0 ? html`<p class="column-empty dim">${column.none}</p>`
      : html`<${WindowList} count=${count} height=${HEIGHT} row=${row} need=${pages.need} label=${column.title} focus=${focus} />`}
  </section>`;
}

/** @param {{ task: any, focused?: boolean, ghost?: boolean, leaving?: boolean, dragged?: any, drop?: (target: any) => void, menu?: (task: any) => void }} props */
function Card({ task, focused, ghost, leaving, dragged, drop, menu }) {
  const classes = ["task", focused && "focused", (ghost || leaving) && "ghost", task.priority === "urgent" && "urgent"].filter(Boolean).join(" ");
  return html`<div class=${classes} draggable=${!ghost && mayWrite()} data-number=${task.number}
      onDragStart=${(/** @type {DragEvent} */ event) => { dragged.current = task; event.dataTransfer?.setData("text/plain", `#${task.number}`); }}
      onDragEnd=${() => (dragged.current = null)}
      onDrop=${(/** @type {DragEvent} */ event) => { if (dragged?.current && columnOf(dragged.current) === columnOf(task)) { event.preventDefault(); event.stopPropagation(); drop?.(task); } }}>
    <a href=${link("task", task.number)} draggable="false"><span class="number">#${task.number}</span> ${task.title}</a>
    <div class="task-foot">
      ${task.kind === "milestone" && html`<span class="tag">milestone</span>`}<${Priority} word=${task.priority} />
      ${task.status === "awaiting_human" && html`<span class="badge warn">asks you</span>`}
      ${task.blocked_by.length > 0 && html`<span title="Waits for these tasks">after ${task.blocked_by.slice(0, 3).map((/** @type {number} */ one) => `#${one}`).join(", ")}${task.blocked_by.length > 3 ? " …" : ""}</span>`}
      ${(task.claimed_by ?? task.assignee) ? html`<${Who} name=${task.claimed_by ?? task.assignee} />` : ""}
      <span class="tags">${task.status !== "in_progress" && task.feature && html`<span class="dim">${task.feature}</span>`}${(task.status === "in_progress" ? [] : task.tags.slice(0, 3)).map((/** @type {string} */ tag) => html`<span class="tag">${tag}</span>`)}</span>
      ${task.status === "in_progress" || task.status === "done" ? html`<${Time} time=${task.updated_at} short />` : ""}
      ${menu && mayWrite() && html`<button class="quiet small" aria-label=${`Move task ${task.number}`} onClick=${() => menu(task)}>⋯</button>`}
    </div>
  </div>`;
}

function Filters() {
  const features = useCall("features.list", {}, { on: ["entity."], later: true });
  const disciplines = useCall("disciplines.list", {}, { on: ["entity."], later: true });
  const { query } = route.value;
  const timer = useRef(0);
  const set = (/** @type {string} */ name) => (/** @type {any} */ event) => {
    const { value } = event.target;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setQuery({ [name]: value.trim() }), event.type === "input" ? 200 : 0);
  };
  const names = (/** @type {any} */ list) => (list ?? []).map((/** @type {any} */ one) => one.name);
  const choice = (/** @type {string} */ name, /** @type {string} */ label, /** @type {string[]} */ options) => options.length > 0 && html`
    <select aria-label=${label} value=${query.get(name) ?? ""} onChange=${set(name)}><option value="">${label}</option>${options.map((option) => html`<option value=${option} selected=${query.get(name) === option}>${option}</option>`)}</select>`;
  return html`<div class="filters" role="search">
    <input type="search" aria-label="Only tasks with these words" placeholder="Filter" value=${query.get("text") ?? ""} onInput=${set("text")} />
    ${choice("feature", "Feature", names(features.data?.features ?? features.data))}
    ${choice("discipline", "Discipline", names(disciplines.data?.disciplines ?? disciplines.data))}
    <input class="short" aria-label="Only with this tag" placeholder="Tag" value=${query.get("tag") ?? ""} onInput=${set("tag")} />
    <input class="short" aria-label="Only of this assignee" placeholder="Assignee" value=${query.get("assignee") ?? ""} onInput=${set("assignee")} />
  </div>`;
}
