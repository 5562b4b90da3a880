// Places for the nodes and lines of a graph, in layers from left to right.
//
// dagre gives the better picture; it takes seconds beyond a few hundred nodes. Above that each task is one
// layer after the last that it waits for, and layers are ordered by the places of what they wait for.
// Both run in a worker (layout-worker.js), so that the page never waits for them.

import { Graph, layout as arrange } from "../vendor/dagre.js";
import { NODE } from "./node-size.js";

const GAP = { x: 56, y: 14 };
const DAGRE_NODES = 250;
const DAGRE_EDGES = 500;

/** @typedef {{ number: number, x: number, y: number }} Place */
/** @typedef {{ from: number, to: number }} Edge */
/** @typedef {{ places: Place[], lines: (Edge & { path: string })[], width: number, height: number }} Picture */

/** Whether the better layout is worth its time. @param {number[]} numbers @param {Edge[]} edges */
export const isSmall = (numbers, edges) => numbers.length <= DAGRE_NODES && edges.length <= DAGRE_EDGES;

/** Numbers with a line to another, and those without. @param {number[]} numbers @param {Edge[]} edges @returns {[number[], number[]]} */
function byLines(numbers, edges) {
  const linked = new Set(edges.flatMap((edge) => [edge.from, edge.to]));
  return [numbers.filter((number) => linked.has(number)), numbers.filter((number) => !linked.has(number))];
}

/** What has no lines would be one endless column: it is put below the rest, in rows. @param {Place[]} places @param {number[]} alone */
function addAlone(places, alone) {
  const [stepX, stepY] = [NODE.width + GAP.x, NODE.height + GAP.y];
  const columns = Math.max(4, Math.ceil(Math.sqrt((alone.length * stepY) / stepX)));
  const top = places.length ? places.reduce((most, place) => Math.max(most, place.y), 0) + stepY + GAP.x / 2 : 8;
  for (const [index, number] of alone.entries()) places.push({ number, x: 8 + (index % columns) * stepX, y: top + Math.floor(index / columns) * stepY });
}

/** @param {Place[]} places @param {Edge[]} edges @returns {Picture} */
function picture(places, edges) {
  const known = new Map(places.map((place) => [place.number, place]));
  const lines = edges.map((edge) => ({ ...edge, path: curve(known.get(edge.from), known.get(edge.to)) }));
  const most = (/** @type {(place: Place) => number} */ of) => places.reduce((sum, place) => Math.max(sum, of(place)), 0);
  return { places, lines, width: most((place) => place.x + NODE.width) + 12, height: most((place) => place.y + NODE.height) + 12 };
}

/** @param {Place | undefined} from @param {Place | undefined} to */
function curve(from, to) {
  if (!from || !to) return "";
  const [x1, y1, x2, y2] = [from.x + NODE.width, from.y + NODE.height / 2, to.x, to.y + NODE.height / 2];
  const bend = Math.max(20, Math.abs(x2 - x1) / 2);
  return `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}

/** @param {number[]} all @param {Edge[]} edges @returns {Picture} */
export function withDagre(all, edges) {
  const [numbers, alone] = byLines(all, edges);
  const graph = new Graph();
  graph.setGraph({ rankdir: "LR", nodesep: GAP.y, ranksep: GAP.x, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const number of numbers) graph.setNode(String(number), { ...NODE });
  for (const edge of edges) graph.setEdge(String(edge.from), String(edge.to));
  arrange(graph);
  const places = numbers.map((number) => {
    const place = graph.node(String(number));
    return { number, x: place.x - NODE.width / 2, y: place.y - NODE.height / 2 };
  });
  addAlone(places, alone);
  return picture(places, edges);
}

/** @param {number[]} all @param {Edge[]} edges @returns {Picture} */
export function inLayers(all, edges) {
  const [numbers, alone] = byLines(all, edges);
  const before = new Map(numbers.map((number) => [number, /** @type {number[]} */ ([])]));
  for (const edge of edges) before.get(edge.to)?.push(edge.from);
  const depth = depths(numbers, before);
  /** @type {number[][]} */
  const layers = [];
  for (const number of numbers) (layers[depth.get(number) ?? 0] ??= []).push(number);
  /** @type {Map<number, number>} */
  const row = new Map();
  const places = [];
  for (const [x, layer] of layers.entries()) {
    const weight = (/** @type {number} */ number) => {
      const list = before.get(number) ?? [];
      return list.length ? list.reduce((sum, one) => sum + (row.get(one) ?? 0), 0) / list.length : Infinity;
    };
    const ordered = (layer ?? []).map((number) => ({ number, weight: weight(number) })).sort((one, other) => (one.weight === other.weight ? one.number - other.number : one.weight - other.weight));
    for (const [y, { number }] of ordered.entries()) {
      row.set(number, y);
      places.push({ number, x: 8 + x * (NODE.width + GAP.x), y: 8 + y * (NODE.height + GAP.y) });
    }
  }
  addAlone(places, alone);
  return picture(places, edges);
}

/** How many tasks are before each, at most, without recursion: chains can be long. @param {number[]} numbers @param {Map<number, number[]>} before */
export function depths(numbers, before) {
  /** @type {Map<number, number>} */
  const depth = new Map();
  const after = new Map(numbers.map((number) => [number, /** @type {number[]} */ ([])]));
  const open = new Map(numbers.map((number) => [number, (before.get(number) ?? []).length]));
  for (const [number, list] of before) for (const one of list) after.get(one)?.push(number);
  const queue = numbers.filter((number) => !open.get(number));
  for (const number of queue) depth.set(number, 0);
  for (let at = 0; at < queue.length; at++) {
    const number = queue[at];
    for (const next of after.get(number) ?? []) {
      depth.set(next, Math.max(depth.get(next) ?? 0, (depth.get(number) ?? 0) + 1));
      open.set(next, (open.get(next) ?? 1) - 1);
      if (open.get(next) === 0) queue.push(next);
    }
  }
  return depth;
}
