// Places for the tasks of a graph, in layers from left to right.
//
// ELK (elk.js) gives the better picture and takes seconds for thousands of tasks. Until it is there, and where it takes too
// long, each task is one layer after the last that it waits for, and layers are ordered by the places of what they wait for.

import { NODE } from "./graph-shapes.js";

const GAP = { x: 56, y: 14 };

/** @typedef {{ number: number, x: number, y: number }} Place */
/** @typedef {{ from: number, to: number }} Edge */

/** Numbers with a line to another, and those without. @param {number[]} numbers @param {Edge[]} edges @returns {[number[], number[]]} */
export function byLines(numbers, edges) {
  const linked = new Set(edges.flatMap((edge) => [edge.from, edge.to]));
  return [numbers.filter((number) => linked.has(number)), numbers.filter((number) => !linked.has(number))];
}

/** What has no lines would be one endless column: it is put below the rest, in rows. @param {Place[]} places @param {number[]} alone @returns {Place[]} */
export function withAlone(places, alone) {
  const [stepX, stepY] = [NODE.width + GAP.x, NODE.height + GAP.y];
  const columns = Math.max(4, Math.ceil(Math.sqrt((alone.length * stepY) / stepX)));
  const top = places.length ? places.reduce((most, place) => Math.max(most, place.y), 0) + stepY + GAP.x / 2 : 8;
  return [...places, ...alone.map((number, index) => ({ number, x: 8 + (index % columns) * stepX, y: top + Math.floor(index / columns) * stepY }))];
}

/** @param {number[]} numbers @param {Edge[]} edges @returns {Place[]} */
export function inLayers(numbers, edges) {
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
  return places;
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
