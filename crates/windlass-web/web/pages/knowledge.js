// Decisions, notes and the rest of what the project knows, with search as you type.

import { html, useRef } from "../lib/html.js";
import { useCall } from "../lib/data.js";
import { useListKeys } from "../lib/focus.js";
import { route, setQuery } from "../lib/router.js";
import { plural } from "../lib/format.js";
import { usePages, WindowList } from "../parts/window-list.js";
import { entityLink, plain } from "../parts/search.js";
import { Badge, Empty, Failed, Head, Loaded, Time } from "../parts/ui.js";

const TYPES = ["decision", "note", "component", "link", "prompt", "feature", "discipline"];
const HEIGHT = 62;

export default function Knowledge() {
  const { query } = route.value;
  const type = query.get("type") ?? "decision";
  const text = query.get("q") ?? "";
  const timer = useRef(0);
  return html`<div class="list-page"><${Head} title="Knowledge" side=${html`<div class="filters" role="search"><input type="search" aria-label="Search in everything" placeholder="Search in everything" value=${text}
      onInput=${(/** @type {any} */ event) => { const { value } = event.target; clearTimeout(timer.current); timer.current = setTimeout(() => setQuery({ q: value }), 120); }} /></div>`} />
    <div class="tabs" role="group" aria-label="Type">${TYPES.map((one) => html`<button aria-pressed=${!text && one === type} class=${!text && one === type ? "on" : ""} onClick=${() => setQuery({ type: one, q: "" })}>${one}s</button>`)}</div>
    ${text.trim().length > 1 ? html`<${Hits} text=${text.trim()} />` : html`<${List} key=${type} type=${type} />`}</div>`;
}

/** @param {{ type: string }} props */
function List({ type }) {
  const pages = usePages("entities.list", { type }, { rows: (answer) => answer.entities, on: ["entity.", "relation."] });
  const focus = useListKeys(pages.total);
  if (pages.error && pages.total < 0) return html`<${Failed} error=${pages.error} again=${pages.again} />`;
  if (pages.loading) return html`<div class="skeleton" role="status" aria-label="Loading"><i></i><i></i></div>`;
  if (!pages.total) return html`<${Empty} title=${`No ${type}s yet`}><code>windlass add ${type} TITLE</code> makes one.<//>`;
  const row = (/** @type {number} */ index) => {
    const it = pages.at(index);
    return it ? html`<a class=${index === focus ? "entity-row focused" : "entity-row"} href=${entityLink(it.type, it.sequence_number)}><div class="line"><span class="number">#${it.sequence_number}</span> <strong class="clip">${it.title}</strong> <${Badge} word=${it.properties?.status} /><span class="grow"></span><${Time} time=${it.updated_at} /></div><div class="dim clip">${it.excerpt ?? it.content ?? ""}</div></a>` : html`<div class="task loading"></div>`;
  };
  return html`<p class="dim">${plural(pages.total, type)}</p><${WindowList} class="tall" count=${pages.total} height=${HEIGHT} row=${row} need=${pages.need} label=${`${type}s`} focus=${focus} />`;
}

/** @param {{ text: string }} props */
function Hits({ text }) {
  const found = useCall("search.all", { query: text, limit: 50 }, { on: ["entity."] });
  const focus = useListKeys(found.data?.results.length ?? 0);
  return html`<${Loaded} of=${found}>${(/** @type {any} */ answer) => (answer.results.length ? html`<ul class="hits">${answer.results.map((/** @type {any} */ hit, /** @type {number} */ index) => html`<li><a class=${index === focus ? "focused" : undefined} href=${entityLink(hit.type, hit.sequence_number)}><span class="number">#${hit.sequence_number}</span> <strong>${hit.title}</strong> <${Badge} word=${hit.type} /> ${hit.type !== "task" && html`<${Badge} word=${hit.status} />`}${plain(hit.snippet) !== hit.title && html`<small class="dim">${plain(hit.snippet)}</small>`}</a></li>`)}</ul>`
    : html`<${Empty} title="Nothing was found" />`)}<//>`;
}
