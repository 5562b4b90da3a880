// One job: its output as it comes.

import { html } from "../lib/html.js";
import { api, call, mayWrite } from "../lib/api.js";
import { useCall } from "../lib/data.js";
import { useOutput } from "../lib/output.js";
import { duration } from "../lib/format.js";
import { attempt } from "../lib/toast.js";
import { Log } from "../parts/log.js";
import { Badge, Empty, Head, Loaded, Time, Who } from "../parts/ui.js";

/** @param {{ id: string }} props */
export default function Job({ id }) {
  const jobs = useCall("jobs.list", /** @type {any} */ ({ pid: Number(id) }), { on: ["job."] });
  return html`<${Loaded} of=${jobs}>${(/** @type {any} */ answer) => {
    const [job] = answer.jobs;
    if (!job) return html`<${Empty} title="There is no such job">It may have ended long ago.<//>`;
    return html`<${Head} title=${job.unique_name} side=${job.state === "running" && mayWrite() && html`<button onClick=${() => void attempt(() => api.jobs.stop({ pid: job.pid }), `${job.unique_name} is stopped`)}>Stop</button>`}>
        <p class="mono dim">${job.command}</p>
        <p class="line wrap"><${Badge} word=${job.state === "exited" && job.exit_code ? "failed" : job.state} /> ${job.exit_code !== undefined && html`<span class="dim">exit ${job.exit_code}</span>`} <span class="dim">PID ${job.pid}</span> <${Who} name=${job.session} /> <span class="dim">${job.state === "running" ? "" : job.elapsed_seconds < 1 ? "under 1 s" : duration(job.elapsed_seconds * 1000)}</span> <${Time} time=${job.started_at} /> ${job.reason && html`<span>${job.reason}</span>`}</p><//>
      <${Output} pid=${job.pid} live=${job.state === "running"} />`;
  }}<//>`;
}

/** @param {{ pid: number, live: boolean }} props */
function Output({ pid, live }) {
  const read = async (/** @type {number} */ from) => {
    const page = await call("jobs.output", { pid, from, ansi: true, max_bytes: 60000 });
    const next = page.next ?? from;
    return { text: page.lines.length ? page.lines.join("\n") + "\n" : "", next, more: next > from };
  };
  const { texts, error } = useOutput(`joblog/${pid}`, live, [read]);
  return html`${error && html`<p class="note">${error.message}</p>`}<${Log} text=${texts[0]} live=${live} />`;
}
