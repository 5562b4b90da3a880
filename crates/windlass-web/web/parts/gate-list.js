// Gates and how they went, with what they wrote.

import { html } from "../lib/html.js";
import { ansi } from "../lib/ansi.js";
import { duration } from "../lib/format.js";
import { GateWish } from "./gate-wish.js";
import { Badge } from "./ui.js";

/** @param {any} gate */
const took = (gate) => gate.started_at && gate.completed_at ? duration(Date.parse(gate.completed_at) - Date.parse(gate.started_at)) : "";

/** @param {{ gates: any[], rerun?: (gate: string) => unknown }} props `rerun`: what runs a gate that failed again */
export const GateList = ({ gates, rerun }) => html`<div class="gates">${gates.map((gate) => {
  const output = [gate.stdout, gate.stderr].filter(Boolean).join("\n");
  const head = html`<${Badge} word=${gate.status} /> <strong>${gate.name}</strong> ${gate.attempt > 1 || (gate.attempt && gate.status === "failed") ? html`<span class="dim">attempt ${gate.attempt} of ${gate.max_retries}</span>` : ""} <span class="dim">${took(gate)}</span>`;
  const why = gate.message ?? gate.waiting;
  const again = rerun && ["failed", "timeout"].includes(gate.status);
  if (!output && !why && !gate.command && !again) return html`<div class="gate line">${head}</div>`;
  return html`<details class="gate" open=${["failed", "running", "waiting", "timeout"].includes(gate.status)}><summary>${head}</summary>
    ${gate.command && html`<p class="mono dim">${gate.command}</p>`}
    ${why && html`<p>${why}</p>`}
    ${gate.status === "waiting" && html`<div class="noprint"><${GateWish} gate=${gate} /></div>`}
    ${output && html`<pre class="log" tabindex="0">${ansi(output)}</pre>`}
    ${again && html`<p class="noprint"><button class="small" onClick=${() => void rerun(gate.name)}>Run it again</button></p>`}
  </details>`;
})}</div>`;
