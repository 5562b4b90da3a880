// What the graph shows: tasks with the numbers of those that they wait for. It is read in a worker, which has nothing of the
// page: neither its view library nor its storage.

import { CallError, GoneError } from "./errors.js";

/** @typedef {{ number: number, title: string, status: string, blocked_by: number[] }} GraphTask */

export const ENDED = ["done", "completed", "skipped", "cancelled"];
const PAGE = 100;
const AT_ONCE = 4;

/** @param {string} name @param {unknown} input @param {Record<string, string>} headers */
async function call(name, input, headers) {
  const options = { method: "POST", headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(input) };
  const response = await fetch(`/api/call/${name}`, options).catch(() => {
    throw new GoneError();
  });
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new CallError(response.status, body.error ?? body);
  return body;
}

/** The open tasks, in one call. @param {Record<string, string>} headers @returns {Promise<GraphTask[]>} */
export const readOpen = (headers) => call("board.graph", {}, headers).then((answer) => answer.tasks);

/** All tasks, page by page. @param {Record<string, string>} headers @returns {Promise<GraphTask[]>} */
export async function readAll(headers) {
  const read = (/** @type {number} */ offset) => call("tasks.list", { limit: PAGE, offset }, headers).then((answer) => answer.tasks);
  /** @type {any[]} */
  const all = [];
  for (let offset = 0; ; offset += PAGE * AT_ONCE) {
    const pages = await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => read(offset + index * PAGE)));
    for (const page of pages) all.push(...page);
    if (pages.some((page) => page.length < PAGE)) break;
  }
  const numbers = new Map(all.map((task) => [task.id, task.number]));
  return all.map((task) => ({
    number: task.number,
    title: task.description.split("\n")[0],
    // The same word as on every other page.
    status: task.status === "completed" ? "done" : task.status,
    blocked_by: task.blocked_by.flatMap((/** @type {string} */ id) => numbers.get(id) ?? []),
  }));
}

/**
 * The part of the tasks that is asked for, and the lines between them.
 * @param {GraphTask[]} tasks @param {{ text: string, ended: boolean, alone: boolean }} filter
 */
export function chosenPart(tasks, { text, ended, alone }) {
  const known = new Set(tasks.map((task) => task.number));
  const linked = new Set(tasks.flatMap((task) => task.blocked_by.flatMap((number) => (known.has(number) ? [number, task.number] : []))));
  const fits = (/** @type {GraphTask} */ task) => !text || `#${task.number} ${task.title} ${task.status.replaceAll("_", " ")}`.toLowerCase().includes(text);
  const shown = tasks.filter((task) => (ended || !ENDED.includes(task.status)) && (alone || linked.has(task.number)) && fits(task));
  const kept = new Set(shown.map((task) => task.number));
  const edges = shown.flatMap((task) => task.blocked_by.filter((number) => kept.has(number)).map((number) => ({ from: number, to: task.number })));
  return { shown, edges };
}

/**
 * The tasks that become ready when one is completed: those that wait for nothing else.
 * @param {number} number @param {GraphTask[]} tasks
 */
export function released(number, tasks) {
  const ended = new Set(tasks.filter((task) => ENDED.includes(task.status)).map((task) => task.number));
  const open = (/** @type {GraphTask} */ task) => !ENDED.includes(task.status) && task.blocked_by.includes(number);
  return tasks.filter((task) => open(task) && task.blocked_by.every((one) => one === number || ended.has(one)));
}
