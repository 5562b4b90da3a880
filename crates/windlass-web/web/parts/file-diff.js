// One file of a change, with comments on its lines. A click on a line number begins a comment; a click with
// shift on another one of the same side extends it. With the keyboard: the arrows, shift and the arrows, Enter.

import { html, useEffect, useMemo, useRef, useState } from "../lib/html.js";
import { mayWrite } from "../lib/api.js";
import { withChanges } from "../lib/diff.js";
import { isAt, useLines } from "../lib/lines.js";
import { CommentForm, Conversation, conversations } from "./comment.js";
import { DiffPiece } from "./diff-piece.js";

/** Longer files are shown when asked for, and then a part at a time, so that the page never stands still. */
const MANY_LINES = 600;
const PIECE = 80;

/** @typedef {import("../lib/diff.js").Line} Line */
/** @typedef {import("./diff-piece.js").Piece} Piece */

/** The lines of a file in pieces that are drawn one by one. @param {import("../lib/diff.js").FileDiff} file @param {((line: Line) => boolean) | undefined} isNew @returns {Piece[]} */
function piecesOf(file, isNew) {
  /** @type {Piece[]} */
  const pieces = [];
  let first = 0;
  for (const hunk of file.hunks) {
    const lines = withChanges(hunk.lines).map((line) => ({ ...line, fresh: isNew?.(line) ?? false }));
    for (let at = 0; at < lines.length; at += PIECE) pieces.push({ head: at ? "" : hunk.head, first: first + at, lines: lines.slice(at, at + PIECE) });
    first += lines.length;
  }
  return pieces;
}

/** How many pieces exist: all of a short file at once, a long one frame by frame. @param {number} pieces @param {boolean} long @param {boolean} wanted */
function useGrowing(pieces, long, wanted) {
  const [count, setCount] = useState(0);
  useEffect(() => {
    if (!long || !wanted || count >= pieces) return;
    const frame = requestAnimationFrame(() => setCount(count + 1));
    return () => cancelAnimationFrame(frame);
  }, [long, wanted, count, pieces]);
  // Paper has no button to press.
  useEffect(() => {
    const all = () => setCount(Infinity);
    addEventListener("beforeprint", all);
    return () => removeEventListener("beforeprint", all);
  }, []);
  return long ? Math.min(count, pieces) : pieces;
}

/** Why a file has no lines to show. @param {import("../lib/diff.js").FileDiff} file */
function emptyReason(file) {
  if (file.note) return file.note;
  if (file.status === "renamed") return "Moved without a change of its content.";
  if (file.modes.length) return "Only the mode has changed.";
  return "The file is empty.";
}

/** @param {{ file: import("../lib/diff.js").FileDiff, review: any, comments: any[], earlier: any[], viewed: boolean, changed: boolean, isNew?: (line: Line) => boolean, toggle: () => void, open: boolean }} props */
export function FileDiffView({ file, review, comments, earlier, viewed, changed, isNew, toggle, open }) {
  const pieces = useMemo(() => piecesOf(file, isNew), [file, changed]);
  const lines = useMemo(() => pieces.flatMap((piece) => piece.lines), [pieces]);
  const [wanted, setWanted] = useState(false);
  const [about, setAbout] = useState(false);
  const shown = useGrowing(pieces.length, lines.length > MANY_LINES, wanted);
  const can = open && mayWrite();
  const { cursor, range, asking, pick, close, onKey } = useLines(lines, can);
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => box.current?.querySelector(".cursor")?.scrollIntoView({ block: "nearest" }), [cursor]);
  // What is about the file, or about lines that are not in the change, would not be seen below any line.
  const said = comments.map((comment) => `${comment.id} ${comment.resolved_at ?? ""}`).join();
  const below = useMemo(() => new Map(pieces.map((piece) => [piece, comments.filter((comment) => piece.lines.some((line) => isAt(line, comment.side, comment.line_end ?? comment.line_start)))])), [pieces, said]);
  const placed = new Set([...below.values()].flat());
  const unplaced = conversations([...earlier, ...comments.filter((comment) => !placed.has(comment))]);
  return html`<article class="filediff" id=${"file:" + file.path} aria-label=${file.path}>
    <header><button class="quiet" aria-expanded=${!viewed} aria-label=${viewed ? `Show ${file.path}` : `Hide ${file.path}`} onClick=${toggle}>${viewed ? "▸" : "▾"}</button>
      <span class="mono path">${file.from && file.from !== file.path ? html`<span class="dim">${file.from} → </span>` : ""}${file.path}</span> ${file.status !== "changed" && html`<span class="dim">${file.status}</span>`}
      ${file.modes.length === 2 && html`<span class="dim">mode ${file.modes.join(" → ")}</span>`}
      ${changed && html`<span class="badge warn">changed since you looked</span>`}
      <span class="grow"></span><span class="plus">+${file.added}</span> <span class="minus">−${file.removed}</span>
      ${can && html`<button class="quiet small wide-only" aria-label=${`Comment on ${file.path}`} onClick=${() => setAbout(true)}>Comment</button>`}
      <label class="line"><input type="checkbox" checked=${viewed} onChange=${toggle} /> looked at</label></header>
    ${!viewed && html`
      ${(unplaced.length > 0 || about) && html`<div class="pad talk">${unplaced.map((list) => html`<${Conversation} key=${list[0].id} comments=${list} open=${open && list[0].review_id === review.id} from=${list[0].review_id === review.id ? undefined : "from the review before"} />`)}
        ${about && html`<${CommentForm} review=${review.id} about=${{ file_path: file.path }} label="Comment" where=${`Comment on ${file.path}`} close=${() => setAbout(false)} />`}</div>`}
      ${!lines.length && html`<p class="dim pad">${emptyReason(file)}</p>`}
      ${shown > 0 && html`<div class="lines" ref=${box} tabindex="0" role="group" aria-label=${`Lines of ${file.path}`} onKeyDown=${onKey}>
        ${pieces.slice(0, shown).map((piece) => html`<${DiffPiece} key=${piece.first} piece=${piece} path=${file.path} review=${review.id} comments=${below.get(piece)} open=${open} can=${can} pick=${pick} close=${close}
          cursor=${cursor >= piece.first && cursor < piece.first + piece.lines.length ? cursor - piece.first : -1} range=${range} asking=${asking} />`)}</div>`}
      ${shown < pieces.length && html`<p class="pad"><button disabled=${wanted} onClick=${() => setWanted(true)}>${wanted ? `Showing ${lines.length} lines …` : `Show ${lines.length} lines`}</button></p>`}`}
  </article>`;
}
