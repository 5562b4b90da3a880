// The tasks around one: what it waits for on the left, what waits for it on the right.

import { html } from "../lib/html.js";
import { link } from "../lib/router.js";

const WIDTH = 210;
const HEIGHT = 40;
const GAP_X = 60;
const GAP_Y = 12;

/** @param {{ task: any }} props */
export function Around({ task }) {
  const before = (task.blocked_by ?? []).slice(0, 6);
  const after = (task.blocks ?? []).slice(0, 6);
  if (!before.length && !after.length) return null;
  const rows = Math.max(before.length, after.length, 1);
  const height = rows * (HEIGHT + GAP_Y) - GAP_Y;
  const y = (/** @type {number} */ index, /** @type {number} */ count) => (height - (count * (HEIGHT + GAP_Y) - GAP_Y)) / 2 + index * (HEIGHT + GAP_Y);
  const columns = [before, [task], after];
  const x = (/** @type {number} */ column) => (column - (before.length ? 0 : 1)) * (WIDTH + GAP_X);
  const width = x(after.length ? 2 : 1) + WIDTH;
  const middle = y(0, 1) + HEIGHT / 2;
  const edge = (/** @type {number} */ x1, /** @type {number} */ y1, /** @type {number} */ x2, /** @type {number} */ y2) => html`<path class="edge" d=${`M${x1} ${y1} C${x1 + GAP_X / 2} ${y1} ${x2 - GAP_X / 2} ${y2} ${x2} ${y2}`} />`;
  return html`<section><h2>Around it</h2><div class="scroll-x" tabindex="0" role="group" aria-label="Dependencies of this task"><svg class="graph small" width=${width + 4} height=${height + 4} viewBox=${`-2 -2 ${width + 4} ${height + 4}`}>
    ${before.map((/** @type {any} */ _, /** @type {number} */ index) => edge(x(0) + WIDTH, y(index, before.length) + HEIGHT / 2, x(1), middle))}
    ${after.map((/** @type {any} */ _, /** @type {number} */ index) => edge(x(1) + WIDTH, middle, x(2), y(index, after.length) + HEIGHT / 2))}
    ${columns.map((list, column) => list.map((/** @type {any} */ one, /** @type {number} */ index) => html`<${Box} task=${one} x=${x(column)} y=${y(index, list.length)} own=${column === 1} />`))}
  </svg></div></section>`;
}

/** @param {{ task: any, x: number, y: number, own?: boolean }} props */
const Box = ({ task, x, y, own }) => html`<a href=${link("task", task.number)} class=${`node ${task.status}${own ? " own" : ""}`}>
  <rect x=${x} y=${y} width=${WIDTH} height=${HEIGHT} rx="6" />
  <text x=${x + 10} y=${y + 17}>#${task.number} ${(task.status ?? "").replaceAll("_", " ")}</text>
  <text class="title" x=${x + 10} y=${y + 32}>${task.title.length > 30 ? task.title.slice(0, 29) + "…" : task.title}</text>
</a>`;
