// A decision, note or another entity: its text, fields and relations.

import { html } from "../lib/html.js";
import { useCall } from "../lib/data.js";
import { Markdown } from "../lib/markdown.js";
import { link } from "../lib/router.js";
import { words } from "../lib/format.js";
import { EventList } from "../parts/event-list.js";
import { Badge, Head, Loaded, Time } from "../parts/ui.js";

const OWN = new Set(["number", "id", "type", "title", "description", "tags", "relations", "relations_total", "created_at", "updated_at", "former_numbers", "status"]);

/** @param {{ id: string }} props */
export default function Entity({ id }) {
  const entity = useCall("board.show", { id }, { on: ["entity.", "relation.", "task."] });
  return html`<${Loaded} of=${entity}>${(/** @type {any} */ it) => html`
    <${Head} title=${html`<span class="number">#${it.number}</span> ${it.title}`}><p class="line wrap"><${Badge} word=${it.type} /> <${Badge} word=${it.status} /> ${it.tags.map((/** @type {string} */ tag) => html`<span class="tag">${tag}</span>`)} <${Time} time=${it.updated_at} prefix="changed " />
      ${it.type === "task" && html`<a href=${link("task", it.number)}>Open as a task</a>`}</p><//>
    <div class="columns"><div class="wide"><${Markdown} text=${it.description} />
      ${Object.entries(it).filter(([name, value]) => !OWN.has(name) && value !== null && value !== "" && !(Array.isArray(value) && !value.length)).map(([name, value]) => html`<section><h2 class="field">${words(name)}</h2>${typeof value === "string" ? html`<${Markdown} text=${value} />` : Array.isArray(value) && value.every((one) => typeof one === "string") ? html`<ul>${value.map((one) => html`<li>${one}</li>`)}</ul>` : html`<pre class="code" tabindex="0">${JSON.stringify(value, null, 2)}</pre>`}</section>`)}
      <section><h2>History</h2><${EventList} input=${{ entity: String(it.number), limit: 20 }} /></section></div>
    <aside class="narrow" aria-label="Relations"><section><h2>Relations</h2>${it.relations.length ? html`<ul class="rows">${it.relations.map((/** @type {any} */ one) => html`<li><span class="dim">${words(one.type)}${one.direction === "from" ? " ←" : " →"}</span> <a href=${one.entity_type === "task" ? link("task", one.number) : link("entity", one.number)}>#${one.number} ${one.title}</a></li>`)}</ul>` : html`<p class="dim">None.</p>`}</section></aside></div>`}<//>`;
}
