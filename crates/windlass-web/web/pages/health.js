// The numbers of the server, as small charts of the last minutes, and whether everything it needs works.

import { html, useEffect, useState } from "../lib/html.js";
import { send } from "../lib/api.js";
import { connection } from "../lib/live.js";
import { duration, number } from "../lib/format.js";
import { Badge, Failed, Head } from "../parts/ui.js";

const EVERY = 5000;
const KEPT = 120;

/** @typedef {Map<string, { help: string, type: string, series: Map<string, number> }>} Families */

/** Reads the text format of Prometheus. @param {string} text @returns {Families} */
function parse(text) {
  /** @type {Families} */
  const families = new Map();
  let current = { help: "", type: "", series: new Map() };
  for (const line of text.split("\n")) {
    const about = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line);
    if (about) {
      const known = families.get(about[2]) ?? { help: "", type: "", series: new Map() };
      families.set(about[2], known);
      if (about[1] === "HELP") known.help = about[3];
      else known.type = about[3];
      current = known;
      continue;
    }
    const sample = /^(\S+?)(\{.*\})? (-?[\d.eE+-]+)$/.exec(line);
    if (sample && !/_bucket$|_created$/.test(sample[1])) current.series.set(sample[1] + (sample[2] ?? ""), Number(sample[3]));
  }
  return families;
}

/** @param {Families} families */
const total = (families, /** @type {string} */ name) => [...(families.get(name)?.series.entries() ?? [])].filter(([key]) => !/_sum/.test(key)).reduce((sum, [, value]) => sum + value, 0);

export default function Health() {
  const [samples, setSamples] = useState(/** @type {{ at: number, families: Families }[]} */ ([]));
  const [ready, setReady] = useState(/** @type {any} */ (null));
  const [error, setError] = useState(/** @type {any} */ (null));
  useEffect(() => {
    const read = async () => {
      try {
        const [metrics, state] = await Promise.all([send("/api/metrics"), send("/api/ready")]);
        if (!metrics.ok) throw new Error(`The server answered ${metrics.status}`);
        const families = parse(await metrics.text());
        setReady(await state.json());
        setSamples((old) => [...old.slice(-KEPT), { at: Date.now(), families }]);
        setError(null);
      } catch (problem) {
        setError(problem);
      }
    };
    void read();
    const timer = setInterval(read, EVERY);
    return () => clearInterval(timer);
  }, [connection.value === "live"]);
  const last = samples.at(-1);
  if (!last) return error ? html`<${Head} title="Health" /><${Failed} error=${error} />` : html`<${Head} title="Health" /><div class="skeleton"><i></i></div>`;
  const names = [...last.families.keys()].filter((name) => last.families.get(name)?.series.size && !/^The version/.test(last.families.get(name)?.help ?? ""));
  const checks = Object.entries(ready?.checks ?? ready ?? {}).filter(([, value]) => value && typeof value === "object" && "ok" in /** @type {any} */ (value));
  return html`<${Head} title="Health">${error && html`<p class="note bad">Not up to date: ${error.message}</p>`}<//>
    <section><h2>Checks</h2><div class="line wrap">${checks.map(([name, value]) => html`<span class="card check"><${Badge} word=${/** @type {any} */ (value).ok ? "passed" : "failed"} label=${/** @type {any} */ (value).ok ? "ok" : "failed"} /> ${name} ${/** @type {any} */ (value).reason && html`<span class="dim">${/** @type {any} */ (value).reason}</span>`}</span>`)}</div></section>
    <section><h2>Numbers</h2><div class="cards charts">${names.map((name) => {
      const family = /** @type {any} */ (last.families.get(name));
      const values = samples.map((sample) => (family.type === "histogram" ? average(sample.families, name) : total(sample.families, name)));
      return html`<article class="card chart"><div class="dim chart-name" title=${name}>${family.type === "histogram" ? "Mean: " : ""}${(family.help || name).replace(/\.$/, "")}</div><div class="line"><strong class="big">${family.type === "histogram" ? duration((values.at(-1) ?? 0) * 1000) : number(Math.round(values.at(-1) ?? 0))}</strong><span class="grow"></span><${Spark} values=${family.type === "counter" ? rates(values) : values} /></div></article>`;
    })}</div></section>`;
}

/** The mean of what a histogram counted. @param {Families} families @param {string} name */
function average(families, name) {
  const series = [...(families.get(name)?.series.entries() ?? [])];
  const sum = (/** @type {RegExp} */ of) => series.filter(([key]) => of.test(key)).reduce((all, [, value]) => all + value, 0);
  const count = sum(/_count(\{|$)/);
  return count ? sum(/_sum(\{|$)/) / count : 0;
}

/** How much a counter grew between two samples. @param {number[]} values */
const rates = (values) => values.slice(1).map((value, index) => Math.max(0, value - values[index]));

/** @param {{ values: number[] }} props */
function Spark({ values }) {
  const most = Math.max(...values, 1);
  const points = values.map((value, index) => `${(index / Math.max(values.length - 1, 1)) * 100},${28 - (value / most) * 26}`);
  return html`<svg class="spark" viewBox="0 0 100 30" width="100" height="30" preserveAspectRatio="none" aria-hidden="true"><polyline points=${points.length > 1 ? points.join(" ") : "0,28 100,28"} /></svg>`;
}
