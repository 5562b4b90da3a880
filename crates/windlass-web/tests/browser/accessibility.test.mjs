// axe-core finds nothing serious on any page, light or dark, wide or narrow; nothing sticks out at 360 pixels; everything
// can be reached by keyboard.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { axeSource, launch, logIn, visit } from "./browser.mjs";
import { furnish, lighthouse } from "./project.mjs";

let browser, project, numbers, pages;

before(async () => {
  [browser, project] = await Promise.all([launch(), lighthouse()]);
  numbers = await furnish(project);
  project.person("gates", "add", "test", "make test");
  project.person("gates", "add", "spelling", "codespell");
  project.forgetGrants("spelling");
  await project.agent("task_start", { unique_name: "test" }).catch(() => {});
  await project.agent("work_start", { id: String(numbers.log) });
  await project.agent("help_request", { task_id: String(numbers.log), category: "clarification", reason: "Which ink?", suggested_options: ["black", "blue"] });
  await project.agent("begin", { id: String(numbers.turn) });
  project.write("lamp.yaml", "# How the lamp turns.\nname: North Head\nperiod: 12 # seconds\ncolour: white\n");
  project.write("src/lamp.rs", "// The lamp.\npub fn period() -> u32 {\n    12 // seconds\n}\n");
  await project.agent("done", { summary: "Every 12 seconds" });
  const review = (await project.agent("review_list", { active: true })).reviews[0].number;
  const { runId } = await project.agent("run_create", { spec: { title: "Watch", runtime: "dummy", steps: [{ name: "look", shell: "sh", command: "true" }] } });
  await project.agent("run_execute", { runId });
  const decision = (await project.agent("search_fulltext", { query: "lens clocks" })).results[0].sequence_number;
  pages = ["inbox", "board", `task/${numbers.turn}`, `task/${numbers.radio}`, `review/${review}`, "graph", "graph?ended=1&alone=1", "tree", "runs", "runs?show=jobs", `run/${runId}`, "agents", "knowledge", "knowledge?q=stairs", `entity/${decision}`, "history", "health", "no-such-page"];
});
after(async () => {
  await browser?.close();
  project?.end();
});

async function findings(page) {
  // The policy of the page lets no script in, so it is put into the page by the debugger.
  const client = await page.context().newCDPSession(page);
  await client.send("Runtime.evaluate", { expression: readFileSync(axeSource(), "utf8") });
  const { result } = await client.send("Runtime.evaluate", {
    expression: "axe.run(document, { resultTypes: ['violations'] }).then((all) => JSON.stringify(all.violations.filter((one) => ['serious', 'critical'].includes(one.impact)).map((one) => one.id + ': ' + one.nodes.map((node) => node.target.join(' ') + ' ' + (node.any[0]?.message ?? '')).slice(0, 4).join(' | '))))",
    awaitPromise: true,
  });
  return JSON.parse(result.value);
}

for (const [colorScheme, width] of [["light", 1280], ["dark", 1280], ["light", 360], ["dark", 390]]) {
  test(`no serious findings in ${colorScheme} at ${width} pixels`, async () => {
    const page = await logIn(browser, project, { colorScheme, viewport: { width, height: 800 } });
    const problems = [];
    for (const path of pages) {
      await page.goto(`${project.url}/#/${path}`);
      await page.locator("main h1, main .empty").first().waitFor();
      await page.waitForTimeout(250);
      for (const finding of await findings(page)) problems.push(`${path}: ${finding}`);
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (over > 0) problems.push(`${path} sticks out by ${over} pixels`);
    }
    assert.deepEqual(problems, []);
    await page.context().close();
  });
}

for (const colorScheme of ["light", "dark"]) {
  test(`dialogs and open forms have no serious findings either, in ${colorScheme}`, async () => {
    const page = await logIn(browser, project, { colorScheme });
    const problems = [];
    const look = async (what) => problems.push(...(await findings(page)).map((finding) => `${what}: ${finding}`));
    for (const [key, name] of [["?", "Keys"], ["/", "Search"], ["c", "New task"]]) {
      await visit(page, project, "inbox");
      await page.keyboard.press(key);
      await page.getByRole("dialog", { name }).waitFor();
      await look(name);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog", { name }).waitFor({ state: "detached" });
    }
    await visit(page, project, "board");
    await page.locator(".task[data-number]").first().waitFor();
    for (const key of ["j", "m"]) await page.keyboard.press(key);
    await page.getByRole("dialog", { name: /Move/ }).waitFor();
    await look("move");
    await visit(page, project, pages.find((path) => path.startsWith("review/")));
    await page.locator(".filediff .lines").first().focus();
    for (const key of ["ArrowDown", "Shift+ArrowDown", "Enter"]) await page.keyboard.press(key);
    await page.getByPlaceholder(/^Comment on line/).fill("Is it so?");
    await look("comment form");
    await page.keyboard.press("Control+Enter");
    await page.locator(".conversation").first().waitFor();
    await look("conversation");
    await visit(page, project, `task/${numbers.turn}`);
    await page.keyboard.press("e");
    await page.getByRole("dialog").waitFor();
    await look("edit");
    assert.deepEqual(problems, []);
    await page.context().close();
  });
}

test("the first stop of the Tab key skips to the content, and the focus is visible", async () => {
  const page = await logIn(browser, project);
  await visit(page, project, "inbox");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Skip to the content");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement?.id), "main");
  await page.keyboard.press("Tab");
  const outline = await page.evaluate(() => getComputedStyle(/** @type {Element} */ (document.activeElement)).outlineStyle);
  assert.equal(outline, "solid");
  await page.context().close();
});
