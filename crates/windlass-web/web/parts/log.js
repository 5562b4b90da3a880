// Output of a program, which may still grow. It stays at the end unless one scrolls up.

import { html, useLayoutEffect, useRef } from "../lib/html.js";
import { ansi } from "../lib/ansi.js";

/** More would make the page slow; the command line has all of it. */
const LONGEST = 400_000;

/** @param {{ text: string, live?: boolean, label?: string }} props */
export function Log({ text, live, label = "Output" }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const atEnd = useRef(true);
  useLayoutEffect(() => {
    if (box.current && atEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [text]);
  const cut = text.length > LONGEST;
  return html`<pre class="log" ref=${box} tabindex="0" aria-label=${label} role="log" onScroll=${(/** @type {any} */ event) => (atEnd.current = event.target.scrollHeight - event.target.scrollTop - event.target.clientHeight < 30)}>${cut ? "… only the end is shown\n" : ""}${ansi(cut ? text.slice(-LONGEST) : text)}${!text && html`<span class="ansi-dim">${live ? "No output yet" : "No output"}</span>`}</pre>`;
}
