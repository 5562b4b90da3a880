// Search as you type, over everything that has a text.

import { html, useState } from "../lib/html.js";
import { useCall } from "../lib/data.js";
import { go, link } from "../lib/router.js";
import { Dialog } from "./dialog.js";
import { Badge } from "./ui.js";

/** Where an entity is shown. @param {string} type @param {number} number */
export const entityLink = (type, number) => (type === "task" ? link("task", number) : link("entity", number));

/** The words around what was found; the server marks them with ** or <b>, which are only text here. @param {string | undefined} text */
export const plain = (text) => (text ?? "").replace(/<\/?(b|mark|em)>|\*\*/g, "");

/** @param {{ close: () => void }} props */
export function Search({ close }) {
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const query = text.trim();
  const number = /^#?(\d+)$/.exec(query)?.[1];
  const found = useCall(query.length > 1 && !number ? "search.all" : null, { query, limit: 12 });
  const hits = found.data?.results ?? [];
  const open = (/** @type {string} */ to) => {
    close();
    go(to);
  };
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "ArrowDown") setChosen(Math.min(chosen + 1, hits.length - 1));
    else if (event.key === "ArrowUp") setChosen(Math.max(chosen - 1, 0));
    else if (event.key === "Enter" && number) open(link("task", number));
    else if (event.key === "Enter" && hits[chosen]) open(entityLink(hits[chosen].type, hits[chosen].sequence_number));
    else return;
    event.preventDefault();
  };
  return html`<${Dialog} title="Search" close=${close}>
    <input type="search" autofocus aria-label="Search for" placeholder="Words, or a number" value=${text} onKeyDown=${onKey}
      onInput=${(/** @type {any} */ event) => { setText(event.target.value); setChosen(0); }} />
    <ul class="hits" aria-label="Found">
      ${number && html`<li><a class="chosen" href=${link("task", number)} onClick=${close}>Go to #${number}</a></li>`}
      ${hits.map((/** @type {any} */ hit, /** @type {number} */ index) => html`<li><a class=${index === chosen ? "chosen" : ""} href=${entityLink(hit.type, hit.sequence_number)} onClick=${close}>
        <span class="number">#${hit.sequence_number}</span> ${hit.title} <${Badge} word=${hit.type} /> ${hit.type !== "task" && html`<${Badge} word=${hit.status} />`}
        ${plain(hit.snippet) !== hit.title && html`<small class="dim">${plain(hit.snippet)}</small>`}</a></li>`)}
    </ul>
    ${query.length > 1 && !number && found.data && !hits.length && html`<p class="dim">Nothing was found.</p>`}
    ${found.error && html`<p class="note bad">${found.error.message}</p>`}
  <//>`;
}
