// The row of a list that the keys j and k have reached.

import { useState } from "./html.js";
import { useKeys } from "./keys.js";

/** @param {number} total */
export function useFocus(total) {
  const [focus, setFocus] = useState(-1);
  return { focus, step: (/** @type {number} */ by) => setFocus(Math.max(0, Math.min(total - 1, focus + by))) };
}

/** The keys of a list: returns which row has the class `focused`. @param {number} total */
export function useListKeys(total) {
  const { focus, step } = useFocus(total);
  useKeys([
    { keys: "j", does: "Next entry", run: () => step(1) },
    { keys: "k", does: "Entry before", run: () => step(-1) },
    { keys: "o", does: "Open the entry", run: () => /** @type {HTMLElement | null} */ (document.querySelector("main a.focused, main .focused a"))?.click() },
  ]);
  return focus;
}

/** Moves the focus of the page among entries that differ in height. @param {string} entries a selector @param {number} by */
export function stepAmong(entries, by) {
  const all = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(entries)]);
  const at = all.findIndex((entry) => entry.contains(document.activeElement));
  const next = all[Math.max(0, Math.min(all.length - 1, at + by))];
  const focusable = next?.matches("a, button") ? next : next?.querySelector("a, button, summary, textarea");
  /** @type {HTMLElement | null} */ (focusable)?.focus();
}

/** Whether the page is as narrow as a phone, where rows have two lines. */
export const isNarrow = () => matchMedia("(max-width: 48rem)").matches;
