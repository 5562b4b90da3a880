// Agents at work, and the sessions before.

import { html, useState } from "../lib/html.js";
import { api, mayWrite } from "../lib/api.js";
import { useCall } from "../lib/data.js";
import { stepAmong } from "../lib/focus.js";
import { number, words } from "../lib/format.js";
import { useKeys } from "../lib/keys.js";
import { link } from "../lib/router.js";
import { attempt } from "../lib/toast.js";
import { Dialog } from "../parts/dialog.js";
import { Badge, Empty, Head, Loaded, Time, Who } from "../parts/ui.js";

export default function Agents() {
  const on = ["session.", "task.claimed", "task.released", "task.started"];
  const agents = useCall("sessions.agents", {}, { on, touch: true });
  const sessions = useCall("sessions.list", { limit: 50 }, { on });
  const [shown, setShown] = useState("");
  useKeys([
    { keys: "j", does: "Next agent or session", run: () => stepAmong("main article.card, main tbody tr", 1) },
    { keys: "k", does: "The one before", run: () => stepAmong("main article.card, main tbody tr", -1) },
  ]);
  return html`<${Head} title="Agents" />
    <section><h2>At work</h2><${Loaded} of=${agents}>${(/** @type {any} */ answer) => (answer.agents.length ? html`<div class="cards">${answer.agents.map((/** @type {any} */ agent) => html`<article class="card" key=${agent.id}>
        <div class="line"><strong class="clip">${agent.client ?? html`<${Who} name=${agent.id} />`}</strong><span class="grow"></span><${Time} time=${agent.last_at ?? agent.started_at} /></div>
        <p>${agent.task_id ? html`<a href=${link("task", agent.task_id)}>#${agent.task_id} ${agent.task_title ?? ""}</a>` : html`<span class="dim">No task</span>`}</p>
        <dl class="facts"><div><dt>Calls</dt><dd>${number(agent.calls)}${agent.last_tool ? `, last ${agent.last_tool}` : ""}</dd></div><div><dt>Tokens read</dt><dd>about ${number(agent.tokens_read)}</dd></div><div><dt>Connected</dt><dd>by ${agent.surface ?? ""}${agent.launched ? ", launched" : ""}, <${Time} time=${agent.started_at} /></dd></div><div><dt>Session</dt><dd class="mono clip">${agent.id}</dd></div></dl>
        ${mayWrite() && html`<p><button class="small" onClick=${() => void attempt(() => api.sessions.stopAgent({ id: agent.id }), "The agent's task is free")}>Stop</button></p>`}
      </article>`)}</div>` : html`<${Empty} title="No agent is connected">Connect one: <code>windlass setup</code>.<//>`)}<//></section>
    <section><h2>Sessions</h2><${Loaded} of=${sessions}>${(/** @type {any} */ answer) => (answer.sessions.length ? html`<div class="scroll-x"><table class="list"><thead><tr><th scope="col">Session</th><th scope="col">Status</th><th scope="col">Task</th><th scope="col">Last words</th><th scope="col">Started</th></tr></thead>
      <tbody>${answer.sessions.map((/** @type {any} */ one) => html`<tr key=${one.id}><td><button class="quiet mono clip" onClick=${() => setShown(one.id)}>${one.recipe}${one.discipline ? ` · ${one.discipline}` : ""}</button></td><td><${Badge} word=${one.status} /></td><td>${one.task_id ? html`<a href=${link("task", one.task_id)}>#${one.task_id}</a>` : ""}</td><td class="clip">${one.closing ?? ""}</td><td><${Time} time=${one.started_at} /></td></tr>`)}</tbody></table></div>`
      : html`<${Empty} title="No sessions yet">A session is one agent on one task: <code>windlass session launch</code>.<//>`)}<//></section>
    ${shown && html`<${Detail} id=${shown} close=${() => setShown("")} />`}`;
}

/** @param {{ id: string, close: () => void }} props */
function Detail({ id, close }) {
  const session = useCall("sessions.get", { id }, { on: ["session."] });
  return html`<${Dialog} title="Session" close=${close} wide><${Loaded} of=${session}>${(/** @type {any} */ it) => html`
    <dl class="facts"><div><dt>Id</dt><dd class="mono">${it.id}</dd></div><div><dt>Recipe</dt><dd>${it.recipe}</dd></div><div><dt>Status</dt><dd>${words(it.status)}</dd></div></dl>
    <h3>What it said</h3>${it.signals.length ? html`<ul>${it.signals.map((/** @type {any} */ said) => html`<li><strong>${said.verb}</strong> ${Object.values(said.body).filter((value) => typeof value === "string").join(" · ")} <${Time} time=${said.at} /></li>`)}</ul>` : html`<p class="dim">Nothing yet.</p>`}
    <h3>Tools</h3><p class="mono">${it.tools.join(", ")}</p>`}<//><//>`;
}
