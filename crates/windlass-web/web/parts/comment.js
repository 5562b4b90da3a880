// A comment of a review, or several on the same lines, which are one conversation.

import { html, useState } from "../lib/html.js";
import { api, mayWrite } from "../lib/api.js";
import { Markdown } from "../lib/markdown.js";
import { attempt } from "../lib/toast.js";
import { Time, Who } from "./ui.js";

/** Where a comment is about, in words. @param {ReviewCommentOutput} comment */
function placeOf(comment) {
  const { line_start: from, line_end: to } = comment;
  const lines = !from ? "" : to && to !== from ? `lines ${from} to ${to}` : `line ${from}`;
  return [lines, lines && comment.side === "left" && "before the change"].filter(Boolean).join(", ");
}

/** @param {{ comment: ReviewCommentOutput, place?: boolean, from?: string }} props `from`: the review that it was made in, if that is another one */
export const CommentView = ({ comment, place, from }) => html`<article class=${"comment" + (comment.resolved_at ? " resolved" : "")}>
  <div class="line wrap"><strong><${Who} name=${comment.author} /></strong> <${Time} time=${comment.created_at} />
    ${place && comment.file_path && html`<span class="mono dim">${comment.file_path}</span>`} ${from && html`<span class="badge">${from}</span>`} <span class="dim">${placeOf(comment)}</span>
    ${comment.resolved_at && html`<span class="grow"></span><span class="dim">resolved</span>`}
  </div>
  <${Markdown} text=${comment.body} />
</article>`;

/** Comments by what they are about, in the order of their first. @param {ReviewCommentOutput[]} comments @returns {ReviewCommentOutput[][]} */
export function conversations(comments) {
  /** @type {Map<string, ReviewCommentOutput[]>} */
  const found = new Map();
  for (const comment of comments) {
    const key = [comment.review_id, comment.file_path, comment.side ?? "right", comment.line_end ?? comment.line_start].join("\n");
    found.set(key, [...(found.get(key) ?? []), comment]);
  }
  return [...found.values()];
}

/**
 * One conversation: what was said, a reply, and that it is settled.
 * @param {{ comments: ReviewCommentOutput[], open: boolean, place?: boolean, from?: string }} props
 */
export function Conversation({ comments, open, place, from }) {
  const settled = comments.every((comment) => comment.resolved_at);
  const [folded, setFolded] = useState(settled);
  const [replying, setReplying] = useState(false);
  const [first] = comments;
  const resolve = async () => {
    const left = comments.filter((comment) => !comment.resolved_at);
    if (await attempt(async () => { for (const comment of left) await api.reviews.resolveComment({ comment_id: comment.id }); }, "Resolved")) setFolded(true);
  };
  if (settled && folded) {
    return html`<button class="quiet folded" aria-expanded="false" onClick=${() => setFolded(false)}>▸ resolved: <span class="clip">${first.body.split("\n")[0]}</span>${comments.length > 1 ? ` and ${comments.length - 1} more` : ""}</button>`;
  }
  return html`<div class="conversation" data-open=${!settled}>
    ${comments.map((comment, index) => html`<${CommentView} key=${comment.id} comment=${comment} place=${place && index === 0} from=${from} />`)}
    ${open && mayWrite() && (replying
      ? html`<${CommentForm} review=${first.review_id} label="Reply" about=${{ file_path: first.file_path, line_start: first.line_start, line_end: first.line_end, side: first.side }} close=${() => setReplying(false)} />`
      : html`<div class="line"><button class="small" onClick=${() => setReplying(true)}>Reply</button>${settled
        ? html`<button class="quiet small" onClick=${() => setFolded(true)}>Fold</button>`
        : html`<button class="small" onClick=${() => void resolve()}>Resolve</button>`}</div>`)}
  </div>`;
}

/**
 * The form of a comment. Control and Enter send it, Escape gives up.
 * @param {{ review: string, about: Partial<ReviewsCommentInput>, label: string, where?: string, close: () => void }} props
 */
export function CommentForm({ review, about, label, where = label, close }) {
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const send = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!text.trim() || busy) return;
    setBusy(true);
    const given = Object.fromEntries(Object.entries(about).filter(([, value]) => value !== undefined && value !== null));
    if (await attempt(() => api.reviews.comment({ review_id: review, body: text.trim(), ...given }), "Comment added")) return close();
    setBusy(false);
  };
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void send(event);
    else if (event.key === "Escape" && !text) close();
    event.stopPropagation();
  };
  return html`<form class="answer" onSubmit=${send} onKeyDown=${onKey}>
    <textarea rows="3" ref=${(/** @type {any} */ element) => element && !text && element.focus()} aria-label=${where} placeholder=${where} value=${text} onInput=${(/** @type {any} */ event) => setText(event.target.value)}></textarea>
    <div class="line"><button class="primary" disabled=${!text.trim() || busy}>${label}</button><button type="button" onClick=${close}>Cancel</button></div>
  </form>`;
}
