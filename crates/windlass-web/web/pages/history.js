// Everything that happened, newest first, with who did it. Only what is in sight is read.

import { html, useMemo } from "../lib/html.js";
import { useCall } from "../lib/data.js";
import { number } from "../lib/format.js";
import { isNarrow, useListKeys } from "../lib/focus.js";
import { route, setQuery } from "../lib/router.js";
import { usePages, WindowList } from "../parts/window-list.js";
import { Empty, Failed, Head } from "../parts/ui.js";
import { EventRow } from "../parts/event-list.js";

const KINDS = ["task.created", "task.updated", "task.claimed", "task.submitted", "task.completed", "entity.created", "entity.updated", "entity.deleted", "review.created", "review.approved", "review.changes_requested", "gate.passed", "gate.failed", "help.requested", "help.responded", "job.started", "job.ended", "run.started", "run.ended", "session.started", "session.ended", "allowlist.changed", "command.refused"];

export default function History() {
  const { query } = route.value;
  const [type, entity, actor] = ["type", "entity", "who"].map((name) => query.get(name) ?? "");
  const input = { ...(type && { type }), ...(entity && { entity }), ...(actor && { actor }) };
  const pages = usePages("events.list", input, { rows: (answer) => answer.events, on: [""] });
  const option = (/** @type {string} */ value, /** @type {string} */ label, /** @type {string} */ chosen) => html`<option value=${value} selected=${value === chosen}>${label}</option>`;
  const filters = html`<div class="filters">
      <select aria-label="Kind of event" value=${type} onChange=${(/** @type {any} */ event) => setQuery({ type: event.target.value })}>${option("", "All kinds", type)}${KINDS.map((kind) => option(kind, kind, type))}</select>
      <select aria-label="By whom" value=${actor} onChange=${(/** @type {any} */ event) => setQuery({ who: event.target.value })}>${option("", "Everybody", actor)}${option("human", "People", actor)}${option("agent", "Agents", actor)}</select>
      <input class="short kept" aria-label="Number of an entity" placeholder="Number" inputmode="numeric" value=${entity} onChange=${(/** @type {any} */ event) => setQuery({ entity: event.target.value.replace(/^#/, "").trim() })} />
    </div>`;
  return html`<div class="list-page"><${Head} title="History" side=${filters}>${pages.total >= 0 && html`<p class="dim">${number(pages.total)} ${pages.total === 1 ? "event" : "events"}</p>`}<//>
    <${Events} pages=${pages} filtered=${Boolean(type || entity || actor)} /></div>`;
}

/** @param {{ pages: any, filtered: boolean }} props */
function Events({ pages, filtered }) {
  const list = useCall("runs.list", { limit: 100 }, { on: ["run.created"] });
  const runs = useMemo(() => new Map((list.data?.runs ?? []).map((/** @type {any} */ run) => [run.runId, run.title])), [list.data]);
  const focus = useListKeys(pages.total);
  if (pages.error && pages.total < 0) return html`<${Failed} error=${pages.error} again=${pages.again} />`;
  if (pages.loading) return html`<div class="skeleton" role="status" aria-label="Loading"><i></i><i></i></div>`;
  if (!pages.total) return html`<${Empty} title=${filtered ? "No such events" : "Nothing has happened yet"}>${filtered && "Choose other kinds, or everybody."}<//>`;
  const row = (/** @type {number} */ index) => {
    const event = pages.at(index);
    return event ? html`<${EventRow} event=${event} runs=${runs} focused=${index === focus} />` : html`<div class="event loading" aria-hidden="true"></div>`;
  };
  return html`${pages.error && html`<p class="note bad" role="alert">Not up to date: ${pages.error.message}</p>`}
    <${WindowList} class="tall" count=${pages.total} height=${isNarrow() ? 54 : 32} row=${row} need=${pages.need} label="Events" focus=${focus} anchored />`;
}
