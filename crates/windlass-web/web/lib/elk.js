// The layered layout of ELK, in a worker of its own: a layout that nobody waits for any more is ended with it.

import { NODE } from "./graph-shapes.js";
import { startWorker } from "./start-worker.js";

/**
 * Segments of lines are kept straight (LINEAR_SEGMENTS): half the time of the default, and half the height. The routes of
 * the lines are not used, so the quickest will do.
 */
const OPTIONS = {
  "elk.algorithm": "layered", "elk.direction": "RIGHT", "elk.padding": "[top=8,left=8,bottom=8,right=8]",
  "elk.spacing.nodeNode": "14", "elk.spacing.componentComponent": "28", "elk.layered.spacing.nodeNodeBetweenLayers": "56",
  "elk.layered.nodePlacement.strategy": "LINEAR_SEGMENTS", "elk.layered.thoroughness": "3", "elk.edgeRouting": "POLYLINE",
};

/** @type {Worker | null} */
let worker = null;
/** What waits for a layout. @type {((answer: any) => void) | null} */
let waiting = null;

export function startElk() {
  if (worker) return worker;
  const made = startWorker("elk");
  made.addEventListener("message", ({ data }) => data.id === "layout" && waiting?.(data));
  made.addEventListener("error", () => waiting?.({ error: { message: "the layout could not be loaded" } }));
  made.postMessage({ id: "register", cmd: "register", algorithms: ["layered"] });
  worker = made;
  return made;
}

/** Ends a layout that is under way; whoever waits for it hears nothing. */
function stopElk() {
  if (!waiting) return;
  waiting = null;
  worker?.terminate();
  worker = null;
}

/** @param {number[]} numbers @param {import("./layout.js").Edge[]} edges @returns {Promise<import("./layout.js").Place[]>} */
export function withElk(numbers, edges) {
  stopElk();
  const elk = startElk();
  const children = numbers.map((number) => ({ id: String(number), ...NODE }));
  const lines = edges.map(({ from, to }) => ({ id: `${from} ${to}`, sources: [String(from)], targets: [String(to)] }));
  elk.postMessage({ id: "layout", cmd: "layout", graph: { id: "graph", layoutOptions: OPTIONS, children, edges: lines }, layoutOptions: {}, options: {} });
  return new Promise((done, failed) => {
    waiting = ({ data, error }) => {
      waiting = null;
      if (error) failed(new Error(error.message));
      else done(data.children.map((/** @type {any} */ one) => ({ number: Number(one.id), x: one.x, y: one.y })));
    };
  });
}
