// One run: its steps as they go, with their output.

import { html, useEffect, useState } from "../lib/html.js";
import { api, call, mayWrite } from "../lib/api.js";
import { useCall } from "../lib/data.js";
import { useOutput } from "../lib/output.js";
import { duration, size } from "../lib/format.js";
import { go, link } from "../lib/router.js";
import { complain, attempt } from "../lib/toast.js";
import { Log } from "../parts/log.js";
import { Badge, Head, Loaded, Time } from "../parts/ui.js";

/** @param {{ id: string }} props */
export default function Run({ id }) {
  const run = useCall("runs.read", { runId: id }, { on: ["run."] });
  return html`<${Loaded} of=${run}>${(/** @type {any} */ it) => html`
    <${Head} title=${it.title} side=${html`<${Actions} run=${it} />`}>
      <p class="line wrap"><${Badge} word=${it.status} /> <span class="dim">${it.runtime}</span> <span class="dim">${duration(it.durationMs)}</span> <${Time} time=${it.startedAt ?? it.createdAt} />
      ${it.parentRunId && html`<a href=${link("run", it.parentRunId)}>run before</a>`} ${it.playbookId && html`<span class="dim">playbook ${it.playbookId}</span>`}</p><//>
    ${it.failure && !it.steps.some((/** @type {any} */ step) => step.failure?.message === it.failure.message) && html`<p class="note bad" role="alert">${it.failure.message}${it.failure.hint ? ` ${it.failure.hint}` : ""}</p>`}
    <ol class="steps">${it.steps.map((/** @type {any} */ step, /** @type {number} */ index) => html`<${Step} key=${index} run=${it} step=${step} index=${index} />`)}</ol>`}<//>`;
}

/** @param {{ run: any }} props */
function Actions({ run }) {
  if (!mayWrite()) return null;
  const rerun = async () => {
    try {
      const created = await api.runs.rerun({ runId: run.runId });
      go(link("run", created.runId));
      await api.runs.execute({ runId: created.runId, wait: false });
    } catch (error) {
      complain(error);
    }
  };
  return html`<div class="line">${["running", "created"].includes(run.status)
    ? html`${run.status === "created" && html`<button class="primary" onClick=${() => void attempt(() => api.runs.execute({ runId: run.runId, wait: false }), "The run has started")}>Execute</button>`}
      <button onClick=${() => void attempt(() => api.runs.cancel({ runId: run.runId }), "The run is being cancelled")}>Cancel</button>`
    : html`<button onClick=${() => void rerun()}>Run again</button>`}</div>`;
}

/** @param {{ run: any, step: any, index: number }} props */
function Step({ run, step, index }) {
  const artifacts = (step.artifacts ?? []).filter((/** @type {any} */ one) => !["stdout.log", "stderr.log"].includes(one.name));
  const interesting = ["running", "failed", "timeout"].includes(step.status);
  const [open, setOpen] = useState(interesting);
  useEffect(() => { if (interesting) setOpen(true); }, [step.status]);
  return html`<li class=${"step " + step.status}><details open=${open} onToggle=${(/** @type {any} */ event) => setOpen(event.target.open)}>
    <summary><${Badge} word=${step.status} /> <strong>${step.name}</strong><span class="grow"></span>${step.exitCode !== undefined && html`<span class="dim">exit ${step.exitCode}</span>`} <span class="dim">${duration(step.durationMs)}</span></summary>
    ${step.failure && html`<p class="note bad">${step.failure.message}</p>`}
    ${open && step.status !== "pending" && step.status !== "skipped" && html`<${StepLog} run=${run} index=${index} live=${step.status === "running"} />`}
    ${artifacts.length > 0 && html`<h3 class="stream">Artifacts</h3><ul class="rows">${artifacts.map((/** @type {any} */ one) => html`<li><span class="mono">${one.name}</span><span class="dim">${one.skipped ?? size(one.bytes)}</span></li>`)}</ul>`}
  </details></li>`;
}

/** What a step wrote: both streams, as their order among each other is not known. @param {{ run: any, index: number, live: boolean }} props */
function StepLog({ run, index, live }) {
  const read = (/** @type {string} */ stream) => (/** @type {number} */ from) => call("runs.logs", { runId: run.runId, step: index, stream, from });
  const { texts, error } = useOutput(`runlog/${run.runId}/${index}`, live, [read("stdout"), read("stderr")]);
  const [stdout, stderr] = texts;
  return html`${error && html`<p class="note">${error.message}</p>`}
    ${(stdout || !stderr) && html`<${Log} text=${stdout} live=${live} />`}
    ${stderr && html`<h3 class="stream">Standard error</h3><${Log} text=${stderr} live=${live} label="Standard error" />`}`;
}
