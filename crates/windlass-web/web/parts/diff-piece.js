// Some lines of a changed file. A piece is drawn again only if something in it changes, and only laid out in sight.

import { Component, html } from "../lib/html.js";
import { highlight } from "../lib/highlight.js";
import { isAt, numberOn } from "../lib/lines.js";
import { CommentForm, Conversation, conversations } from "./comment.js";

/** @typedef {import("../lib/lines.js").Range} Range */
/** @typedef {import("../lib/diff.js").Line & { fresh: boolean }} PieceLine */
/** `first`: the place of its first line in the file. @typedef {{ head: string, first: number, lines: PieceLine[] }} Piece */
/** @typedef {{ piece: Piece, path: string, review: string, comments: any[], open: boolean, can: boolean, cursor: number, range: Range | null, asking: boolean, pick: (side: import("../lib/lines.js").Side, line: number, extend: boolean) => void, close: () => void }} Props */

/** @param {PieceLine} line @param {Range | null} range */
function isIn(line, range) {
  const at = range ? numberOn(line, range.side) : undefined;
  return range !== null && at !== undefined && at >= range.from && at <= range.to;
}

export class DiffPiece extends Component {
  /** @param {Props} next */
  shouldComponentUpdate(next) {
    const now = /** @type {Props} */ (/** @type {any} */ (this).props);
    if (["piece", "path", "comments", "open", "can", "cursor"].some((name) => /** @type {any} */ (now)[name] !== /** @type {any} */ (next)[name])) return true;
    if (now.range === next.range && now.asking === next.asking) return false;
    return next.piece.lines.some((line) => isIn(line, now.range) || isIn(line, next.range));
  }

  render() {
    const { piece, path, comments, cursor, range, asking, open, can, pick, close, review } = /** @type {Props} */ (/** @type {any} */ (this).props);
    const below = (/** @type {PieceLine} */ line) => {
      const own = comments.filter((comment) => isAt(line, comment.side, comment.line_end ?? comment.line_start));
      const asked = asking && range && isAt(line, range.side, range.to) ? range : null;
      if (!own.length && !asked) return null;
      const where = asked && (asked.from === asked.to ? `line ${asked.from}` : `lines ${asked.from} to ${asked.to}`);
      return html`<tr class="talk"><td colspan="3">${conversations(own).map((list) => html`<${Conversation} key=${list[0].id} comments=${list} open=${open} />`)}
        ${asked && html`<${CommentForm} review=${review} label="Comment" where=${`Comment on ${where}, ${asked.side === "left" ? "before the change" : "after the change"}`}
          about=${{ file_path: path, line_start: asked.from, line_end: asked.to, side: asked.side }} close=${close} />`}</td></tr>`;
    };
    return html`<table class="diff" style=${{ containIntrinsicSize: `auto ${piece.lines.length * 18.75}px` }}><caption class="sr">Change of ${path}</caption><colgroup><col class="no" /><col class="no" /><col /></colgroup><tbody>
      ${piece.head && html`<tr class="hunk"><td colspan="3">${piece.head}</td></tr>`}
      ${piece.lines.map((line, index) => html`<${LineView} line=${line} path=${path} chosen=${isIn(line, range)} cursor=${index === cursor} pick=${pick} can=${can} />${below(line)}`)}</tbody></table>`;
  }
}

/** The text of a line; the part of it that differs from the line that it replaces is marked. @param {PieceLine} line @param {string} path */
function text(line, path) {
  if (!line.part) return highlight(line.text, path);
  const [from, to] = line.part;
  return html`${highlight(line.text.slice(0, from), path)}<mark>${highlight(line.text.slice(from, to), path)}</mark>${highlight(line.text.slice(to), path)}`;
}

/** @param {{ line: PieceLine, path: string, chosen: boolean, cursor: boolean, pick: Props["pick"], can: boolean }} props */
function LineView({ line, path, chosen, cursor, pick, can }) {
  const cell = (/** @type {import("../lib/lines.js").Side} */ side, /** @type {number | undefined} */ at) => html`<td class="no">${at === undefined ? "" : can
    ? html`<button tabindex="-1" aria-label=${`Comment on line ${at}, ${side === "left" ? "before" : "after"}`} onClick=${(/** @type {MouseEvent} */ event) => pick(side, at, event.shiftKey)}>${at}</button>` : at}</td>`;
  const kind = [line.kind, chosen && "chosen", cursor && "cursor", line.fresh && "fresh"].filter(Boolean).join(" ");
  return html`<tr class=${kind} title=${line.fresh ? "New since you looked" : undefined}>${cell("left", line.left)}${cell("right", line.right)}<td class="text">${line.kind === "note" ? html`<em>${line.text}</em>` : text(line, path)}</td></tr>`;
}
