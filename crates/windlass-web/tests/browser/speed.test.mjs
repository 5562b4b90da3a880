// Figures, each with a limit: bytes and time of the first page, from a write to the screen, 10,000 tasks, memory.
//
// Each figure is printed. With WINDLASS_SPEED=strict every goal must be met, for a machine that does nothing else. Otherwise
// times may be four times the goal, and longer by as much as this process itself is kept waiting for the processor. What does
// not depend on the machine (bytes, elements, memory) is always strict.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { launch, logIn, open, visit } from "./browser.mjs";
import { lighthouse } from "./project.mjs";

let browser, project;

before(async () => {
  [browser, project] = await Promise.all([launch(), lighthouse()]);
});
after(async () => {
  await browser?.close();
  project?.end();
});

const percentile = (values, share) => [...values].sort((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * share))];
const report = (t, text) => t.diagnostic(text);
const STRICT = process.env.WINDLASS_SPEED === "strict";

/** How many times longer than its own work something takes here now. */
function slowness() {
  const begun = performance.now();
  const before = process.cpuUsage();
  const used = () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  while (used() < 150) Math.sqrt(Math.random());
  return Math.max(1, (performance.now() - begun) / used());
}

/** Fails if a time is over its limit. */
function within(t, what, ms, goal) {
  const limit = STRICT ? goal : goal * 4 * slowness();
  report(t, `${what}: ${ms.toFixed(0)} ms, the goal is ${goal} ms, the limit here ${limit.toFixed(0)} ms`);
  assert.ok(ms < limit, `${what}: ${ms} ms`);
}

test("the first page is small and quick, and files are not asked for twice", async (t) => {
  const page = await open(browser);
  const client = await page.context().newCDPSession(page);
  await client.send("Network.enable");
  let bytes = 0;
  let files = 0;
  client.on("Network.loadingFinished", (event) => { bytes += event.encodedDataLength; files++; });
  const paints = [];
  for (let round = 0; round < 9; round++) {
    if (round === 1) { report(t, `first page: ${(bytes / 1024).toFixed(1)} KB over the wire in ${files} requests`); assert.ok(bytes < 150 * 1024, `${bytes} bytes`); }
    if (round === 2) report(t, `again: ${((bytes) / 1024).toFixed(1)} KB in all`);
    await page.goto("about:blank");
    await page.goto(`${project.url}/`);
    await page.getByRole("heading", { name: "Inbox" }).waitFor();
    paints.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0));
  }
  report(t, `first contentful paint: ${paints.map((ms) => ms.toFixed(0)).join(", ")} ms`);
  within(t, "first contentful paint, median", percentile(paints, 0.5), 100);
  const { headers } = await fetch(project.url, { headers: { "accept-encoding": "gzip" } });
  const unchanged = await fetch(project.url, { headers: { "if-none-match": headers.get("etag") } });
  assert.equal(unchanged.status, 304);
  await page.context().close();
});

test("a write is on the screen of every browser soon", async (t) => {
  const pages = await Promise.all([logIn(browser, project), logIn(browser, project)]);
  for (const page of pages) {
    await visit(page, project, "board");
    await page.evaluate(() => {
      window.seen = {};
      new MutationObserver(() => {
        for (const card of document.querySelectorAll(".task[data-number]")) {
          const text = card.textContent;
          const at = /written-(\d+)/.exec(text)?.[1];
          if (at && !window.seen[at]) window.seen[at] = Date.now() - Number(at);
        }
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    });
  }
  const { number } = await project.agent("board_create", { title: "changes" });
  for (let round = 0; round < 60; round++) {
    await project.agent("board_update", { id: String(number), title: `written-${Date.now()}` });
    await pages[0].waitForTimeout(100);
  }
  await pages[0].waitForTimeout(500);
  const delays = (await Promise.all(pages.map((page) => page.evaluate(() => Object.values(window.seen))))).flat();
  report(t, `write to screen, from before the call: p50 ${percentile(delays, 0.5)} ms, p99 ${percentile(delays, 0.99)} ms, ${delays.length} samples`);
  assert.ok(delays.length >= 30, `${delays.length} samples`);
  within(t, "write to screen, p99", percentile(delays, 0.99), 200);
  for (const page of pages) await page.context().close();
});

test("a change is read by what shows it: one column if the task stays there, all that may have it if not", async () => {
  const page = await logIn(browser, project);
  await visit(page, project, "board");
  const { number } = await project.agent("board_create", { title: "Read once", priority: "urgent" });
  const card = page.locator(`.task[data-number="${number}"]`);
  await card.waitFor();
  await page.waitForTimeout(1500);
  const asked = [];
  const count = (request) => {
    const { pathname } = new URL(request.url());
    if (pathname === "/api/calls") asked.push(...request.postDataJSON().map(({ name, input }) => `${name} ${input.status}`));
    if (pathname === "/api/call/board.list") asked.push(`board.list ${request.postDataJSON().status}`);
  };
  page.on("request", count);
  await project.agent("board_update", { id: String(number), title: "Read twice" });
  await card.getByText("Read twice").waitFor();
  assert.deepEqual(asked, ["board.list pending"]);
  await page.waitForTimeout(1500);
  asked.length = 0;
  await project.agent("board_update", { id: String(number), status: "draft" });
  await page.getByRole("region", { name: "Draft", exact: true }).locator(`.task[data-number="${number}"]`).waitFor();
  assert.equal(asked.filter((call) => call.startsWith("board.list")).length, 6, asked.join("; "));
  await page.context().close();
});

test("10,000 tasks scroll without long tasks", async (t) => {
  for (let batch = 0; batch < 100; batch++) {
    const operations = Array.from({ length: 100 }, (_, index) => ({ op: "create", type: "task", title: `Task ${batch * 100 + index} of many, with a title of usual length`, properties: { status: "todo" } }));
    await project.agent("entity_batch", { operations });
  }
  const page = await logIn(browser, project);
  await visit(page, project, "board");
  await page.getByRole("region", { name: "Ready" }).locator(".task[data-number]").first().waitFor();
  await page.waitForTimeout(500);
  const ready = 'section[aria-label="Ready"] .window';
  const scrolled = await scrollThrough(page, ready);
  await page.locator(`${ready} .task[data-number]`).first().waitFor();
  const result = { ...scrolled, ...(await page.evaluate((of) => ({ height: document.querySelector(of).scrollHeight, nodes: document.querySelectorAll("*").length, shown: document.querySelectorAll(".task[data-number]").length }), ready)) };
  report(t, `10,000 tasks: ${result.frames.toFixed(0)} frames a second, long tasks over 50 ms: [${result.long}], ${result.nodes} elements`);
  assert.ok(result.height > 10_000 * 80);
  assert.ok(result.nodes < 2500, `${result.nodes} elements`);
  assert.ok(result.shown > 0);
  within(t, "longest task while scrolling", Math.max(0, ...result.long), 50);
  await page.context().close();
});

/** Scrolls a list from its beginning to its end, as fast as the screen can; returns the long tasks and the frames a second. */
const scrollThrough = (page, selector) => page.evaluate(async (of) => {
  const long = [];
  const observer = new PerformanceObserver((list) => list.getEntries().forEach((entry) => long.push(Math.round(entry.duration))));
  observer.observe({ entryTypes: ["longtask"] });
  const box = document.querySelector(of);
  const begun = performance.now();
  for (let at = 0; at < 300; at++) {
    box.scrollTop = at < 150 ? at * 400 : Math.floor((box.scrollHeight * at) / 300);
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  const frames = 300 / ((performance.now() - begun) / 1000);
  observer.disconnect();
  return { long, frames };
}, selector);

test("1,000 runs and 100,000 events beside them", { skip: !STRICT && "only with WINDLASS_SPEED=strict: making them takes minutes" }, async (t) => {
  for (let index = 0; index < 1000; index++) await project.agent("run_create", { spec: { title: `Run ${index}`, runtime: "dummy", steps: [{ name: "look", shell: "sh", command: "true" }] } });
  const newest = async () => (await project.agent("event_list", { limit: 1 })).events[0].seq;
  for (let round = 0; (await newest()) < 100_000; round++) {
    const operations = Array.from({ length: 100 }, (_, index) => ({ op: "update", id: String(1 + ((round * 100 + index) % 10_000)), properties: { priority: ["high", "low", "urgent"][Math.floor(round / 100) % 3] } }));
    await project.agent("entity_batch", { operations });
  }
  const page = await logIn(browser, project);
  for (const [path, list, row] of [["board", 'section[aria-label="Ready"] .window', ".task[data-number]"], ["runs", ".window", ".list-row a"], ["history", ".window", ".event-kind"], ["tree", ".window", ".tree-row a"]]) {
    const begun = Date.now();
    await visit(page, project, path);
    await page.locator(row).first().waitFor();
    const shown = Date.now() - begun;
    await page.waitForTimeout(500);
    const { long, frames } = await scrollThrough(page, list);
    report(t, `${path} with ${await newest()} events: shown after ${shown} ms, ${frames.toFixed(0)} frames a second, long tasks [${long}]`);
    within(t, `longest task while ${path} is scrolled`, Math.max(0, ...long), 50);
  }
  await page.context().close();
});

test("10,000 tasks in the tree, the history and the graph: all of them can be reached, and little of it is in the page", async (t) => {
  const page = await logIn(browser, project);
  for (const [path, row] of [["tree", ".tree-row a"], ["history", ".event-kind"]]) {
    await visit(page, project, path);
    await page.locator(row).first().waitFor();
    await page.locator(".window").evaluate((box) => (box.scrollTop = box.scrollHeight));
    await page.waitForFunction((selector) => {
      const [box] = document.querySelectorAll(".window");
      return box.scrollTop > 10_000 * 25 && [...box.querySelectorAll(selector)].some((one) => one.getBoundingClientRect().bottom > box.getBoundingClientRect().bottom - 80);
    }, row);
    const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
    report(t, `${path}: ${await page.locator("main header p").first().innerText()}, ${nodes} elements`);
    assert.ok(nodes < 1500, `${path}: ${nodes} elements`);
  }
  await page.goto("about:blank");
  await page.addInitScript(() => {
    window.long = [];
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => window.long.push(Math.round(entry.duration)))).observe({ entryTypes: ["longtask"] });
  });
  const begun = Date.now();
  await visit(page, project, "graph?alone=1");
  await page.locator(".node").first().waitFor({ timeout: 120_000 });
  report(t, `graph of ${await page.locator("main header p").first().innerText()} after ${Date.now() - begun} ms, long tasks: [${await page.evaluate(() => window.long)}]`);
  assert.ok((await page.locator(".node").count()) < 600);
  within(t, "longest task of the page while 10,000 tasks are laid out", await page.evaluate(() => Math.max(0, ...window.long)), 100);
  await page.context().close();
});

/** A plan of features, each a few dozen tasks that wait for near ones, some for another feature. The same each time. */
function plan(count) {
  let seed = 7;
  const random = (below) => Math.floor(((seed = (seed * 16807) % 2147483647) / 2147483647) * below);
  const tasks = [];
  while (tasks.length < count) {
    const first = tasks.length + 1;
    for (let left = 5 + random(36); left > 0 && tasks.length < count; left--) {
      const number = tasks.length + 1;
      const near = () => Math.max(first, number - 1 - random(6));
      const blocked_by = number > first ? [near(), near()].filter((one, index, all) => all.indexOf(one) === index) : first > 1 && random(10) < 7 ? [1 + random(first - 1)] : [];
      tasks.push({ number, title: `Task ${number} of the plan`, status: "pending", blocked_by });
    }
  }
  return tasks;
}

test("thousands of tasks that wait for each other are laid out beside the page", async (t) => {
  const page = await logIn(browser, project);
  const tasks = plan(2000);
  await page.route("**/api/call/board.graph", (route) => route.fulfill({ json: { tasks } }));
  await page.evaluate(() => {
    window.long = [];
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => window.long.push(Math.round(entry.duration)))).observe({ entryTypes: ["longtask"] });
  });
  const begun = Date.now();
  await page.evaluate(() => (location.hash = "#/graph"));
  const picture = page.locator("svg.graph.big");
  await picture.waitFor();
  const draft = Date.now() - begun;
  await page.locator('.canvas[aria-busy="false"]').waitFor({ timeout: 240_000 });
  const took = Date.now() - begun;
  const long = await page.evaluate(() => window.long);
  report(t, `2,000 tasks: something after ${draft} ms, the picture after ${took} ms, long tasks of the page: [${long}]`);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as SVG" }).click();
  const text = readFileSync(await (await download).path(), "utf8");
  const places = new Map([...text.matchAll(/<title>#(\d+) [^<]*<\/title><rect x="([\d.]+)" y="([\d.]+)"/g)].map(([, number, x, y]) => [Number(number), { x: Number(x), y: Number(y) }]));
  assert.equal(places.size, tasks.length);
  for (const task of tasks) for (const before of task.blocked_by) assert.ok(places.get(before).x + 190 < places.get(task.number).x, `#${task.number} is right of #${before}`);
  const boxes = [...places.values()].sort((one, other) => one.x - other.x);
  for (const [index, one] of boxes.entries()) for (let next = index + 1; next < boxes.length && boxes[next].x < one.x + 190; next++) assert.ok(Math.abs(boxes[next].y - one.y) >= 42, "two tasks are in one place");
  within(t, "the picture of 2,000 tasks", took, 10_000);
  within(t, "longest task of the page while 2,000 tasks are laid out", Math.max(0, ...long), 100);
  await page.context().close();
});

test("memory stays where it is while events come in", async (t) => {
  const page = await logIn(browser, project);
  await visit(page, project, "board");
  const client = await page.context().newCDPSession(page);
  const heap = async () => {
    await client.send("HeapProfiler.collectGarbage");
    return (await client.send("Runtime.getHeapUsage")).usedSize / 1048576;
  };
  const { number } = await project.agent("board_create", { title: "changes all the time" });
  const rounds = Number(process.env.EVENTS ?? 300);
  const change = async (from, to) => {
    for (let round = from; round < to; round++) await project.agent("board_update", { id: String(number), priority: round % 2 ? "high" : "low" });
    await page.waitForTimeout(500);
  };
  await change(0, 50);
  const begin = await heap();
  await change(50, 50 + rounds);
  const end = await heap();
  report(t, `heap after 50 changes ${begin.toFixed(1)} MB, after ${rounds} more ${end.toFixed(1)} MB`);
  assert.ok(end - begin < 8, `${begin} to ${end}`);
  await page.context().close();
});

test("memory stays where it is while changes come faster than they can be read", async (t) => {
  const operations = Array.from({ length: 100 }, (_, index) => ({ op: "create", type: "task", title: `Slow ${index}, ${"with a long title ".repeat(10)}`, properties: { status: "todo", priority: "urgent" } }));
  await project.agent("entity_batch", { operations });
  const page = await logIn(browser, project);
  await page.route(/\/api\/calls?(\/board\.list)?$/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 60));
    await route.continue();
  });
  await visit(page, project, "board");
  await page.getByRole("region", { name: "Ready" }).locator(".task[data-number]").first().waitFor();
  const client = await page.context().newCDPSession(page);
  const heap = async () => {
    await client.send("HeapProfiler.collectGarbage");
    return (await client.send("Runtime.getHeapUsage")).usedSize / 1048576;
  };
  const { number } = await project.agent("board_create", { title: "changes all the time", priority: "urgent" });
  const heaps = [];
  for (let round = 0; round < 800; round++) {
    await project.agent("board_update", { id: String(number), title: `change ${round}` });
    // Measured while it goes on: at rest there is nothing to be kept.
    if (round % 100 === 99) heaps.push(await heap());
  }
  report(t, `heap every 100 changes: ${heaps.map((size) => size.toFixed(2)).join(", ")} MB`);
  assert.ok(Math.max(...heaps) - Math.min(...heaps) < 0.7, `${heaps}`);
  await page.context().close();
});
