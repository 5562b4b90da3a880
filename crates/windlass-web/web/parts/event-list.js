// Events of the history, newest first.

import { html } from "../lib/html.js";
import { useCall } from "../lib/data.js";
import { eventWords } from "../lib/event-words.js";
import { link } from "../lib/router.js";
import { entityLink } from "./search.js";
import { Loaded, Time, Who } from "./ui.js";

/** Where one sees what an event is about, if that is not an entity. @param {any} event @param {Map<string, string>} [runs] titles of runs */
function placeOf(event, runs) {
  if (event.type.startsWith("run.") && event.payload.run_id) return html`<a href=${link("run", event.payload.run_id)}>${event.entity_title ?? event.payload.title ?? runs?.get(event.payload.run_id) ?? event.payload.run_id}</a> `;
  if (event.type.startsWith("job.") && event.payload.pid) return html`<a href=${link("job", event.payload.pid)}>${event.payload.unique_name ?? event.payload.pid}</a> `;
  return "";
}

/** @param {{ event: any, own?: boolean, runs?: Map<string, string>, focused?: boolean }} props */
export const EventRow = ({ event, own, runs, focused }) => html`<div class=${focused ? "event focused" : "event"}>
  <span class="event-kind mono">${event.type}</span>
  <span class="event-what" title=${eventWords(event)}>${event.entity_number && !own ? html`<a href=${entityLink(event.entity_type, event.entity_number)}>#${event.entity_number} ${event.entity_title ?? ""}</a> ` : placeOf(event, runs)}<span class="dim">${eventWords(event)}</span></span>
  <span class="event-who dim"><${Who} name=${event.session} actor=${event.actor} /> <${Time} time=${event.at} /></span>
</div>`;

/** @param {{ input: any }} props */
export function EventList({ input }) {
  const events = useCall("events.list", input);
  return html`<${Loaded} of=${events}>${(/** @type {any} */ answer) => (answer.events.length
    ? html`<div class="events">${answer.events.map((/** @type {any} */ event) => html`<${EventRow} key=${event.seq} event=${event} own=${Boolean(input.entity)} />`)}</div>`
    : html`<p class="dim">Nothing has happened yet.</p>`)}<//>`;
}
