// A comment of a review.

import { html } from "../lib/html.js";
import { api, mayWrite } from "../lib/api.js";
import { Markdown } from "../lib/markdown.js";
import { attempt } from "../lib/toast.js";
import { Time, Who } from "./ui.js";

/** @param {{ comment: ReviewCommentOutput, place?: boolean }} props */
export const CommentView = ({ comment, place }) => html`<article class=${"comment" + (comment.resolved_at ? " resolved" : "")}>
  <div class="line"><strong><${Who} name=${comment.author} /></strong> <${Time} time=${comment.created_at} />
    ${place && comment.file_path && html`<span class="mono dim">${comment.file_path}${comment.line_start ? `:${comment.line_start}` : ""}</span>`}
    ${comment.line_end && comment.line_start !== comment.line_end && html`<span class="dim">lines ${comment.line_start} to ${comment.line_end}</span>`}
    <span class="grow"></span>
    ${comment.resolved_at ? html`<span class="dim">resolved</span>` : mayWrite() && html`<button class="quiet small" onClick=${() => void attempt(() => api.reviews.resolveComment({ comment_id: comment.id }), "Resolved")}>Resolve</button>`}
  </div>
  <${Markdown} text=${comment.body} />
</article>`;
