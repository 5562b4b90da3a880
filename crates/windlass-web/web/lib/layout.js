// Places for the nodes and lines of a graph, in layers from left to right.
//
// dagre gives the better picture; it takes seconds beyond a few hundred nodes. Above that each task is one
// layer after the last that it waits for, and layers are ordered by the places of what they wait for.

import { Graph, layout as arrange } from "../vendor/dagre.js";

export const NODE = { width: 190, height: 42 };
const GAP = { x: 56, y: 14 };
const DAGRE_NODES = 250;
const DAGRE_EDGES = 500;

/** @typedef {{ task: any, x: number, y: number }} Node */
/** @typedef {{ from: string, to: string }} Edge */

/** @param {any[]} tasks @param {Edge[]} edges */
export function layout(tasks, edges) {
  const nodes = tasks.length <= DAGRE_NODES && edges.length <= DAGRE_EDGES ? withDagre(tasks, edges) : inLayers(tasks, edges);
  const places = new Map(nodes.map((node) => [node.task.id, node]));
  const lines = edges.map((edge) => ({ ...edge, path: curve(places.get(edge.from), places.get(edge.to)) }));
  const width = Math.max(0, ...nodes.map((node) => node.x + NODE.width)) + 12;
  const height = Math.max(0, ...nodes.map((node) => node.y + NODE.height)) + 12;
  return { nodes, lines, width, height };
}

/** @param {Node | undefined} from @param {Node | undefined} to */
function curve(from, to) {
  if (!from || !to) return "";
  const [x1, y1, x2, y2] = [from.x + NODE.width, from.y + NODE.height / 2, to.x, to.y + NODE.height / 2];
  const bend = Math.max(20, Math.abs(x2 - x1) / 2);
  return `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}

/** @param {any[]} tasks @param {Edge[]} edges @returns {Node[]} */
function withDagre(tasks, edges) {
  const graph = new Graph();
  graph.setGraph({ rankdir: "LR", nodesep: GAP.y, ranksep: GAP.x, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const task of tasks) graph.setNode(task.id, { ...NODE });
  for (const edge of edges) graph.setEdge(edge.from, edge.to);
  arrange(graph);
  return tasks.map((task) => {
    const place = graph.node(task.id);
    return { task, x: place.x - NODE.width / 2, y: place.y - NODE.height / 2 };
  });
}

/** @param {any[]} tasks @param {Edge[]} edges @returns {Node[]} */
function inLayers(tasks, edges) {
  const before = new Map(tasks.map((task) => [task.id, /** @type {string[]} */ ([])]));
  for (const edge of edges) before.get(edge.to)?.push(edge.from);
  const depth = depths(tasks.map((task) => task.id), before);
  /** @type {any[][]} */
  const layers = [];
  for (const task of tasks) (layers[depth.get(task.id) ?? 0] ??= []).push(task);
  /** @type {Map<string, number>} */
  const place = new Map();
  const nodes = [];
  for (const [x, layer] of layers.entries()) {
    const weight = (/** @type {any} */ task) => {
      const list = before.get(task.id) ?? [];
      return list.length ? list.reduce((sum, id) => sum + (place.get(id) ?? 0), 0) / list.length : Infinity;
    };
    const ordered = (layer ?? []).map((task) => ({ task, weight: weight(task) })).sort((one, other) => one.weight - other.weight || one.task.number - other.task.number);
    for (const [y, { task }] of ordered.entries()) {
      place.set(task.id, y);
      nodes.push({ task, x: 8 + x * (NODE.width + GAP.x), y: 8 + y * (NODE.height + GAP.y) });
    }
  }
  return nodes;
}

/** How many tasks are before each, at most, without recursion: chains can be long. @param {string[]} ids @param {Map<string, string[]>} before */
export function depths(ids, before) {
  /** @type {Map<string, number>} */
  const depth = new Map();
  const after = new Map(ids.map((id) => [id, /** @type {string[]} */ ([])]));
  const open = new Map(ids.map((id) => [id, (before.get(id) ?? []).length]));
  for (const [id, list] of before) for (const one of list) after.get(one)?.push(id);
  const queue = ids.filter((id) => !open.get(id));
  for (const id of queue) depth.set(id, 0);
  for (let at = 0; at < queue.length; at++) {
    const id = queue[at];
    for (const next of after.get(id) ?? []) {
      depth.set(next, Math.max(depth.get(next) ?? 0, (depth.get(id) ?? 0) + 1));
      open.set(next, (open.get(next) ?? 1) - 1);
      if (open.get(next) === 0) queue.push(next);
    }
  }
  return depth;
}
