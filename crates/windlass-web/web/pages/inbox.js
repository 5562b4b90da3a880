// Everything that waits for a person: reviews, questions, commands to allow, gates without a permission,
// tasks that got stuck.

import { html } from "../lib/html.js";
import { useCall } from "../lib/data.js";
import { useKeys } from "../lib/keys.js";
import { link } from "../lib/router.js";
import { plural } from "../lib/format.js";
import { Badge, Empty, Head, Loaded, TaskLink, Time, Who } from "../parts/ui.js";
import { Question } from "../parts/question.js";
import { Wish } from "../parts/wish.js";

const DECIDE = ["human_pending", "gates_escalated"];

export function Inbox() {
  const on = ["review.", "gate.", "help.", "task.", "entity.", "comment."];
  const status = useCall("board.status", {}, { on: [...on, "blocker.", "command.", "allowlist."] });
  const reviews = useCall("reviews.list", { active: true, limit: 100 }, { on });
  const questions = useCall("help.list", { limit: 50 }, { on });
  const wishes = useCall("allowlist.wishes", {}, { on: ["command.", "allowlist."] });
  const stuck = useCall("board.list", { status: ["blocked"], limit: 50 }, { on });
  useKeys([
    { keys: "j", does: "Next entry", run: () => step(1) },
    { keys: "k", does: "Entry before", run: () => step(-1) },
  ]);
  const decide = (reviews.data?.reviews ?? []).filter((/** @type {any} */ review) => DECIDE.includes(review.status));
  const asked = (questions.data?.help_requests ?? []).filter((/** @type {any} */ one) => one.status === "pending" || one.status === "responded");
  const wanted = wishes.data?.wishes ?? [];
  const waiting = status.data?.waiting_for_person ?? [];
  const gates = waiting.filter((/** @type {any} */ item) => item.what === "gate");
  const left = (stuck.data?.tasks ?? []).filter((/** @type {any} */ task) => !task.blocked_by.length);
  const titles = new Map(waiting.map((/** @type {any} */ item) => [item.number, item.title]));
  const count = decide.length + asked.length + wanted.length + gates.length + left.length;
  return html`
    <${Head} title="Inbox">${status.data && html`<p class="dim">${count ? plural(count, "thing waits", "things wait") + " for you" : "Nothing waits for you"}</p>`}<//>
    <${Loaded} of=${status}>
      ${count === 0 && reviews.data && html`<${Empty} title="All clear">Reviews, questions and commands that agents want to run appear here.<//>`}
      <${Section} title="Reviews" of=${reviews} count=${decide.length}>${decide.map((/** @type {any} */ review) => html`
        <a class="card entry" href=${link("review", review.number)}>
          <div class="line"><strong>#${review.task_number} ${titles.get(review.task_number) ?? ""}</strong> <${Badge} word=${review.status} label=${review.status === "gates_escalated" ? "gates failed too often" : "to decide"} /></div>
          ${review.summary && html`<p class="clamp">${review.summary}</p>`}
          <div class="line dim">review ${review.number}, round ${review.round} · <${Who} name=${review.submitted_by} /> · <${Time} time=${review.submitted_at} /></div>
        </a>`)}<//>
      <${Section} title="Questions" of=${questions} count=${asked.length}>${asked.map((/** @type {any} */ one) => html`<${Question} key=${one.id} question=${one} title=${titles.get(one.task_number)} />`)}<//>
      <${Section} title="Commands that agents want to run" of=${wishes} count=${wanted.length}>${wanted.map((/** @type {any} */ wish) => html`<${Wish} key=${wish.unique_name + wish.fingerprint} wish=${wish} />`)}<//>
      <${Section} title="Gates that need a permission" of=${status} count=${gates.length}>${gates.map((/** @type {any} */ item) => html`
        <div class="card entry"><div class="line"><${TaskLink} task=${item} /></div><p>${item.reason}</p><div class="line dim">${item.commands.map((/** @type {string} */ command) => html`<code>${command}</code> `)}</div></div>`)}<//>
      <${Section} title="Stuck" of=${stuck} count=${left.length}>${left.map((/** @type {any} */ task) => html`
        <div class="card entry"><div class="line"><${TaskLink} task=${task} /> <${Time} time=${task.updated_at} /></div></div>`)}<//>
      <${Now} status=${status.data} />
    <//>`;
}

/** @param {{ title: string, of: any, count: number, children?: any }} props */
function Section({ title, of, count, children }) {
  if (of.error && !of.data) return html`<section><h2>${title}</h2><p class="note bad">${of.error.message}</p></section>`;
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

/** Moves the focus among the entries. @param {number} by */
function step(by) {
  const all = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".entry")]);
  const at = all.findIndex((entry) => entry.contains(document.activeElement));
  const next = all[Math.max(0, Math.min(all.length - 1, at + by))];
  const focusable = next?.matches("a") ? next : next?.querySelector("a, button, summary, textarea");
  /** @type {HTMLElement | null} */ (focusable)?.focus();
}

export default Inbox;
