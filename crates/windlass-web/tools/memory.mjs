// Memory of the page while events come in, minute by minute: `node tools/memory.mjs [MINUTES] [EVENTS_A_SECOND]`.
// WINDLASS and WINDLASS_CLIENTS are those of the tests. Each minute is a line; the last one says begin, end and slope.

import { launch, logIn, visit } from "../tests/browser/browser.mjs";
import { furnish, lighthouse } from "../tests/browser/project.mjs";

const minutes = Number(process.argv[2] ?? 60);
const rate = Number(process.argv[3] ?? 10);
const PAGES = ["board", "history", "inbox"];

const [browser, project] = await Promise.all([launch(), lighthouse()]);

/** Megabytes after a garbage collection, and how many elements and listeners there are. */
async function measure(client) {
  await client.send("HeapProfiler.collectGarbage");
  const { usedSize } = await client.send("Runtime.getHeapUsage");
  const { metrics } = await client.send("Performance.getMetrics");
  const metric = (name) => metrics.find((one) => one.name === name)?.value ?? 0;
  return { heap: usedSize / 1048576, nodes: metric("Nodes"), listeners: metric("JSEventListeners") };
}

/** Megabytes a minute, by least squares. */
function slope(values) {
  const mean = (list) => list.reduce((sum, value) => sum + value, 0) / list.length;
  const [x, y] = [mean(values.map((_, index) => index)), mean(values)];
  const over = values.reduce((sum, value, index) => sum + (index - x) * (value - y), 0);
  return over / values.reduce((sum, _, index) => sum + (index - x) ** 2, 0);
}

try {
  const numbers = Object.values(await furnish(project));
  for (let batch = 0; batch < 5; batch++) {
    const operations = Array.from({ length: 100 }, (_, index) => ({ op: "create", type: "task", title: `Task ${batch * 100 + index}`, properties: { status: "todo" } }));
    await project.agent("entity_batch", { operations });
  }
  const tabs = [];
  for (const path of PAGES) {
    const page = await logIn(browser, project);
    await visit(page, project, path);
    const client = await page.context().newCDPSession(page);
    await client.send("Performance.enable");
    tabs.push({ path, page, client, heaps: [] });
  }
  let sent = 0;
  const begun = Date.now();
  const change = async () => {
    const id = String(numbers[sent % numbers.length]);
    if (sent % 50 === 49) await project.agent("add_task_comment", { task_id: Number(id), author: "agent", body: `Change ${sent}` });
    else await project.agent("board_update", { id, priority: ["high", "low", "normal", "urgent"][Math.floor(sent / numbers.length) % 4] });
    sent++;
  };
  for (let minute = 0; minute <= minutes; minute++) {
    const found = [];
    for (const tab of tabs) {
      const { heap, nodes, listeners } = await measure(tab.client);
      tab.heaps.push(heap);
      found.push(`${tab.path} ${heap.toFixed(2)} MB, ${nodes} nodes, ${listeners} listeners`);
    }
    console.log(`${minute} min, ${sent} events: ${found.join("; ")}`);
    // The rate is kept over the whole time, also where a measurement held it up.
    while (minute < minutes && Date.now() - begun < (minute + 1) * 60_000) {
      if (sent / rate > (Date.now() - begun) / 1000) await new Promise((resolve) => setTimeout(resolve, 1000 / rate / 2));
      else await change();
    }
  }
  for (const { path, heaps, page } of tabs) {
    const settled = heaps.slice(Math.min(5, heaps.length - 2));
    console.log(`${path}: begin ${heaps[0].toFixed(2)} MB, end ${heaps.at(-1).toFixed(2)} MB, slope after the first minutes ${(slope(settled) * 60).toFixed(2)} MB an hour, complaints: ${JSON.stringify(page.complaints)}`);
  }
} finally {
  await browser.close();
  project.end();
}
