// Events of the history, newest first.

import { html } from "../lib/html.js";
import { useCall } from "../lib/data.js";
import { entityLink } from "./search.js";
import { Loaded, Time, Who } from "./ui.js";

/** What a payload says, in a few words. @param {any} payload */
function details(payload) {
  const tells = (/** @type {string} */ name, /** @type {unknown} */ value) => ["string", "number"].includes(typeof value) && !/(^|_)(id|session|owner|author|expires_at)$/.test(name) && !/^[0-9a-f-]{36,}$/.test(String(value));
  const shown = Object.entries(payload ?? {}).filter(([name, value]) => tells(name, value)).slice(0, 4);
  const changes = Object.entries(payload?.changes ?? {}).filter(([name]) => !/_(at|commit|tree)$/.test(name)).slice(0, 3);
  shown.push(...changes.map(([name, value]) => /** @type {[string, any]} */ ([name, Array.isArray(value) ? `${value[0] ?? "none"} → ${value[1] ?? "none"}` : value])));
  return shown.map(([name, value]) => `${name.replaceAll("_", " ")}: ${String(value).slice(0, 80)}`).join(" · ");
}

/** @param {{ event: any, own?: boolean }} props */
export const EventRow = ({ event, own }) => html`<div class="event">
  <span class="event-kind mono">${event.type}</span>
  <span class="event-what">${event.entity_number && !own ? html`<a href=${entityLink(event.entity_type, event.entity_number)}>#${event.entity_number} ${event.entity_title ?? ""}</a> ` : ""}<span class="dim">${details(event.payload)}</span></span>
  <span class="event-who dim"><${Who} name=${event.session} actor=${event.actor} /> <${Time} time=${event.at} /></span>
</div>`;

/** @param {{ input: any }} props */
export function EventList({ input }) {
  const events = useCall("events.list", input);
  return html`<${Loaded} of=${events}>${(/** @type {any} */ answer) => (answer.events.length
    ? html`<div class="events">${answer.events.map((/** @type {any} */ event) => html`<${EventRow} key=${event.seq} event=${event} own=${Boolean(input.entity)} />`)}</div>`
    : html`<p class="dim">Nothing has happened yet.</p>`)}<//>`;
}
