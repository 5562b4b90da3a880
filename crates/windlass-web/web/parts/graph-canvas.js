// The drawing of the graph: only what is in sight exists.

import { html, useEffect, useMemo, useRef, useState } from "../lib/html.js";
import { useKeys } from "../lib/keys.js";
import { go, link } from "../lib/router.js";
import { NODE } from "../lib/node-size.js";

/** Smaller than this nothing can be read. */
const SMALLEST_FIT = 0.55;
const ZOOMS = { least: 0.1, most: 2, step: 1.25 };

/** @param {{ laid: import("../lib/worker.js").Laid, known: Map<number, any>, chosen: number, choose: (number: number) => void, frees: Set<number> }} props */
export function Canvas({ laid, known, chosen, choose, frees }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const [zoom, setZoom] = useState(1);
  const [view, setView] = useState({ x: 0, y: 0, width: 2000, height: 1500 });
  const measure = () => {
    const element = box.current;
    if (element) setView({ x: element.scrollLeft / zoom - 300, y: element.scrollTop / zoom - 200, width: element.clientWidth / zoom + 600, height: element.clientHeight / zoom + 400 });
  };
  useEffect(measure, [zoom, laid]);
  const fit = (/** @type {number} */ least) => {
    const element = box.current;
    if (element && laid.width > 0) setZoom(Math.max(least, Math.min(1, (element.clientWidth - 20) / laid.width, least < SMALLEST_FIT ? (element.clientHeight - 20) / laid.height : 1)));
  };
  useEffect(() => fit(SMALLEST_FIT), [laid.width > 0]);
  // The critical path is what one looks for first; it may be far below.
  useEffect(() => {
    const first = laid.places.find((place) => place.number === laid.critical[0]);
    if (box.current && first && !box.current.scrollTop) box.current.scrollTop = Math.max(0, first.y * zoom - box.current.clientHeight / 2);
  }, [laid.width > 0, zoom]);
  const scale = (/** @type {number} */ by) => setZoom(Math.max(ZOOMS.least, Math.min(ZOOMS.most, zoom * by)));
  useKeys([
    { keys: "+", does: "Larger", run: () => scale(ZOOMS.step) },
    { keys: "-", does: "Smaller", run: () => scale(1 / ZOOMS.step) },
    { keys: "0", does: "The whole graph", run: () => fit(ZOOMS.least) },
    { keys: "o", does: "Open the chosen task", run: () => chosen && go(link("task", chosen)) },
  ]);
  const critical = useMemo(() => new Set(laid.critical), [laid]);
  const steps = useMemo(() => new Set(laid.critical.slice(1).map((number, index) => `${laid.critical[index]} ${number}`)), [laid]);
  const places = laid.places.filter((place) => place.x + NODE.width > view.x && place.x < view.x + view.width && place.y + NODE.height > view.y && place.y < view.y + view.height);
  const seen = new Set(places.map((place) => place.number));
  const lines = laid.lines.filter((line) => seen.has(line.from) || seen.has(line.to));
  return html`<div class="zoom line"><button class="small" aria-label="Smaller" onClick=${() => scale(1 / ZOOMS.step)}>−</button><span class="dim">${Math.round(zoom * 100)} %</span><button class="small" aria-label="Larger" onClick=${() => scale(ZOOMS.step)}>+</button><button class="small" onClick=${() => fit(ZOOMS.least)}>Fit</button></div>
    <div class="canvas" ref=${box} onScroll=${measure} tabindex="0" role="group" aria-label="Graph of dependencies">
    <svg class="graph big" xmlns="http://www.w3.org/2000/svg" width=${laid.width * zoom} height=${laid.height * zoom} viewBox=${`0 0 ${laid.width} ${laid.height}`}>
      ${lines.map((line) => html`<path key=${`${line.from} ${line.to}`} class=${"edge" + (steps.has(`${line.from} ${line.to}`) ? " critical" : "")} d=${line.path} />`)}
      ${places.map((place) => {
        const task = known.get(place.number);
        if (!task) return null;
        return html`<${Node} key=${place.number} place=${place} task=${task} chosen=${chosen === place.number} critical=${critical.has(place.number)} freed=${frees.has(place.number)} choose=${choose} />`;
      })}
    </svg></div>`;
}

/** @param {{ place: any, task: any, chosen: boolean, critical: boolean, freed: boolean, choose: (number: number) => void }} props */
function Node({ place, task, chosen, critical, freed, choose }) {
  const classes = ["node", task.status, critical && "critical", chosen && "own", freed && "freed"].filter(Boolean).join(" ");
  return html`<g class=${classes} role="button" tabindex="0" aria-pressed=${chosen} onClick=${() => choose(task.number)} onDblClick=${() => go(link("task", task.number))}
      onKeyDown=${(/** @type {KeyboardEvent} */ event) => event.key === "Enter" && choose(task.number)}>
    <title>#${task.number} ${task.title}</title>
    <rect x=${place.x} y=${place.y} width=${NODE.width} height=${NODE.height} rx="6" />
    <text x=${place.x + 9} y=${place.y + 16}>#${task.number} ${task.status.replaceAll("_", " ")}</text>
    <text class="title" x=${place.x + 9} y=${place.y + 32}>${task.title.length > 26 ? task.title.slice(0, 25) + "…" : task.title}</text></g>`;
}
