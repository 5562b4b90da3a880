// The row of a list that the keys j and k have reached.

import { useState } from "./html.js";

/** @param {number} total */
export function useFocus(total) {
  const [focus, setFocus] = useState(-1);
  return { focus, step: (/** @type {number} */ by) => setFocus(Math.max(0, Math.min(total - 1, focus + by))) };
}

/** Whether the page is as narrow as a phone, where rows have two lines. */
export const isNarrow = () => matchMedia("(max-width: 48rem)").matches;
