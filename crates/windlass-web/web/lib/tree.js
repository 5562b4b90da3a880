// The tree of tasks as rows: each level is read when it is opened, page by page.

import { read } from "./api.js";
import { onNews, retry } from "./live.js";
import { useEffect, useRef, useState } from "./html.js";

const PAGE = 100;
const PAUSE = 40;
const ON = ["task.", "entity.", "relation.", "review.", "help."];

/** Levels are opened by themselves while the tree is short. */
const SHORT = 200;

/** @typedef {{ total: number, pages: Map<number, any[]>, stale: Set<number>, busy: Set<number>, error: any }} Level */
/** A row: the place of a task within its level. @typedef {{ parent: number, index: number, depth: number }} Row */

/** @param {boolean} open only tasks that have not ended */
export function useTree(open) {
  const [, redraw] = useState(0);
  const own = useRef({ open, levels: /** @type {Map<number, Level>} */ (new Map()), opened: /** @type {Map<number, boolean>} */ (new Map()), timer: 0 });
  if (own.current.open !== open) own.current = { ...own.current, open, levels: new Map() };
  const tree = own.current;
  const draw = () => own.current === tree && redraw((count) => count + 1);

  const levelOf = (/** @type {number} */ parent) => {
    let level = tree.levels.get(parent);
    if (!level) tree.levels.set(parent, (level = { total: -1, pages: new Map(), stale: new Set(), busy: new Set(), error: null }));
    return level;
  };
  const load = async (/** @type {number} */ parent, /** @type {number} */ page) => {
    const level = levelOf(parent);
    if (level.busy.has(page)) return void level.stale.add(page);
    level.busy.add(page);
    level.stale.delete(page);
    try {
      const answer = await read("board.tree", { ...(parent && { parent: String(parent) }), open, limit: PAGE, offset: page * PAGE });
      level.pages.set(page, answer.tasks);
      level.total = answer.total;
      level.error = null;
    } catch (error) {
      level.error = error;
      retry(error, () => own.current === tree && void load(parent, page));
    }
    level.busy.delete(page);
    draw();
    if (level.stale.has(page)) void load(parent, page);
  };
  /** Whether the parts of a task are shown: as one chose, or while the tree is short. @param {any} task @param {number} length */
  const isOpen = (task, length) => task.parts > 0 && (tree.opened.get(task.number) ?? task.parts + length < SHORT);

  /** @type {Row[]} */
  const rows = [];
  const add = (/** @type {number} */ parent, /** @type {number} */ depth) => {
    const level = levelOf(parent);
    for (let index = 0; index < level.total; index++) {
      rows.push({ parent, index, depth });
      const task = level.pages.get(Math.floor(index / PAGE))?.[index % PAGE];
      if (task && depth < 8 && isOpen(task, rows.length)) add(task.number, depth + 1);
    }
    // A level that was opened and not read yet has one row that says so.
    if (level.total < 0 && depth > 0) rows.push({ parent, index: -1, depth });
  };
  add(0, 0);
  const missing = [...tree.levels].filter(([, level]) => level.total < 0 && !level.busy.size && !level.error).map(([parent]) => parent);
  useEffect(() => missing.forEach((parent) => void load(parent, 0)));
  useEffect(() => {
    return onNews((news) => {
      if (!news.all && !news.events.some((event) => ON.some((prefix) => event.kind.startsWith(prefix)))) return;
      for (const level of tree.levels.values()) for (const page of level.pages.keys()) level.stale.add(page);
      void load(0, 0);
    });
  }, [tree]);

  const at = (/** @type {number} */ index) => {
    const row = rows[index];
    return row && tree.levels.get(row.parent)?.pages.get(Math.floor(row.index / PAGE))?.[row.index % PAGE];
  };
  const top = levelOf(0);
  return {
    total: top.total,
    count: rows.length,
    error: top.error,
    again: () => void load(0, 0),
    at,
    depth: (/** @type {number} */ index) => rows[index]?.depth ?? 0,
    isOpen: (/** @type {number} */ index) => (rows[index + 1]?.depth ?? 0) > (rows[index]?.depth ?? 0),
    toggle: (/** @type {any} */ task, /** @type {boolean} */ shown) => {
      tree.opened.set(task.number, !shown);
      draw();
    },
    /** Reads what is in sight and missing or old, once the scrolling pauses. @param {number} from @param {number} to */
    need: (from, to) => {
      clearTimeout(tree.timer);
      const wanted = new Set();
      for (const row of rows.slice(from, to)) {
        const page = Math.max(0, Math.floor(row.index / PAGE));
        const level = levelOf(row.parent);
        if (!level.busy.has(page) && (!level.pages.has(page) || level.stale.has(page))) wanted.add(`${row.parent} ${page}`);
      }
      if (wanted.size) tree.timer = setTimeout(() => wanted.forEach((place) => void load(Number(place.split(" ")[0]), Number(place.split(" ")[1]))), PAUSE);
    },
  };
}
