// The graph of dependencies: layers from left to right, the critical path, and what a task releases.

import { html, useEffect, useMemo, useState } from "../lib/html.js";
import { onNews, retry } from "../lib/live.js";
import { link, route, setQuery } from "../lib/router.js";
import { number as shownNumber, plural } from "../lib/format.js";
import { chosenPart, ENDED, readAll, readOpen, released } from "../lib/graph-data.js";
import { saveSvg } from "../lib/save-svg.js";
import { layOut } from "../lib/worker.js";
import { Canvas } from "../parts/graph-canvas.js";
import { Empty, Failed, Head } from "../parts/ui.js";

/** The tasks, read again when they change. @param {boolean} ended */
function useTasks(ended) {
  const [attempt, again] = useState(0);
  const [state, setState] = useState(/** @type {{ tasks: import("../lib/graph-data.js").GraphTask[] | null, error: any }} */ ({ tasks: null, error: null }));
  useEffect(() => {
    const stop = new AbortController();
    let timer = 0;
    const read = () => (ended ? readAll : readOpen)(stop.signal).then(
      (tasks) => setState({ tasks, error: null }),
      (error) => {
        if (stop.signal.aborted) return;
        setState((old) => ({ ...old, error }));
        retry(error, () => void read());
      },
    );
    void read();
    const off = onNews((news) => {
      if (!news.all && !news.events.some((event) => /^(task|entity|blocker|relation|review)\./.test(event.kind))) return;
      clearTimeout(timer);
      timer = setTimeout(() => void read(), 100);
    });
    return () => {
      off();
      clearTimeout(timer);
      stop.abort();
    };
  }, [ended, attempt]);
  return { ...state, again: () => again((count) => count + 1) };
}

export default function Graph() {
  const { query } = route.value;
  const filter = { text: (query.get("text") ?? "").toLowerCase(), ended: query.get("ended") === "1", alone: query.get("alone") === "1" };
  const { tasks, error, again } = useTasks(filter.ended);
  const [chosen, setChosen] = useState(0);
  const [laid, setLaid] = useState(/** @type {import("../lib/worker.js").Laid | null | undefined} */ (undefined));
  const part = useMemo(() => (tasks ? chosenPart(tasks, filter) : null), [tasks, filter.text, filter.ended, filter.alone]);
  useEffect(() => {
    if (!part) return;
    const open = part.shown.filter((task) => !ENDED.includes(task.status)).map((task) => task.number);
    return layOut(part.shown.map((task) => task.number), part.edges, open, setLaid);
  }, [part]);
  const known = useMemo(() => new Map((tasks ?? []).map((task) => [task.number, task])), [tasks]);
  const task = known.get(chosen);
  const frees = useMemo(() => (task && tasks ? released(task.number, tasks) : []), [task, tasks]);

  const check = (/** @type {string} */ name, /** @type {string} */ label, /** @type {boolean} */ value) => html`<label class="line"><input type="checkbox" checked=${value} onChange=${() => setQuery({ [name]: value ? "" : "1" })} /> ${label}</label>`;
  const side = html`<div class="filters" role="search"><input type="search" aria-label="Only tasks with this text" placeholder="Filter" value=${query.get("text") ?? ""} onInput=${(/** @type {any} */ event) => setQuery({ text: event.target.value })} />
    ${check("ended", "Show done", filter.ended)} ${check("alone", "Show unlinked", filter.alone)} <button disabled=${!laid?.places.length} onClick=${() => laid && saveSvg(laid, known)}>Save as SVG</button></div>`;
  if (error && !tasks) return html`<${Head} title="Graph" /><${Failed} error=${error} again=${again} />`;
  if (laid === null) return html`<${Head} title="Graph" /><${Failed} error=${{ message: "The graph could not be laid out", hint: "Reload the page." }} />`;
  if (!part || !laid) return html`<${Head} title="Graph" side=${side} /><div class="skeleton" role="status" aria-label="Loading"><i></i><i></i></div>`;
  return html`<div class="graph-page">
    <${Head} title="Graph" side=${side}>
      <p class="dim">${plural(part.shown.length, "task")} of ${shownNumber(tasks?.length ?? 0)}${laid.critical.length > 1 ? html`, <span class="critical-word">critical path</span>: ${plural(laid.critical.length, "task")}` : ""}</p><//>
    ${error && html`<p class="note bad" role="alert">Not up to date: ${error.message}</p>`}
    ${task && html`<p class="note"><a href=${link("task", task.number)}>#${task.number} ${task.title}</a>: ${frees.length ? html`completing it releases ${frees.slice(0, 20).map((one, index) => html`${index ? ", " : ""}<a href=${link("task", one.number)} title=${one.title}>#${one.number}</a>`)}${frees.length > 20 ? ` and ${frees.length - 20} more` : ""}` : "completing it releases nothing by itself"}.</p>`}
    ${part.shown.length ? html`<${Canvas} laid=${laid} known=${known} chosen=${chosen} choose=${setChosen} frees=${new Set(frees.map((one) => one.number))} />` : html`<${Empty} title=${filter.text ? "No task has this text" : "No dependencies to show"}>${filter.text ? "Clear the filter to see the others." : "Tasks that wait for each other appear here. “Show unlinked” shows all tasks."}<//>`}
  </div>`;
}
