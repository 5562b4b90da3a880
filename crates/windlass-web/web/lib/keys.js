// Keys. A page adds its own while it is shown; sequences such as "g b" are two keys.

import { useLayoutEffect, useRef } from "./html.js";

/** @typedef {{ keys: string, does: string, run: (event: KeyboardEvent) => void }} Key */
/** @type {Set<{ current: Key[] }>} */
const sets = new Set();
let first = "";
let firstAt = 0;

/** All keys that work now. */
export const activeKeys = () => [...sets].flatMap((set) => set.current);

/** The keys of a component, as it was drawn last. They work as soon as it can be seen. @param {Key[]} keys */
export function useKeys(keys) {
  const own = useRef(keys);
  own.current = keys;
  useLayoutEffect(() => {
    sets.add(own);
    return () => void sets.delete(own);
  }, []);
}

/** @param {EventTarget | null} target */
function typing(target) {
  const element = /** @type {HTMLElement | null} */ (target);
  return Boolean(element?.closest?.("input, textarea, select, [contenteditable]"));
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (typing(event.target)) {
    if (event.key === "Escape") /** @type {HTMLElement} */ (event.target).blur();
    return;
  }
  const both = Date.now() - firstAt < 1500 ? `${first} ${event.key}` : "";
  // The newest set first: a dialog is stronger than the page below it.
  const all = [...sets].reverse().flatMap((set) => set.current);
  const found = all.find((key) => key.keys === both) ?? all.find((key) => key.keys === event.key);
  first = event.key;
  firstAt = Date.now();
  if (found) {
    event.preventDefault();
    first = "";
    found.run(event);
  }
});
