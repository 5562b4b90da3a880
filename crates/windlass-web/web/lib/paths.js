// What the shape of a graph says: the critical path, and what a task releases.

import { depths } from "./layout.js";

/**
 * The longest chain of open tasks: the work cannot take less than that.
 * @param {any[]} open @param {{ from: string, to: string }[]} edges @returns {string[]}
 */
export function criticalPath(open, edges) {
  const ids = new Set(open.map((task) => task.id));
  const before = new Map(open.map((task) => [task.id, /** @type {string[]} */ ([])]));
  for (const edge of edges) if (ids.has(edge.from) && ids.has(edge.to)) before.get(edge.to)?.push(edge.from);
  const depth = depths([...ids], before);
  let last = "";
  for (const [id, value] of depth) if (!last || value > (depth.get(last) ?? 0)) last = id;
  if (!last || !depth.get(last)) return [];
  const path = [last];
  while (depth.get(path[0])) {
    const [at] = path;
    const next = (before.get(at) ?? []).find((id) => depth.get(id) === (depth.get(at) ?? 0) - 1);
    if (!next) break;
    path.unshift(next);
  }
  return path;
}

const ENDED = ["done", "completed", "skipped", "cancelled"];

/**
 * The tasks that become ready when one is completed: those that wait for nothing else.
 * @param {string} id @param {{ from: string, to: string }[]} edges @param {Map<string, any>} tasks
 */
export function released(id, edges, tasks) {
  const waiting = edges.filter((edge) => edge.from === id).map((edge) => edge.to);
  const free = waiting.filter((to) => edges.every((edge) => edge.to !== to || edge.from === id || ENDED.includes(tasks.get(edge.from)?.status)));
  return free.map((to) => tasks.get(to)).filter((task) => task && !ENDED.includes(task.status));
}
