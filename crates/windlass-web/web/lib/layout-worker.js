// Everything about the graph that takes long, beside the page: reads the tasks, chooses those that are asked for, lays them
// out. What it posts are columns of numbers and two long texts: 10,000 objects would keep the page busy.

import { startElk, withElk } from "./elk.js";
import { chosenPart, ENDED, readAll, readOpen, released } from "./graph-data.js";
import { NODE } from "./graph-shapes.js";
import { byLines, inLayers, withAlone } from "./layout.js";
import { criticalPath } from "./paths.js";

/** ELK takes more than ten seconds beyond this. */
const ELK_NODES = 10_000;
const ELK_EDGES = 20_000;

/** A draft is shown only if the better picture takes longer than this; for few tasks it hardly does. */
const PATIENCE = { few: 800, many: 250 };
const FEW = 300;

/** @typedef {import("./graph-data.js").GraphTask} GraphTask */
/** @typedef {{ text: string, ended: boolean, alone: boolean }} Filter */
/** @typedef {{ kind: "show", filter: Filter, anew: boolean, headers: Record<string, string> } | { kind: "release", number: number }} Asked */

/** @type {{ ended: boolean, tasks: GraphTask[] } | null} */
let known = null;
/** Whether the tasks have changed since they were read. Who is not answered any more leaves that to the next. */
let stale = true;
/** Counts what was asked for: only the last is answered. */
let round = 0;

// It is loaded while the tasks are read.
startElk();

addEventListener("message", ({ data }) => {
  const asked = /** @type {Asked} */ (data);
  if (asked.kind === "show") void show(asked);
  else postMessage({ kind: "released", number: asked.number, tasks: released(asked.number, known?.tasks ?? []).map(({ number, title }) => ({ number, title })) });
});

/** @param {Extract<Asked, { kind: "show" }>} asked */
async function show({ filter, anew, headers }) {
  const own = ++round;
  stale ||= anew;
  try {
    if (stale || known?.ended !== filter.ended) {
      const tasks = await (filter.ended ? readAll : readOpen)(headers);
      if (own !== round) return;
      known = { ended: filter.ended, tasks };
      stale = false;
    }
    await layOut(own, filter);
  } catch (problem) {
    const { message, hint, status } = /** @type {any} */ (problem);
    if (own === round) postMessage({ kind: "failed", error: { message, hint, status } });
  }
}

/** The last layout: what it is of, and where its tasks are or will be. @type {{ of: string, places: Promise<import("./layout.js").Place[]> }} */
let last = { of: "", places: Promise.resolve([]) };

/** A change of a title or a status moves nothing, and does not begin a layout anew. @param {number[]} linked @param {import("./layout.js").Edge[]} edges */
function placesOf(linked, edges) {
  const of = `${linked} ${edges.map(({ from, to }) => `${from}-${to}`)}`;
  if (last.of !== of) last = { of, places: withElk(linked, edges) };
  return last.places;
}

/** @param {number} own @param {Filter} filter */
async function layOut(own, filter) {
  const { shown, edges } = chosenPart(known?.tasks ?? [], filter);
  const open = shown.filter((task) => !ENDED.includes(task.status)).map((task) => task.number);
  const critical = criticalPath(open, edges);
  const [linked, alone] = byLines(shown.map((task) => task.number), edges);
  const send = (/** @type {import("./layout.js").Place[]} */ places, /** @type {boolean} */ final) => own === round && post(shown, edges, withAlone(places, alone), critical, final);
  if (!linked.length || linked.length > ELK_NODES || edges.length > ELK_EDGES) return void send(inLayers(linked, edges), true);
  const timer = setTimeout(() => send(inLayers(linked, edges), false), linked.length > FEW ? PATIENCE.many : PATIENCE.few);
  try {
    const places = await placesOf(linked, edges);
    clearTimeout(timer);
    send(places, true);
  } catch {
    // The draft is a picture too.
    clearTimeout(timer);
    last.of = "";
    send(inLayers(linked, edges), true);
  }
}

/** @param {GraphTask[]} shown @param {import("./layout.js").Edge[]} edges @param {import("./layout.js").Place[]} places @param {number[]} critical @param {boolean} final */
function post(shown, edges, places, critical, final) {
  const at = new Map(places.map((place) => [place.number, place]));
  const index = new Map(shown.map((task, place) => [task.number, place]));
  const place = (/** @type {GraphTask} */ task) => at.get(task.number) ?? { x: 0, y: 0 };
  const laid = {
    numbers: Int32Array.from(shown, (task) => task.number),
    x: Float32Array.from(shown, (task) => place(task).x),
    y: Float32Array.from(shown, (task) => place(task).y),
    // Each line is two places in the columns above.
    lines: Int32Array.from(edges.flatMap((edge) => [index.get(edge.from) ?? 0, index.get(edge.to) ?? 0])),
    titles: shown.map((task) => task.title.replaceAll("\n", " ")).join("\n"),
    statuses: shown.map((task) => task.status).join("\n"),
    critical,
    total: known?.tasks.length ?? 0,
    width: places.reduce((most, one) => Math.max(most, one.x + NODE.width), 0) + 12,
    height: places.reduce((most, one) => Math.max(most, one.y + NODE.height), 0) + 12,
  };
  postMessage({ kind: "laid", final, laid }, { transfer: [laid.numbers.buffer, laid.x.buffer, laid.y.buffer, laid.lines.buffer] });
}
