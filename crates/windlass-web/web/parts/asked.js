// A question of an agent that goes on working meanwhile. The answer is a comment on its task.

import { html, useState } from "../lib/html.js";
import { api, me, mayWrite } from "../lib/api.js";
import { attempt } from "../lib/toast.js";
import { Markdown } from "../lib/markdown.js";
import { link } from "../lib/router.js";
import { Time, Who } from "./ui.js";

/** @param {{ event: EventOutput }} props */
export function Asked({ event }) {
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const body = /** @type {any} */ (event.payload).body ?? {};
  const answer = async (/** @type {string} */ given) => {
    setBusy(true);
    await attempt(() => api.plan.addTaskComment(/** @type {any} */ ({ task_id: event.entity_number, author: me.value?.person ?? "person", body: given })), `Answered on #${event.entity_number}`);
    setBusy(false);
  };
  return html`<div class="card entry">
    <div class="line"><a href=${link("task", event.entity_number ?? "")}><strong>#${event.entity_number} ${event.entity_title ?? ""}</strong></a> <${Who} name=${event.session} /> <${Time} time=${event.at} /></div>
    <${Markdown} text=${String(body.question ?? "")} />
    ${body.preferred && html`<p class="dim">It would choose: ${body.preferred}</p>`}
    ${mayWrite() && html`
      ${body.options?.length > 0 && html`<div class="line wrap">${body.options.map((/** @type {string} */ option) => html`<button disabled=${busy} onClick=${() => void answer(option)}>${option}</button>`)}</div>`}
      <form class="answer" onSubmit=${(/** @type {Event} */ submit) => { submit.preventDefault(); void answer(text.trim()); }}>
        <textarea rows="2" aria-label=${`Answer on task ${event.entity_number}`} placeholder="Your answer, as a comment on the task" value=${text} onInput=${(/** @type {any} */ input) => setText(input.target.value)}></textarea>
        <button disabled=${busy || !text.trim()}>Answer</button>
      </form>`}
  </div>`;
}
