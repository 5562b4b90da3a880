// One file of a change, with comments on its lines. A click on a line number begins a comment; a click with
// shift on another one of the same side extends it.

import { html, useState } from "../lib/html.js";
import { api, mayWrite } from "../lib/api.js";
import { highlight } from "../lib/highlight.js";
import { attempt } from "../lib/toast.js";
import { CommentView } from "./comment.js";

/** Longer files are shown when asked for. */
const MANY_LINES = 600;

/** @typedef {{ side: "left" | "right", from: number, to: number }} Range */

/** @param {{ file: import("../lib/diff.js").FileDiff, review: any, comments: any[], viewed: boolean, toggle: () => void, open: boolean }} props */
export function FileDiffView({ file, review, comments, viewed, toggle, open }) {
  const [range, setRange] = useState(/** @type {Range | null} */ (null));
  const lines = file.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
  const [all, setAll] = useState(lines <= MANY_LINES);
  const pick = (/** @type {"left" | "right"} */ side, /** @type {number} */ line, /** @type {boolean} */ extend) => {
    if (!open || !mayWrite()) return;
    if (extend && range?.side === side) setRange({ side, from: Math.min(range.from, line), to: Math.max(range.to, line) });
    else setRange({ side, from: line, to: line });
  };
  const place = "file:" + file.path;
  return html`<article class="filediff" id=${place} aria-label=${file.path}>
    <header><button class="quiet" aria-expanded=${!viewed} onClick=${toggle}>${viewed ? "▸" : "▾"}</button>
      <span class="mono path">${file.from && file.from !== file.path ? `${file.from} → ` : ""}${file.path}</span> ${file.status !== "changed" && html`<span class="dim">${file.status}</span>`}
      <span class="grow"></span><span class="plus">+${file.added}</span> <span class="minus">−${file.removed}</span>
      <label class="line"><input type="checkbox" checked=${viewed} onChange=${toggle} /> looked at</label></header>
    ${!viewed && file.binary && html`<p class="dim pad">Not text.</p>`}
    ${!viewed && !all && html`<p class="pad"><button onClick=${() => setAll(true)}>Show ${lines} lines</button></p>`}
    ${!viewed && all && html`<div class="scroll-x" tabindex="0" role="group" aria-label=${`Lines of ${file.path}`}><table class="diff"><caption class="sr">Change of ${file.path}</caption><tbody>${file.hunks.map((hunk) => html`
      <tr class="hunk"><td colspan="3">${hunk.head}</td></tr>
      ${hunk.lines.map((line) => html`<${LineView} line=${line} path=${file.path} range=${range} pick=${pick} can=${open && mayWrite()} />${below(line, comments, range, review, file.path, () => setRange(null))}`)}
    `)}</tbody></table></div>`}
  </article>`;
}

/** @param {{ line: any, path: string, range: Range | null, pick: (side: "left" | "right", line: number, extend: boolean) => void, can: boolean }} props */
function LineView({ line, path, range, pick, can }) {
  const inside = range && (range.side === "left" ? line.left : line.right) >= range.from && (range.side === "left" ? line.left : line.right) <= range.to && !(range.side === "left" ? line.left === undefined : line.right === undefined);
  const cell = (/** @type {"left" | "right"} */ side, /** @type {number | undefined} */ at) => html`<td class="no">${at === undefined ? "" : can
    ? html`<button tabindex="-1" aria-label=${`Comment on line ${at}, ${side === "left" ? "before" : "after"}`} onClick=${(/** @type {MouseEvent} */ event) => pick(side, at, event.shiftKey)}>${at}</button>` : at}</td>`;
  return html`<tr class=${line.kind + (inside ? " chosen" : "")}>${cell("left", line.left)}${cell("right", line.right)}<td class="text">${line.kind === "note" ? html`<em>${line.text}</em>` : highlight(line.text, path)}</td></tr>`;
}

/**
 * The comments that end at a line, and the form of a new one.
 * @param {any} line @param {any[]} comments @param {Range | null} range @param {any} review @param {string} path @param {() => void} close
 */
function below(line, comments, range, review, path, close) {
  const ends = (/** @type {string | undefined} */ side, /** @type {number | undefined} */ at) => at !== undefined && (side === "left" ? line.left : line.right) === at && (side === "left" ? line.kind !== "add" : line.kind !== "del");
  const own = comments.filter((comment) => ends(comment.side, comment.line_end ?? comment.line_start));
  const form = range && ends(range.side, range.to);
  if (!own.length && !form) return null;
  return html`<tr class="talk"><td colspan="3">${own.map((comment) => html`<${CommentView} key=${comment.id} comment=${comment} />`)}
    ${form && html`<${Form} review=${review} path=${path} range=${range} close=${close} />`}</td></tr>`;
}

/** @param {{ review: any, path: string, range: Range, close: () => void }} props */
function Form({ review, path, range, close }) {
  const [text, setText] = useState("");
  const send = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const input = { review_id: review.id, body: text.trim(), file_path: path, line_start: range.from, line_end: range.to, side: range.side };
    if (await attempt(() => api.reviews.comment(input), "Comment added")) close();
  };
  const where = range.from === range.to ? `line ${range.from}` : `lines ${range.from} to ${range.to}`;
  return html`<form class="answer" onSubmit=${send} onKeyDown=${(/** @type {KeyboardEvent} */ event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && void send(event)}>
    <textarea rows="3" autofocus ref=${(/** @type {any} */ element) => element && !text && element.focus()} aria-label=${`Comment on ${where} of ${path}`} placeholder=${`Comment on ${where}, ${range.side === "left" ? "before the change" : "after the change"}`} value=${text} onInput=${(/** @type {any} */ event) => setText(event.target.value)}></textarea>
    <div class="line"><button class="primary" disabled=${!text.trim()}>Comment</button><button type="button" onClick=${close}>Cancel</button></div>
  </form>`;
}
