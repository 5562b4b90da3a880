// The drawing of the graph: only what is in sight exists.

import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../lib/html.js";
import { useKeys } from "../lib/keys.js";
import { go, link } from "../lib/router.js";
import { criticalParts, curve, NODE, shortTitle } from "../lib/graph-shapes.js";

/** Smaller than this nothing can be read. */
const SMALLEST_FIT = 0.75;
const ZOOMS = { least: 0.1, most: 2, step: 1.25 };

/** Before the room is known nothing is drawn, instead of drawing twice. */
const NOTHING = { x: 0, y: 0, width: 0, height: 0 };

/** @param {{ laid: import("../lib/worker.js").Laid, chosen: number, choose: (number: number) => void, frees: Set<number> }} props */
export function Canvas({ laid, chosen, choose, frees }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const [zoom, setZoom] = useState(0);
  const [view, setView] = useState(NOTHING);
  const measure = () => {
    const element = box.current;
    if (element && zoom) setView({ x: element.scrollLeft / zoom - 300, y: element.scrollTop / zoom - 200, width: element.clientWidth / zoom + 600, height: element.clientHeight / zoom + 400 });
  };
  const fit = (/** @type {number} */ least) => {
    const element = box.current;
    if (element && laid.width > 0) setZoom(Math.max(least, Math.min(1, (element.clientWidth - 20) / laid.width, least < SMALLEST_FIT ? (element.clientHeight - 20) / laid.height : 1)));
  };
  useLayoutEffect(() => fit(SMALLEST_FIT), [laid.width > 0]);
  // The critical path is what one looks for first; it may be far below. Who has scrolled already looks at something else.
  const brought = useRef({ top: 0, left: 0 });
  useLayoutEffect(() => {
    const [element, first] = [box.current, laid.numbers.indexOf(laid.critical[0])];
    if (element && zoom && first >= 0 && element.scrollTop === brought.current.top && element.scrollLeft === brought.current.left) {
      element.scrollTop = Math.max(0, laid.y[first] * zoom - element.clientHeight / 2);
      element.scrollLeft = Math.max(0, laid.x[first] * zoom - 40);
      brought.current = { top: element.scrollTop, left: element.scrollLeft };
    }
    measure();
  }, [laid, zoom]);
  const scale = (/** @type {number} */ by) => setZoom(Math.max(ZOOMS.least, Math.min(ZOOMS.most, zoom * by)));
  useKeys([
    { keys: "+", does: "Larger", run: () => scale(ZOOMS.step) },
    { keys: "-", does: "Smaller", run: () => scale(1 / ZOOMS.step) },
    { keys: "0", does: "The whole graph", run: () => fit(ZOOMS.least) },
    { keys: "o", does: "Open the chosen task", run: () => chosen && go(link("task", chosen)) },
  ]);
  const { critical, steps } = useMemo(() => criticalParts(laid), [laid]);
  const { shown, all } = useFew(inSight(laid, view), laid.numbers);
  const seen = new Set(shown);
  /** @type {[number, number][]} */
  const lines = [];
  for (let at = 0; at < laid.lines.length; at += 2) if (seen.has(laid.lines[at]) || seen.has(laid.lines[at + 1])) lines.push([laid.lines[at], laid.lines[at + 1]]);
  const isStep = (/** @type {number} */ from, /** @type {number} */ to) => steps.has(`${laid.numbers[from]} ${laid.numbers[to]}`);
  return html`<div class="zoom line"><button class="small" aria-label="Smaller" onClick=${() => scale(1 / ZOOMS.step)}>−</button><span class="dim">${Math.round(zoom * 100)} %</span><button class="small" aria-label="Larger" onClick=${() => scale(ZOOMS.step)}>+</button><button class="small" onClick=${() => fit(ZOOMS.least)}>Fit</button></div>
    <div class="canvas" ref=${box} onScroll=${measure} tabindex="0" role="group" aria-label="Graph of dependencies" aria-busy=${!all || !laid.final}>
    <svg class="graph big" xmlns="http://www.w3.org/2000/svg" onClick=${onTask(choose)} onDblClick=${onTask((number) => go(link("task", number)))} onKeyDown=${(/** @type {KeyboardEvent} */ event) => event.key === "Enter" && onTask(choose)(event)} width=${laid.width * (zoom || 1)} height=${laid.height * (zoom || 1)} viewBox=${`0 0 ${laid.width} ${laid.height}`}>
      ${lines.map(([from, to]) => html`<path key=${`${laid.numbers[from]} ${laid.numbers[to]}`} class=${isStep(from, to) ? "edge critical" : "edge"} d=${curve(laid.x[from], laid.y[from], laid.x[to], laid.y[to])} />`)}
      ${shown.map((index) => html`<${Node} key=${laid.numbers[index]} number=${laid.numbers[index]} x=${laid.x[index]} y=${laid.y[index]} title=${laid.titles[index]} status=${laid.statuses[index]} chosen=${chosen === laid.numbers[index]} critical=${critical.has(laid.numbers[index])} freed=${frees.has(laid.numbers[index])} />`)}
    </svg></div>`;
}

/** As many new tasks are drawn before the next frame: more of them at once would be felt. */
const AT_ONCE = 60;

/** Some of the tasks in sight: those that are drawn already, and a few more with each frame. @param {number[]} sight @param {Int32Array} numbers */
function useFew(sight, numbers) {
  const drawn = useRef(/** @type {Set<number>} */ (new Set()));
  const [, more] = useState(0);
  // The frame of the graph takes its time too.
  const begun = useRef(false);
  let room = begun.current ? AT_ONCE : 0;
  begun.current ||= sight.length > 0;
  const shown = sight.filter((index) => drawn.current.has(numbers[index]) || room-- > 0);
  drawn.current = new Set(shown.map((index) => numbers[index]));
  const all = shown.length === sight.length;
  useEffect(() => {
    if (all) return;
    const frame = requestAnimationFrame(() => more((count) => count + 1));
    return () => cancelAnimationFrame(frame);
  });
  return { shown, all };
}

/** The places of the tasks that are in sight. @param {import("../lib/worker.js").Laid} laid @param {{ x: number, y: number, width: number, height: number }} view */
function inSight(laid, view) {
  const found = [];
  for (let index = 0; index < laid.numbers.length; index++) {
    const [x, y] = [laid.x[index], laid.y[index]];
    if (x + NODE.width > view.x && x < view.x + view.width && y + NODE.height > view.y && y < view.y + view.height) found.push(index);
  }
  return found;
}

/** What is done with the task of an event: one listener for all of them. @param {(number: number) => void} act */
const onTask = (act) => (/** @type {Event} */ event) => {
  const node = /** @type {Element} */ (event.target).closest("[data-number]");
  if (node) act(Number(node.getAttribute("data-number")));
};

/** @param {{ number: number, x: number, y: number, title: string, status: string, chosen: boolean, critical: boolean, freed: boolean }} props */
function Node({ number, x, y, title, status, chosen, critical, freed }) {
  const classes = ["node", status, critical && "critical", chosen && "own", freed && "freed"].filter(Boolean).join(" ");
  return html`<g class=${classes} role="button" tabindex="0" aria-pressed=${chosen} data-number=${number} transform=${`translate(${x} ${y})`}>
    <title>#${number} ${title}</title>
    <rect width=${NODE.width} height=${NODE.height} rx="6" />
    <text x="9" y="16">#${number} ${status.replaceAll("_", " ")}</text>
    <text class="title" x="9" y="32">${shortTitle(title)}</text></g>`;
}
