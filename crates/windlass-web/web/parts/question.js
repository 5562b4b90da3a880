// A question of an agent, and the answer.

import { html, useState } from "../lib/html.js";
import { api, mayWrite } from "../lib/api.js";
import { attempt } from "../lib/toast.js";
import { Markdown } from "../lib/markdown.js";
import { link } from "../lib/router.js";
import { Badge, Time } from "./ui.js";

/** @param {{ question: HelpOutput, title?: string }} props */
export function Question({ question, title }) {
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const answer = async (/** @type {Partial<HelpRespondInput>} */ given) => {
    setBusy(true);
    await attempt(() => api.help.respond({ id: question.number, resume: true, ...given }), `Answered: #${question.task_number} goes on`);
    setBusy(false);
  };
  return html`<div class="card entry">
    <div class="line"><a href=${link("task", question.task_number ?? "")}><strong>#${question.task_number} ${title ?? ""}</strong></a> <${Badge} word=${question.category} /> <${Time} time=${question.created_at} /></div>
    <${Markdown} text=${question.reason} />
    ${question.status === "responded" && html`<div class="line"><span>Answered: ${question.response}</span>
      <button disabled=${busy} onClick=${() => void attempt(() => api.help.resume({ task_id: String(question.task_number) }), "The task goes on")}>Resume the task</button></div>`}
    ${question.status === "pending" && mayWrite() && html`
      ${question.suggested_options.length > 0 && html`<div class="line wrap">${question.suggested_options.map((option, index) => html`<button disabled=${busy} onClick=${() => void answer({ chosen_option: index })}>${option}</button>`)}</div>`}
      <form class="answer" onSubmit=${(/** @type {Event} */ event) => { event.preventDefault(); void answer({ response: text.trim() }); }}>
        <textarea rows="2" aria-label=${`Answer to question ${question.number}`} placeholder="Your answer" value=${text} onInput=${(/** @type {any} */ event) => setText(event.target.value)}></textarea>
        <button class="primary" disabled=${busy || !text.trim()}>Answer</button>
      </form>`}
  </div>`;
}
