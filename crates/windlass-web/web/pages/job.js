// One job: its output as it comes.

import { html, useEffect, useRef, useState } from "../lib/html.js";
import { api, call, mayWrite } from "../lib/api.js";
import { useCall } from "../lib/data.js";
import { followOutput } from "../lib/live.js";
import { duration } from "../lib/format.js";
import { attempt } from "../lib/toast.js";
import { Log } from "../parts/log.js";
import { Badge, Empty, Head, Loaded, Time, Who } from "../parts/ui.js";

/** @param {{ id: string }} props */
export default function Job({ id }) {
  const jobs = useCall("jobs.list", { limit: 100 }, { on: ["job."] });
  return html`<${Loaded} of=${jobs}>${(/** @type {any} */ answer) => {
    const job = answer.jobs.find((/** @type {any} */ one) => String(one.pid) === id);
    if (!job) return html`<${Empty} title="There is no such job">It may have ended long ago.<//>`;
    return html`<${Head} title=${job.unique_name} side=${job.state === "running" && mayWrite() && html`<button onClick=${() => void attempt(() => api.jobs.stop({ pid: job.pid }), `${job.unique_name} is stopped`)}>Stop</button>`}>
        <p class="mono dim">${job.command}</p>
        <p class="line wrap"><${Badge} word=${job.state === "exited" && job.exit_code ? "failed" : job.state} /> ${job.exit_code !== undefined && html`<span class="dim">exit ${job.exit_code}</span>`} <span class="dim">PID ${job.pid}</span> <${Who} name=${job.session} /> <span class="dim">${job.state === "running" ? "" : duration(job.elapsed_seconds * 1000)}</span> <${Time} time=${job.started_at} /> ${job.reason && html`<span>${job.reason}</span>`}</p><//>
      <${Output} pid=${job.pid} live=${job.state === "running"} />`;
  }}<//>`;
}

/** @param {{ pid: number, live: boolean }} props */
function Output({ pid, live }) {
  const [text, setText] = useState("");
  const [error, setError] = useState(/** @type {any} */ (null));
  const next = useRef(0);
  const busy = useRef(false);
  const dirty = useRef(false);
  useEffect(() => {
    let ended = false;
    const read = async () => {
      if (busy.current) return void (dirty.current = true);
      busy.current = true;
      try {
        do {
          dirty.current = false;
          for (let more = true; more && !ended; ) {
            const page = await call("jobs.output", { pid, from: next.current, ansi: true, max_bytes: 60000 });
            const grown = page.next !== undefined && page.next > next.current;
            if (grown) next.current = page.next;
            if (page.lines.length && grown) setText((old) => old + page.lines.join("\n") + "\n");
            more = grown;
          }
        } while (dirty.current && !ended);
        setError(null);
      } catch (problem) {
        setError(problem);
      }
      busy.current = false;
    };
    void read();
    const off = live ? followOutput(pid, () => void read()) : () => {};
    return () => {
      ended = true;
      off();
    };
  }, [pid, live]);
  return html`${error && html`<p class="note">${error.message}</p>`}<${Log} text=${text} live=${live} />`;
}
