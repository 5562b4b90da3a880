// A list of which only the visible part exists: rows of one height, fetched page by page as they are needed.

import { html, useEffect, useLayoutEffect, useRef, useState } from "../lib/html.js";
import { read as ask } from "../lib/api.js";
import { onNews, retry } from "../lib/live.js";

const PAGE = 100;
const OVERSCAN = 6;
const PAUSE = 40;

/**
 * The rows of a paged call, kept up to date. `rows` finds them in an answer, `total` how many there are; `concerns` says
 * whether an event of the kinds in `on` can change them.
 * @param {string} name @param {any} input
 * @param {{ rows: (answer: any) => any[], on: string[], total?: (answer: any) => number, concerns?: (event: import("../lib/live.js").Change) => boolean }} options
 */
export function usePages(name, input, { rows, on, total = (answer) => answer.total, concerns = () => true }) {
  const key = name + JSON.stringify(input);
  const [, redraw] = useState(0);
  const store = useRef({ key: "", pages: new Map(), total: -1, error: /** @type {any} */ (null), busy: /** @type {Map<number, Promise<void>>} */ (new Map()), stale: new Set(), timer: 0 });
  if (store.current.key !== key) {
    // Until the first answer the old rows would be wrong, so there are none.
    store.current = { key, pages: new Map(), total: -1, error: null, busy: new Map(), stale: new Set(), timer: 0 };
  }
  const own = store.current;
  const read = async (/** @type {number} */ page) => {
    // Again and again while it changes meanwhile; a reading that waited for the next would keep all of them.
    do {
      own.stale.delete(page);
      try {
        const answer = await ask(name, { ...input, limit: PAGE, offset: page * PAGE });
        own.pages.set(page, rows(answer));
        own.total = total(answer);
        own.error = null;
      } catch (error) {
        own.error = error;
        retry(error, () => store.current === own && void load(page));
      }
      if (store.current === own) redraw((count) => count + 1);
    } while (own.stale.has(page) && store.current === own);
  };
  /** Reads a page, once more if it is being read now. Whoever waits for it has what is true afterwards. */
  const load = (/** @type {number} */ page) => {
    const running = own.busy.get(page);
    if (running) {
      own.stale.add(page);
      return running;
    }
    const begun = read(page).finally(() => own.busy.delete(page));
    own.busy.set(page, begun);
    return begun;
  };
  useEffect(() => {
    void load(0);
    return onNews((news) => {
      if (!news.all && !news.events.some((event) => on.some((prefix) => event.kind.startsWith(prefix)) && concerns(event))) return;
      // What is not on the screen is read again when it is.
      const shown = [...own.pages.keys()];
      for (const page of shown) own.stale.add(page);
      void load(shown.length === 1 ? shown[0] : 0);
      redraw((count) => count + 1);
    });
  }, [key]);
  return {
    total: own.total,
    error: own.error,
    loading: own.total < 0 && !own.error,
    again: () => load(0),
    /** The row at a place; undefined until it was read. @param {number} index */
    at: (index) => own.pages.get(Math.floor(index / PAGE))?.[index % PAGE],
    /** Reads what a part of the list needs, once the scrolling pauses: what flies by is not read. @param {number} from @param {number} to */
    need: (from, to) => {
      clearTimeout(own.timer);
      /** @type {number[]} */
      const pages = [];
      for (let page = Math.floor(from / PAGE); page <= Math.floor(Math.max(from, to - 1) / PAGE); page++) {
        if (!own.pages.has(page) || own.stale.has(page)) pages.push(page);
      }
      if (pages.length) own.timer = setTimeout(() => pages.forEach((page) => void load(page)), PAUSE);
    },
    known: () => [...own.pages.entries()].sort((one, other) => one[0] - other[0]).flatMap(([, list]) => list),
  };
}

/**
 * @param {{ count: number, height: number, row: (index: number) => any, need?: (from: number, to: number) => void,
 *   label: string, class?: string, focus?: number, role?: string, anchored?: boolean }} props `anchored`: new rows come in at the top, and what one reads stays where it is
 */
export function WindowList({ count, height, row, need, label, class: kind = "", focus = -1, role = "list", anchored = false }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const [range, setRange] = useState({ from: 0, to: 30 });
  const measure = () => {
    const element = box.current;
    if (!element) return;
    const from = Math.max(0, Math.floor(element.scrollTop / height) - OVERSCAN);
    const to = Math.min(count, Math.ceil((element.scrollTop + element.clientHeight) / height) + OVERSCAN);
    setRange((old) => (old.from === from && old.to === to ? old : { from, to }));
  };
  const before = useRef(count);
  useLayoutEffect(() => {
    const more = count - before.current;
    before.current = count;
    if (anchored && more > 0 && box.current && box.current.scrollTop > height) box.current.scrollTop += more * height;
    measure();
    const observer = new ResizeObserver(measure);
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, [count]);
  const to = Math.min(range.to, count);
  useEffect(() => {
    if (count > 0) need?.(range.from, to);
  });
  useEffect(() => {
    const element = box.current;
    if (!element || focus < 0) return;
    const top = focus * height;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + height > element.scrollTop + element.clientHeight) element.scrollTop = top + height - element.clientHeight;
  }, [focus]);
  const rows = [];
  for (let index = range.from; index < to; index++) {
    rows.push(html`<div class="window-row" key=${index} role=${role === "list" ? "listitem" : undefined} style=${{ top: `${index * height}px`, height: `${height}px` }}>${row(index)}</div>`);
  }
  return html`<div class=${"window " + kind} ref=${box} onScroll=${measure} role=${role} aria-label=${label} tabindex="0">
    <div class="window-inner" style=${{ height: `${count * height}px` }}>${rows}</div>
  </div>`;
}
