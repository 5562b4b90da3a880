// The graph of dependencies: layers from left to right, the critical path, and what a task releases.

import { html, useEffect, useMemo, useRef, useState } from "../lib/html.js";
import { call } from "../lib/api.js";
import { onNews } from "../lib/live.js";
import { go, link, route, setQuery } from "../lib/router.js";
import { plural } from "../lib/format.js";
import { layout, NODE } from "../lib/layout.js";
import { criticalPath, released } from "../lib/paths.js";
import { saveSvg } from "../lib/save-svg.js";
import { Empty, Failed, Head } from "../parts/ui.js";

const ENDED = ["done", "completed", "skipped", "cancelled"];

/** All tasks with what they wait for, page by page. @param {AbortSignal} stop */
async function readAll(stop) {
  const first = await call("tasks.list", { limit: 100 }, stop);
  const all = [...first.tasks];
  const total = first.total ?? all.length;
  for (let offset = 100; offset < total || (first.total === undefined && all.length === offset); offset += 400) {
    const pages = await Promise.all([0, 100, 200, 300].map((more) => call("tasks.list", { limit: 100, offset: offset + more }, stop)));
    for (const page of pages) all.push(...page.tasks);
    if (pages.at(-1)?.tasks.length === 0) break;
  }
  return all;
}

export default function Graph() {
  const [tasks, setTasks] = useState(/** @type {any[] | null} */ (null));
  const [error, setError] = useState(/** @type {any} */ (null));
  const [chosen, setChosen] = useState("");
  const { query } = route.value;
  const text = (query.get("text") ?? "").toLowerCase();
  const showEnded = query.get("ended") === "1";
  const alone = query.get("alone") === "1";
  useEffect(() => {
    const stop = new AbortController();
    let timer = 0;
    const read = () => readAll(stop.signal).then((all) => { setTasks(all); setError(null); }, (problem) => stop.signal.aborted || setError(problem));
    void read();
    const off = onNews((news) => {
      if (!news.all && !news.events.some((event) => /^(task|entity|blocker|relation|review)\./.test(event.kind))) return;
      clearTimeout(timer);
      timer = setTimeout(() => void read(), 100);
    });
    return () => {
      off();
      clearTimeout(timer);
      stop.abort();
    };
  }, []);

  const picture = useMemo(() => {
    if (!tasks) return null;
    const known = new Map(tasks.map((task) => [task.id, task]));
    const linked = new Set(tasks.flatMap((task) => task.blocked_by.flatMap((/** @type {string} */ id) => (known.has(id) ? [id, task.id] : []))));
    const keep = tasks.filter((task) => (showEnded || !ENDED.includes(task.status)) && (alone || linked.has(task.id)) && (!text || `#${task.number} ${task.description} ${task.status}`.toLowerCase().includes(text)));
    const kept = new Set(keep.map((task) => task.id));
    const edges = keep.flatMap((task) => task.blocked_by.filter((/** @type {string} */ id) => kept.has(id)).map((/** @type {string} */ id) => ({ from: id, to: task.id })));
    return { ...layout(keep, edges), critical: criticalPath(keep.filter((task) => !ENDED.includes(task.status)), edges), edges, total: tasks.length };
  }, [tasks, text, showEnded, alone]);

  if (error && !tasks) return html`<${Head} title="Graph" /><${Failed} error=${error} />`;
  if (!picture) return html`<${Head} title="Graph" /><div class="skeleton" role="status" aria-label="Loading"><i></i><i></i></div>`;
  const task = tasks?.find((one) => one.id === chosen);
  const frees = task ? released(task.id, picture.edges, new Map(picture.nodes.map((node) => [node.task.id, node.task]))) : [];
  const check = (/** @type {string} */ name, /** @type {string} */ label, /** @type {boolean} */ value) => html`<label class="line"><input type="checkbox" checked=${value} onChange=${() => setQuery({ [name]: value ? "" : "1" })} /> ${label}</label>`;
  return html`<div class="graph-page">
    <${Head} title="Graph" side=${html`<div class="filters" role="search"><input type="search" aria-label="Only tasks with this text" placeholder="Filter" value=${query.get("text") ?? ""} onInput=${(/** @type {any} */ event) => setQuery({ text: event.target.value })} />
      ${check("ended", "what is done", showEnded)} ${check("alone", "without links", alone)} <button onClick=${() => saveSvg(document.querySelector(".graph.big"))}>Save as SVG</button></div>`}>
      <p class="dim">${plural(picture.nodes.length, "task")} of ${picture.total}${picture.critical.length > 1 ? `, critical path: ${picture.critical.length} tasks` : ""}</p><//>
    ${task && html`<p class="note"><strong>#${task.number} ${task.description.split("\n")[0]}</strong>: ${frees.length ? html`completing it releases ${frees.map((one, index) => html`${index ? ", " : ""}<a href=${link("task", one.number)}>#${one.number}</a>`)}` : "completing it releases nothing by itself"}. <a href=${link("task", task.number)}>Open it</a></p>`}
    ${picture.nodes.length ? html`<${Canvas} picture=${picture} chosen=${chosen} choose=${setChosen} frees=${new Set(frees.map((one) => one.id))} />` : html`<${Empty} title="No dependencies to show">Tasks that wait for each other appear here: tick “without links” for all tasks.<//>`}
  </div>`;
}

/** @param {{ picture: any, chosen: string, choose: (id: string) => void, frees: Set<string> }} props */
function Canvas({ picture, chosen, choose, frees }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const [zoom, setZoom] = useState(1);
  const [view, setView] = useState({ x: -1e4, y: -1e4, width: 3e4, height: 3e4 });
  const measure = () => {
    const element = box.current;
    if (element) setView({ x: element.scrollLeft / zoom - 300, y: element.scrollTop / zoom - 200, width: element.clientWidth / zoom + 600, height: element.clientHeight / zoom + 400 });
  };
  useEffect(measure, [zoom, picture]);
  useEffect(() => {
    const element = box.current;
    if (element && picture.width > 0) setZoom(Math.max(0.2, Math.min(1, (element.clientWidth - 20) / picture.width)));
  }, [picture.width > 0]);
  const critical = new Set(picture.critical);
  const steps = new Set(picture.critical.slice(1).map((/** @type {string} */ id, /** @type {number} */ index) => `${picture.critical[index]} ${id}`));
  const inside = (/** @type {any} */ node) => node.x + NODE.width > view.x && node.x < view.x + view.width && node.y + NODE.height > view.y && node.y < view.y + view.height;
  const nodes = picture.nodes.filter(inside);
  const seen = new Set(nodes.map((/** @type {any} */ node) => node.task.id));
  const edges = picture.lines.filter((/** @type {any} */ edge) => seen.has(edge.from) || seen.has(edge.to));
  return html`<div class="zoom line"><button class="small" aria-label="Smaller" onClick=${() => setZoom(Math.max(0.15, zoom / 1.25))}>−</button><span class="dim">${Math.round(zoom * 100)} %</span><button class="small" aria-label="Larger" onClick=${() => setZoom(Math.min(2, zoom * 1.25))}>+</button></div>
    <div class="canvas" ref=${box} onScroll=${measure} tabindex="0" role="group" aria-label="Graph of dependencies">
    <svg class="graph big" xmlns="http://www.w3.org/2000/svg" width=${picture.width * zoom} height=${picture.height * zoom} viewBox=${`0 0 ${picture.width} ${picture.height}`}>
      ${edges.map((/** @type {any} */ edge) => html`<path key=${edge.from + edge.to} class=${"edge" + (steps.has(`${edge.from} ${edge.to}`) ? " critical" : "")} d=${edge.path} />`)}
      ${nodes.map((/** @type {any} */ node) => html`<g key=${node.task.id} class=${`node ${node.task.status}${critical.has(node.task.id) ? " critical" : ""}${chosen === node.task.id ? " own" : ""}${frees.has(node.task.id) ? " freed" : ""}`} role="button" tabindex="0"
          onClick=${() => choose(node.task.id)} onDblClick=${() => go(link("task", node.task.number))} onKeyDown=${(/** @type {KeyboardEvent} */ event) => event.key === "Enter" && choose(node.task.id)}>
        <rect x=${node.x} y=${node.y} width=${NODE.width} height=${NODE.height} rx="6" />
        <text x=${node.x + 9} y=${node.y + 16}>#${node.task.number} ${node.task.status.replaceAll("_", " ")}</text>
        <text class="title" x=${node.x + 9} y=${node.y + 32}>${short(node.task.description)}</text></g>`)}
    </svg></div>`;
}

/** @param {string} text */
const short = (text) => {
  const [line] = text.split("\n");
  return line.length > 27 ? line.slice(0, 26) + "…" : line;
};
