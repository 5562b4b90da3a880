// Everything that waits for a person: reviews, questions, commands to allow, gates without a permission,
// tasks that got stuck.

import { html } from "../lib/html.js";
import { useCall } from "../lib/data.js";
import { stepAmong } from "../lib/focus.js";
import { useKeys } from "../lib/keys.js";
import { useWaiting } from "../lib/waiting.js";
import { Markdown } from "../lib/markdown.js";
import { link } from "../lib/router.js";
import { plural } from "../lib/format.js";
import { Badge, Empty, Head, Loaded, REVIEW_LABELS, TaskLink, Time, Who } from "../parts/ui.js";
import { Asked } from "../parts/asked.js";
import { Question } from "../parts/question.js";
import { Wish } from "../parts/wish.js";
import { WishedText } from "../parts/wished-text.js";

/** How the gates of a review went, in a few words. @param {any[]} gates */
function gatesOf(gates) {
  const passed = gates.filter((gate) => gate.status === "passed").length;
  if (!gates.length) return "no gates";
  return passed === gates.length ? plural(passed, "gate") + " passed" : `${passed} of ${plural(gates.length, "gate")} passed`;
}

export function Inbox() {
  const { status, list, count, errors, settled } = useWaiting();
  const reviewed = useCall("board.list", { status: ["in_review", "awaiting_human"], limit: 100 }, { on: ["task.", "entity.", "review.", "help."] });
  useKeys([
    { keys: "j", does: "Next entry", run: () => stepAmong(".entry", 1) },
    { keys: "k", does: "Entry before", run: () => stepAmong(".entry", -1) },
  ]);
  const said = useCall("events.list", { type: "session.signal", limit: 50 }, { on: ["session."] });
  /** What the agent said that it did. @param {any} review */
  const summaryOf = (review) => review.summary ?? /** @type {any} */ (said.data?.events.find((event) => event.entity_number === review.task_number && event.payload.verb === "done"))?.payload.body?.summary;
  const titles = new Map([...(status.data?.waiting_for_person ?? []), ...(reviewed.data?.tasks ?? [])].map((/** @type {any} */ item) => [item.number, item.title]));
  return html`
    <${Head} title="Inbox">${status.data && html`<p class="dim">${count ? plural(count, "thing waits", "things wait") + " for you" : "Nothing waits for you"}</p>`}<//>
    <${Loaded} of=${status}>
      ${count === 0 && settled && html`<${Empty} title="All clear">Reviews, questions and commands that agents want to run appear here.<//>`}
      ${errors.map((error) => html`<p class="note bad" role="alert">${error.message}</p>`)}
      <${Section} title="Reviews" count=${list.reviews.length}>${list.reviews.map((review) => html`
        <a class="card entry" href=${link("review", review.number)}>
          <div class="line"><strong>#${review.task_number} ${titles.get(review.task_number) ?? ""}</strong> <${Badge} word=${review.status} label=${REVIEW_LABELS[review.status]} /></div>
          ${summaryOf(review) && html`<div class="clamp"><${Markdown} text=${summaryOf(review)} /></div>`}
          <p class="dim">review ${review.number}, round ${review.round} · <span class=${review.gates.every((/** @type {any} */ gate) => gate.status === "passed") ? "plus" : "minus"}>${gatesOf(review.gates)}</span> · <${Who} name=${review.submitted_by} /> · <${Time} time=${review.submitted_at} /></p>
        </a>`)}<//>
      <${Section} title="Questions" count=${list.questions.length}>${list.questions.map((one) => html`<${Question} key=${one.id} question=${one} title=${titles.get(one.task_number)} />`)}<//>
      <${Section} title="Asked on the way" count=${list.asked.length}>${list.asked.map((event) => html`<${Asked} key=${event.seq} event=${event} />`)}<//>
      <${Section} title="Commands that agents want to run" count=${list.wishes.length}>${list.wishes.map((wish) => html`<${Wish} key=${wish.unique_name + wish.fingerprint} wish=${wish} />`)}<//>
      <${Section} title="Gates and servers to allow" count=${list.texts.length}>${list.texts.map((wish) => html`<${WishedText} key=${wish.kind + wish.name + wish.fingerprint} wish=${wish} />`)}<//>
      <${Section} title="Gates that cannot run" count=${list.gates.length}>${list.gates.map((item) => html`
        <div class="card entry"><div class="line"><${TaskLink} task=${item} /></div><p>${item.reason}</p><div class="line dim">${item.commands.map((/** @type {string} */ command) => html`<code>${command}</code> `)}</div></div>`)}<//>
      <${Section} title="Stuck" count=${list.stuck.length}>${list.stuck.map((task) => html`
        <div class="card entry"><div class="line"><${TaskLink} task=${task} /> <${Time} time=${task.updated_at} /></div></div>`)}<//>
      <${Now} status=${status.data} />
    <//>`;
}

/** @param {{ title: string, count: number, children?: any }} props */
function Section({ title, count, children }) {
  return count ? html`<section><h2>${title} <span class="dim">${count}</span></h2><div class="stack">${children}</div></section>` : null;
}

/** What goes on without anybody. @param {{ status: any }} props */
function Now({ status }) {
  if (!status?.in_progress.length && !status?.ready.length) return null;
  return html`<div class="two">
    ${status.in_progress.length > 0 && html`<section><h2>In progress <span class="dim">${status.in_progress_total}</span></h2><ul class="rows">${status.in_progress.map((/** @type {any} */ task) => html`
      <li><${TaskLink} task=${task} /><span class="dim"><${Who} name=${task.claimed_by ?? task.assignee} /> <${Time} time=${task.since} /></span></li>`)}</ul></section>`}
    ${status.ready.length > 0 && html`<section><h2>Ready <span class="dim">${status.ready_total}</span></h2><ul class="rows">${status.ready.map((/** @type {any} */ task) => html`
      <li><${TaskLink} task=${task} /><${Badge} word=${task.priority === "normal" ? "" : task.priority} /></li>`)}</ul></section>`}
  </div>`;
}

export default Inbox;
