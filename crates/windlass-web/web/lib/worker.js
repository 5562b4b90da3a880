// The graph as the page sees it: a worker reads the tasks and lays them out (layout-worker.js).

import { credentials } from "./api.js";
import { startWorker } from "./start-worker.js";

/**
 * A graph in columns, `final` unless it is a draft: the number, the place, the title and the status of each task; `lines` has pairs of places in them.
 * @typedef {{ numbers: Int32Array, x: Float32Array, y: Float32Array, lines: Int32Array, titles: string[], statuses: string[], critical: number[], total: number, width: number, height: number, final: boolean }} Laid
 */
/** @typedef {{ number: number, title: string }[]} Released */
/** @typedef {{ laid?: (laid: Laid) => void, failed?: (error: any) => void, released?: (number: number, tasks: Released) => void }} Listener */

/** The worker stays for the next time: it has the layout and the tasks. @type {Worker | null} */
let worker = null;
/** @type {Listener} */
let listener = {};
/** Whether tasks are read and laid out now, and whether they have to be again. */
let busy = false;
/** @type {{ filter: any, anew: boolean } | null} */
let next = null;

function start() {
  const made = startWorker("layout", { type: "module" });
  made.addEventListener("message", ({ data }) => {
    if (data.kind === "released") return listener.released?.(data.number, data.tasks);
    if (data.kind === "failed") listener.failed?.(data.error);
    else listener.laid?.({ ...data.laid, final: data.final, titles: data.laid.titles.split("\n"), statuses: data.laid.statuses.split("\n") });
    // A draft is enough to go on with what came meanwhile.
    busy = false;
    const waiting = next;
    next = null;
    if (waiting) show(waiting.filter, true);
  });
  made.addEventListener("error", () => {
    worker = null;
    busy = false;
    listener.failed?.({ message: "The graph could not be laid out", hint: "Reload the page." });
  });
  return made;
}

/** Whoever shows the graph now. @param {Listener} one */
export function listen(one) {
  listener = one;
  return () => {
    if (listener === one) listener = {};
  };
}

/**
 * Lays out what fits a filter; `anew`: reads the tasks again. What is asked for meanwhile is done afterwards: with many
 * changes a second there is a picture all the same.
 * @param {{ text: string, ended: boolean, alone: boolean }} filter @param {boolean} anew
 */
export function show(filter, anew) {
  // A change that waits for its turn is not forgotten for another filter.
  const read = anew || next !== null;
  if (busy && read) {
    next = { filter, anew: true };
    return;
  }
  next = null;
  busy = true;
  worker ??= start();
  worker.postMessage({ kind: "show", filter, anew: read, headers: credentials() });
}

/** Asks which tasks become ready when one is completed. @param {number} number */
export const askReleased = (number) => worker?.postMessage({ kind: "release", number });
