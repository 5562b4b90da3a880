// The reviews of a task before this one, with what was said in them.

import { html } from "../lib/html.js";
import { useCall } from "../lib/data.js";
import { link } from "../lib/router.js";
import { CommentView } from "./comment.js";
import { Badge, Time } from "./ui.js";

/** The reviews before one, and their comments. @param {any} review */
export function useEarlier(review) {
  const all = useCall("reviews.list", { task_id: String(review.task_number), limit: 20 }, { on: ["review."] });
  const reviews = (all.data?.reviews ?? []).filter((/** @type {any} */ one) => one.number < review.number);
  // What was said in the last one matters most; of the ones before it only that they were.
  const [last] = reviews;
  const said = useCall(last ? "reviews.listComments" : null, { review_id: last?.id, limit: 100 }, { on: ["comment.", "review."] });
  return { reviews, comments: /** @type {any[]} */ (said.data?.comments ?? []) };
}

/** @param {{ reviews: any[], comments: any[] }} props */
export function Earlier({ reviews, comments }) {
  if (!reviews.length) return null;
  return html`<section><h2>Earlier reviews</h2><div class="stack">${reviews.map((one) => html`<article class="card" key=${one.id}>
    <div class="line wrap"><a href=${link("review", one.number)}><strong>Review ${one.number}</strong></a> <${Badge} word=${one.status} /> <${Time} time=${one.updated_at ?? one.submitted_at} /></div>
    ${comments.filter((comment) => comment.review_id === one.id).map((comment) => html`<${CommentView} key=${comment.id} comment=${comment} place />`)}</article>`)}</div></section>`;
}
