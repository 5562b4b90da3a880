// What the shape of a graph says: the critical path, and what a task releases.

import { depths } from "./layout.js";

/** @typedef {import("./layout.js").Edge} Edge */

/**
 * The longest chain of open tasks: the work cannot take less than that.
 * @param {number[]} open @param {Edge[]} edges @returns {number[]}
 */
export function criticalPath(open, edges) {
  const before = new Map(open.map((number) => [number, /** @type {number[]} */ ([])]));
  for (const edge of edges) if (before.has(edge.from)) before.get(edge.to)?.push(edge.from);
  const depth = depths(open, before);
  let last = 0;
  for (const [number, value] of depth) if (!last || value > (depth.get(last) ?? 0)) last = number;
  if (!last || !depth.get(last)) return [];
  const path = [last];
  while (depth.get(path[0])) {
    const [at] = path;
    const next = (before.get(at) ?? []).find((number) => depth.get(number) === (depth.get(at) ?? 0) - 1);
    if (!next) break;
    path.unshift(next);
  }
  return path;
}
