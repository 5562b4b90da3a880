// Runs and jobs: what runs now and what ran, read page by page.

import { html } from "../lib/html.js";
import { api, mayWrite } from "../lib/api.js";
import { duration, number } from "../lib/format.js";
import { link, route, setQuery } from "../lib/router.js";
import { useListKeys } from "../lib/focus.js";
import { attempt } from "../lib/toast.js";
import { usePages, WindowList } from "../parts/window-list.js";
import { Badge, Empty, Failed, Head, Time, Who } from "../parts/ui.js";

const HEIGHT = 58;

export default function Runs() {
  const jobs = route.value.query.get("show") === "jobs";
  const all = {
    runs: usePages("runs.list", {}, { rows: (answer) => answer.runs, on: ["run."] }),
    jobs: usePages("jobs.list", {}, { rows: (answer) => answer.jobs, on: ["job."] }),
  };
  const tab = (/** @type {"runs" | "jobs"} */ name, /** @type {string} */ title) => html`<button aria-pressed=${jobs === (name === "jobs")} class=${jobs === (name === "jobs") ? "on" : ""} onClick=${() => setQuery({ show: name === "jobs" ? "jobs" : "" })}>${title} <span class="dim">${all[name].total < 0 ? "" : number(all[name].total)}</span></button>`;
  return html`<div class="list-page"><${Head} title="Runs and jobs" />
    <div class="tabs" role="group" aria-label="What to show">${tab("runs", "Runs")}${tab("jobs", "Jobs")}</div>
    ${jobs ? html`<${List} key="jobs" pages=${all.jobs} label="Jobs" of=${JobRow} to=${(/** @type {any} */ job) => link("job", job.pid)} empty=${html`<${Empty} title="No jobs yet">Commands that agents or people run appear here.<//>`} />`
      : html`<${List} key="runs" pages=${all.runs} label="Runs" of=${RunRow} to=${(/** @type {any} */ run) => link("run", run.runId)} empty=${html`<${Empty} title="No runs yet">A run is a list of steps: <code>windlass playbooks run NAME</code>.<//>`} />`}</div>`;
}

/** @param {{ pages: any, label: string, of: any, to: (row: any) => string, empty: any }} props */
function List({ pages, label, of: Row, to, empty }) {
  const focus = useListKeys(pages.total);
  if (pages.error && pages.total < 0) return html`<${Failed} error=${pages.error} again=${pages.again} />`;
  if (pages.loading) return html`<div class="skeleton" role="status" aria-label="Loading"><i></i><i></i></div>`;
  if (!pages.total) return empty;
  const row = (/** @type {number} */ index) => {
    const it = pages.at(index);
    return it ? html`<div class=${"list-row" + (index === focus ? " focused" : "")}><${Row} it=${it} to=${to(it)} /></div>` : html`<div class="list-row loading" aria-hidden="true"></div>`;
  };
  return html`${pages.error && html`<p class="note bad" role="alert">Not up to date: ${pages.error.message}</p>`}
    <${WindowList} class="tall" count=${pages.total} height=${HEIGHT} row=${row} need=${pages.need} label=${label} focus=${focus} anchored />`;
}

/** @param {{ it: any, to: string }} props */
const RunRow = ({ it, to }) => html`<div class="line"><${Badge} word=${it.status} /> <a class="clip strong" href=${to} title=${it.title}>${it.title}</a><span class="grow"></span><${Time} time=${it.createdAt} /></div>
  <div class="dim clip">${[it.runtime, duration(it.durationMs), it.playbookId && `playbook ${it.playbookId}`, it.failure].filter(Boolean).join(" · ")}</div>`;

/** @param {{ it: any, to: string }} props */
const JobRow = ({ it, to }) => html`<div class="line"><${Badge} word=${it.state === "exited" && it.exit_code ? "failed" : it.state} label=${it.state === "exited" ? `exit ${it.exit_code ?? 0}` : it.state} /> <a class="clip strong" href=${to}>${it.unique_name}</a><span class="grow"></span>
    ${it.state === "running" && mayWrite() && html`<button class="small" onClick=${() => void attempt(() => api.jobs.stop({ pid: it.pid }), `${it.unique_name} is stopped`)}>Stop</button>`}<${Time} time=${it.started_at} /></div>
  <div class="dim line"><span class="mono clip">${it.command}</span><span class="grow"></span><${Who} name=${it.session} />${it.state !== "running" && html`<span>${it.elapsed_seconds < 1 ? "under 1 s" : duration(it.elapsed_seconds * 1000)}</span>`}</div>`;
