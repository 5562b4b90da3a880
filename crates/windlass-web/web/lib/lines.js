// Lines of a diff that the keyboard has reached, and those that a comment is about.

import { useRef, useState } from "./html.js";

/** @typedef {"left" | "right"} Side */
/** @typedef {{ side: Side, from: number, to: number }} Range */

/** The number of a line on a side. @param {import("./diff.js").Line} line @param {Side} side */
export const numberOn = (line, side) => (side === "left" ? line.left : line.right);

/** Whether a comment on a number of a side belongs below a line: lines that stayed are on both sides. @param {import("./diff.js").Line} line @param {string | undefined} side @param {number | undefined} at */
export const isAt = (line, side, at) => at !== undefined && at !== null && numberOn(line, side === "left" ? "left" : "right") === at && line.kind !== (side === "left" ? "add" : "del");

/** @param {import("./diff.js").Line} line */
const sideOf = (line) => (line.kind === "del" ? "left" : "right");

/**
 * The line of the keyboard and the chosen range of one file. `pick` and `close` stay the same, so that parts of
 * a long file need not be drawn again for them.
 * @param {import("./diff.js").Line[]} lines @param {boolean} can whether comments can be made
 */
export function useLines(lines, can) {
  const [cursor, setCursor] = useState(-1);
  const [range, setRange] = useState(/** @type {Range | null} */ (null));
  const [asking, setAsking] = useState(false);
  const now = useRef({ range, can });
  now.current = { range, can };
  /** @param {Side} side @param {number} begin @param {number} end */
  const extended = (side, begin, end) => {
    const before = now.current.range?.side === side ? now.current.range : { from: begin, to: begin };
    return { side, from: Math.min(before.from, end), to: Math.max(before.to, end) };
  };
  const { current: stable } = useRef({
    pick: (/** @type {Side} */ side, /** @type {number} */ line, /** @type {boolean} */ extend) => {
      if (!now.current.can) return;
      setRange(extend ? extended(side, line, line) : { side, from: line, to: line });
      setAsking(true);
    },
    close: () => {
      setRange(null);
      setAsking(false);
    },
  });
  const move = (/** @type {number} */ by, /** @type {boolean} */ extend) => {
    const here = lines[cursor];
    const next = Math.max(0, Math.min(lines.length - 1, cursor + by));
    setCursor(next);
    if (!extend) return stable.close();
    const side = here ? sideOf(here) : "right";
    const [begin, end] = [here && numberOn(here, side), numberOn(lines[next], side)];
    if (begin !== undefined && end !== undefined) setRange(extended(side, begin, end));
  };
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    const here = lines[cursor];
    if (event.key === "ArrowDown") move(1, event.shiftKey);
    else if (event.key === "ArrowUp") move(-1, event.shiftKey);
    else if (event.key === "Enter" && here && can && event.target === event.currentTarget) {
      const at = numberOn(here, sideOf(here));
      if (!range && at !== undefined) setRange({ side: sideOf(here), from: at, to: at });
      setAsking(true);
    } else if (event.key === "Escape") stable.close();
    else return;
    event.preventDefault();
  };
  return { cursor, range, asking, onKey, ...stable };
}
