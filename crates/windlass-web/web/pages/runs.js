// Runs and jobs: what runs now and what ran.

import { html } from "../lib/html.js";
import { api, mayWrite } from "../lib/api.js";
import { useCall } from "../lib/data.js";
import { duration } from "../lib/format.js";
import { link, route, setQuery } from "../lib/router.js";
import { attempt } from "../lib/toast.js";
import { Badge, Empty, Head, Loaded, Time, Who } from "../parts/ui.js";

const PAGE = 50;

export default function Runs() {
  const from = Number(route.value.query.get("from") ?? 0);
  const runs = useCall("runs.list", { limit: PAGE, offset: from }, { on: ["run."] });
  const jobs = useCall("jobs.list", { limit: 100 }, { on: ["job."] });
  return html`<${Head} title="Runs and jobs" />
    <section><h2>Runs</h2><${Loaded} of=${runs}>${(/** @type {any} */ answer) => (answer.runs.length ? html`<div class="scroll-x"><table class="list"><thead><tr><th scope="col">Run</th><th scope="col">Status</th><th scope="col">Runtime</th><th scope="col">Took</th><th scope="col">Created</th></tr></thead>
      <tbody>${answer.runs.map((/** @type {any} */ run) => html`<tr key=${run.runId}><td><a href=${link("run", run.runId)}>${run.title}</a>${run.failure && html`<div class="dim clip">${run.failure}</div>`}</td><td><${Badge} word=${run.status} /></td><td class="dim">${run.runtime}</td><td class="dim">${duration(run.durationMs)}</td><td><${Time} time=${run.createdAt} /></td></tr>`)}</tbody></table></div>
      <div class="line">${from > 0 && html`<button onClick=${() => setQuery({ from: from > PAGE ? String(from - PAGE) : "" })}>Newer</button>`}${answer.runs.length === PAGE && html`<button onClick=${() => setQuery({ from: String(from + PAGE) })}>Older</button>`}</div>`
      : html`<${Empty} title="No runs yet">A run is a list of steps: windlass playbooks run NAME.<//>`)}<//></section>
    <section><h2>Jobs <span class="dim">the newest 100</span></h2><${Loaded} of=${jobs}>${(/** @type {any} */ answer) => (answer.jobs.length ? html`<div class="scroll-x"><table class="list"><thead><tr><th scope="col">Job</th><th scope="col">State</th><th scope="col">By</th><th scope="col">Took</th><th scope="col">Started</th><th scope="col"><span class="sr">Actions</span></th></tr></thead>
      <tbody>${answer.jobs.map((/** @type {any} */ job) => html`<tr key=${job.pid + "-" + job.started_at}><td><a href=${link("job", job.pid)}>${job.unique_name}</a> <span class="dim mono clip">${job.command}</span></td>
        <td><${Badge} word=${job.state === "exited" && job.exit_code ? "failed" : job.state} label=${job.state === "exited" ? `exit ${job.exit_code ?? 0}` : job.state} /></td><td class="dim"><${Who} name=${job.session} /></td><td class="dim">${job.state === "running" ? "" : duration(job.elapsed_seconds * 1000)}</td><td><${Time} time=${job.started_at} /></td>
        <td>${job.state === "running" && mayWrite() && html`<button class="small" onClick=${() => void attempt(() => api.jobs.stop({ pid: job.pid }), `${job.unique_name} is stopped`)}>Stop</button>`}</td></tr>`)}</tbody></table></div>`
      : html`<${Empty} title="No jobs yet">Commands that agents or people run appear here.<//>`)}<//></section>`;
}
