// The graph of dependencies: layers from left to right, the critical path, and what a task releases.

import { html, useEffect, useState } from "../lib/html.js";
import { onNews, retry } from "../lib/live.js";
import { link, route, setQuery } from "../lib/router.js";
import { number as shownNumber, plural } from "../lib/format.js";
import { saveSvg } from "../lib/save-svg.js";
import { askReleased, listen, show } from "../lib/worker.js";
import { Canvas } from "../parts/graph-canvas.js";
import { Empty, Failed, Head } from "../parts/ui.js";

/** Changes are collected for this long before the tasks are read again. */
const GATHER = 100;

/** The graph of what fits the filter, laid out again when tasks change. @param {{ text: string, ended: boolean, alone: boolean }} filter @param {number} chosen */
function useGraph(filter, chosen) {
  const [laid, setLaid] = useState(/** @type {import("../lib/worker.js").Laid | null} */ (null));
  const [error, setError] = useState(/** @type {any} */ (null));
  const [frees, setFrees] = useState(/** @type {{ number: number, tasks: import("../lib/worker.js").Released }} */ ({ number: 0, tasks: [] }));
  const again = () => show(filter, true);
  useEffect(() => listen({
    laid: (it) => {
      setLaid(it);
      setError(null);
      if (chosen) askReleased(chosen);
    },
    failed: (problem) => {
      setError(problem);
      retry(problem, again);
    },
    released: (number, tasks) => setFrees({ number, tasks }),
  }));
  useEffect(() => {
    show(filter, laid === null);
  }, [filter.text, filter.ended, filter.alone]);
  useEffect(() => {
    let timer = 0;
    const off = onNews((news) => {
      if (!news.all && !news.events.some((event) => /^(task|entity|blocker|relation|review)\./.test(event.kind))) return;
      timer ||= setTimeout(() => {
        timer = 0;
        again();
      }, GATHER);
    });
    return () => {
      off();
      clearTimeout(timer);
    };
  }, [filter.text, filter.ended, filter.alone]);
  useEffect(() => void (chosen && askReleased(chosen)), [chosen]);
  return { laid, error, again, frees: frees.number === chosen ? frees.tasks : null };
}

export default function Graph() {
  const { query } = route.value;
  const filter = { text: (query.get("text") ?? "").toLowerCase(), ended: query.get("ended") === "1", alone: query.get("alone") === "1" };
  const [chosen, setChosen] = useState(0);
  const { laid, error, again, frees } = useGraph(filter, chosen);

  const check = (/** @type {string} */ name, /** @type {string} */ label, /** @type {boolean} */ value) => html`<label class="line"><input type="checkbox" checked=${value} onChange=${() => setQuery({ [name]: value ? "" : "1" })} /> ${label}</label>`;
  const side = html`<div class="filters" role="search"><input type="search" aria-label="Only tasks with this text" placeholder="Filter" value=${query.get("text") ?? ""} onInput=${(/** @type {any} */ event) => setQuery({ text: event.target.value })} />
    ${check("ended", "Show done", filter.ended)} ${check("alone", "Show unlinked", filter.alone)} <button disabled=${!laid?.numbers.length} onClick=${() => laid && saveSvg(laid)}>Save as SVG</button></div>`;
  if (error && !laid) return html`<${Head} title="Graph" /><${Failed} error=${error} again=${again} />`;
  if (!laid) return html`<${Head} title="Graph" side=${side} /><div class="skeleton" role="status" aria-label="Loading"><i></i><i></i></div>`;
  const count = laid.numbers.length;
  const at = laid.numbers.indexOf(chosen);
  return html`<div class="graph-page">
    <${Head} title="Graph" side=${side}>
      <p class="dim">${plural(count, "task")} of ${shownNumber(laid.total)}${laid.critical.length > 1 ? html`, <span class="critical-word">critical path</span>: ${plural(laid.critical.length, "task")}` : ""}</p><//>
    ${error && html`<p class="note bad" role="alert">Not up to date: ${error.message}</p>`}
    ${at >= 0 && html`<p class="note"><a href=${link("task", chosen)}>#${chosen} ${laid.titles[at]}</a>${!frees ? "" : html`: ${frees.length ? html`completing it releases ${frees.slice(0, 20).map((one, index) => html`${index ? ", " : ""}<a href=${link("task", one.number)} title=${one.title}>#${one.number}</a>`)}${frees.length > 20 ? ` and ${frees.length - 20} more` : ""}` : "completing it releases nothing by itself"}.`}</p>`}
    ${count ? html`<${Canvas} laid=${laid} chosen=${chosen} choose=${setChosen} frees=${new Set((frees ?? []).map((one) => one.number))} />` : html`<${Empty} title=${filter.text ? "No task has this text" : "No dependencies to show"}>${filter.text ? "Clear the filter to see the others." : "Tasks that wait for each other appear here. “Show unlinked” shows all tasks."}<//>`}
  </div>`;
}
