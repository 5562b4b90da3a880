// Everything that happened, newest first, with who did it.

import { html, useEffect, useState } from "../lib/html.js";
import { call } from "../lib/api.js";
import { useCall } from "../lib/data.js";
import { route, setQuery } from "../lib/router.js";
import { Empty, Head, Loaded } from "../parts/ui.js";
import { EventRow } from "../parts/event-list.js";

const KINDS = ["task.created", "task.updated", "task.claimed", "task.submitted", "task.completed", "entity.created", "entity.updated", "entity.deleted", "review.created", "review.approved", "review.changes_requested", "gate.passed", "gate.failed", "help.requested", "help.responded", "job.started", "job.ended", "run.started", "run.ended", "session.started", "session.ended", "allowlist.changed", "command.refused"];

export default function History() {
  const { query } = route.value;
  const type = query.get("type") ?? "";
  const entity = query.get("entity") ?? "";
  const who = query.get("who") ?? "";
  const input = { limit: 100, ...(type && { type }), ...(entity && { entity }) };
  const events = useCall("events.list", input);
  const [older, setOlder] = useState(/** @type {any[]} */ ([]));
  useEffect(() => setOlder([]), [type, entity]);
  const newest = events.data?.events ?? [];
  const first = (older.at(-1) ?? newest.at(-1))?.seq ?? 0;
  const all = [...newest, ...older.filter((event) => !newest.some((/** @type {any} */ one) => one.seq === event.seq))].filter((event) => !who || event.actor === who);
  const more = async () => {
    // The list goes forward from a number; a page before this one begins a hundred below it.
    const answer = await call("events.list", { ...input, after: Math.max(0, first - 101) });
    setOlder([...older, ...answer.events.filter((/** @type {any} */ event) => event.seq < first).reverse()]);
  };
  return html`<${Head} title="History" side=${html`<div class="filters">
      <select aria-label="Kind of event" value=${type} onChange=${(/** @type {any} */ event) => setQuery({ type: event.target.value })}><option value="">All kinds</option>${KINDS.map((kind) => html`<option selected=${kind === type}>${kind}</option>`)}</select>
      <select aria-label="By whom" value=${who} onChange=${(/** @type {any} */ event) => setQuery({ who: event.target.value })}><option value="">Everybody</option><option value="human" selected=${who === "human"}>People</option><option value="agent" selected=${who === "agent"}>Agents</option></select>
      <input class="short" aria-label="Number of an entity" placeholder="Number" value=${entity} onChange=${(/** @type {any} */ event) => setQuery({ entity: event.target.value.replace(/^#/, "").trim() })} />
    </div>`} />
    <${Loaded} of=${events}>${all.length ? html`<div class="events">${all.map((event) => html`<${EventRow} key=${event.seq} event=${event} />`)}</div>
      ${first > 1 && !type && !entity && html`<p><button onClick=${() => void more()}>Show older events</button></p>`}` : html`<${Empty} title="Nothing has happened yet" />`}<//>`;
}
