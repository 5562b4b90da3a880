// What people and agents do together, in a real browser against the real server.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { asPerson, launch, logIn, open, visit } from "./browser.mjs";
import { furnish, lighthouse } from "./project.mjs";

let browser, project, numbers, page;

before(async () => {
  [browser, project] = await Promise.all([launch(), lighthouse()]);
  numbers = await furnish(project);
  page = await logIn(browser, project);
});
after(async () => {
  await browser?.close();
  project?.end();
});

test("an agent submits, a person asks for changes on a line, the agent submits again, the person approves", async () => {
  project.person("gates", "add", "test", "make test");
  const id = String(numbers.turn);
  await project.agent("begin", { id });
  project.write("lamp.yaml", "# How the lamp turns.\nname: North Head\nperiod: 12\ncolour: red\n");
  project.write("src/horn.rs", "pub fn sound() -> &'static str {\n    \"hoooo\"\n}\n");
  await project.agent("done", { summary: "The lamp turns every **12 seconds**" });

  await visit(page, project, "inbox");
  await page.getByRole("link", { name: new RegExp(`#${id} Turn the lamp`) }).first().click();
  await page.getByRole("heading", { name: /Review 1/ }).waitFor();
  await page.getByText("What was done").waitFor();
  await page.locator("strong", { hasText: "12 seconds" }).first().waitFor();
  await page.locator(".gate", { hasText: "passed" }).waitFor();
  const file = page.locator(".filediff", { hasText: "lamp.yaml" });
  assert.equal(await file.locator("tr.add").count(), 2);
  assert.equal(await page.locator(".filediff").count(), 2);
  assert.ok((await page.locator(".filediff .t-word").count()) > 0, "syntax colours");

  await file.getByRole("button", { name: "Comment on line 3, after" }).click();
  await file.getByRole("button", { name: "Comment on line 4, after" }).click({ modifiers: ["Shift"] });
  await page.getByPlaceholder("Comment on lines 3 to 4, after the change").fill("The colour must stay **white**");
  await page.getByRole("button", { name: "Comment", exact: true }).click();
  await file.locator(".comment strong", { hasText: "white" }).waitFor();
  await page.locator("#summary").fill("Keep the colour");
  await page.getByRole("button", { name: "Request changes" }).click();
  await page.getByText("Changes requested: ").waitFor();

  const briefing = JSON.stringify(await project.agent("begin", { id }));
  assert.match(briefing, /The colour must stay/);
  assert.match(briefing, /Keep the colour/);
  project.write("lamp.yaml", "# How the lamp turns.\nname: North Head\nperiod: 12\ncolour: white\n");
  await project.agent("done", { summary: "White again" });

  await visit(page, project, `task/${id}`);
  await page.getByRole("link", { name: /Review \d/ }).first().click();
  await page.locator(".rounds", { hasText: "Changes requested" }).waitFor();
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByText(`Approved: #${id}`).waitFor();
  await page.locator(".badge", { hasText: "approved" }).first().waitFor();
  assert.equal((await project.agent("board_show", { id })).status, "done");
  const events = (await project.agent("event_list", { entity: id, type: "review.approved" })).events;
  assert.equal(events[0].actor, "human");
});

test("a gate is watched while it runs", async () => {
  project.person("gates", "add", "slow", "echo 'looking at the lamp'; sleep 4; echo 'it is lit'");
  const id = String((await project.agent("board_create", { title: "Look at the lamp" })).number);
  await project.agent("begin", { id });
  project.write("log.txt", "lit\n");
  const done = project.agent("done", { summary: "Looked" });
  await visit(page, project, `task/${id}`);
  await page.getByRole("link", { name: /Review \d/ }).first().click();
  const gate = page.locator(".gate", { hasText: "slow" });
  await gate.locator(".badge", { hasText: "running" }).waitFor();
  await gate.locator(".log", { hasText: "looking at the lamp" }).waitFor();
  assert.doesNotMatch(await gate.innerText(), /it is lit/);
  await gate.locator(".badge", { hasText: "passed" }).waitFor();
  await done;
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByText(`Approved: #${id}`).waitFor();
  project.person("gates", "remove", "slow", "--yes");
});

test("a question is answered, and the task goes on", async () => {
  const id = String(numbers.log);
  await project.agent("work_start", { id });
  await project.agent("help_request", { task_id: id, category: "clarification", reason: "Which **ink**?", suggested_options: ["black", "blue"] });
  await visit(page, project, "inbox");
  const card = page.locator(".entry", { hasText: "Which ink?" });
  await card.getByRole("button", { name: "blue" }).click();
  await page.getByText(`Answered: #${id} goes on`).waitFor();
  await card.waitFor({ state: "detached" });
  assert.equal((await project.agent("board_show", { id })).status, "in_progress");
});

test("a question on the way is answered by a comment", async () => {
  const id = String((await project.agent("board_create", { title: "Polish the brass" })).number);
  await project.agent("begin", { id });
  await project.agent("ask", { question: "With *vinegar* or with sand?", options: ["Vinegar", "Sand"], preferred: "Vinegar" });
  await visit(page, project, "inbox");
  const card = page.locator(".entry", { hasText: "With vinegar or with sand?" });
  await card.getByRole("button", { name: "Sand" }).click();
  await card.waitFor({ state: "detached" });
  const { comments } = await project.agent("board_show", { id });
  assert.equal(comments.at(-1).body, "Sand");
  assert.equal(comments.at(-1).author, "ann");
});

test("a command that an agent wanted is allowed, as it was shown", async () => {
  await assert.rejects(project.agent("task_start", { unique_name: "test" }), /not allowlisted/);
  await visit(page, project, "inbox");
  const wish = page.locator(".wish", { hasText: "make test" });
  await wish.locator("pre", { hasText: "sh check.sh" }).first().waitFor();
  // Between looking and clicking, the agent changes the command.
  project.write("Makefile", "test:\n\trm -rf everything\n\ncount:\n\tfor n in 1 2 3 4 5 6 7 8 9; do printf '\\033[32mline %s\\033[0m\\n' $$n; sleep 0.5; done\n");
  await wish.getByRole("button", { name: "Allow as shown" }).click();
  await page.getByText(/has changed since it was shown/).waitFor();
  await assert.rejects(project.agent("task_start", { unique_name: "test" }), /not allowlisted/);
  await page.reload();
  await wish.locator("pre", { hasText: "rm -rf everything" }).first().waitFor();
  await assert.rejects(project.agent("task_start", { unique_name: "count" }), /not allowlisted/);
  await page.locator(".wish", { hasText: "make count" }).getByRole("button", { name: "Allow as shown" }).click();
  await page.getByText("Agents may run count").waitFor();
  const started = await project.agent("task_start", { unique_name: "count", wait_seconds: 0 });
  assert.equal(started.state, "running");
});

test("a job is watched while it writes, and stopped", async () => {
  await visit(page, project, "runs");
  await page.locator("tr", { hasText: "count" }).getByRole("link", { name: "count" }).click();
  await page.locator(".log .ansi-green", { hasText: "line 1" }).first().waitFor();
  const before = await page.locator(".log .ansi-green").count();
  await page.waitForFunction((count) => document.querySelectorAll(".log .ansi-green").length > count, before);
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("count is stopped").waitFor();
  await page.locator(".badge", { hasText: /exited|failed|stopped/ }).first().waitFor();
});

test("a run is watched while it goes, cancelled and run again", async () => {
  project.write(".windlass/config.toml", "[runs]\nadhoc = true\n");
  await asPerson(page, "allowlist_allow", { target: ".windlass/config.toml" });
  const steps = [
    { name: "look", shell: "sh", command: "printf '\\033[32mlamp lit\\033[0m\\n'; sleep 1; echo '<b>ship ahoy</b>'" },
    { name: "wait", shell: "sh", command: "sleep 60" },
  ];
  const { runId } = await project.agent("run_create", { spec: { title: "Night watch", runtime: "local", steps } });
  await visit(page, project, `run/${runId}`);
  await project.agent("run_execute", { runId, wait: false });
  await page.locator(".step.running .log .ansi-green", { hasText: "lamp lit" }).waitFor();
  await page.locator(".step.success", { hasText: "look" }).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.locator("main header .badge", { hasText: "cancelled" }).waitFor();
  await page.getByRole("button", { name: "Run again" }).click();
  await page.waitForURL((url) => url.hash.startsWith("#/run/") && !url.hash.endsWith(runId));
  await page.locator(".step.running", { hasText: "wait" }).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.locator("main header .badge", { hasText: "cancelled" }).waitFor();
});

test("the board: a task is dragged, refused, moved by keys, undone, filtered", async () => {
  await visit(page, project, "board");
  const card = (number) => page.locator(`.task[data-number="${number}"]`);
  const column = (name) => page.getByRole("region", { name, exact: true });
  await card(numbers.fog).dragTo(column("In progress"));
  await column("In progress").locator(`.task[data-number="${numbers.fog}"]:not(.ghost)`).waitFor();
  assert.equal((await project.agent("board_show", { id: String(numbers.fog) })).status, "in_progress");
  await page.getByRole("button", { name: "Undo" }).last().click();
  await column("Ready").locator(`.task[data-number="${numbers.fog}"]`).waitFor();
  // A blocked task does not become ready by dragging: the card goes back, and the reason is shown.
  await card(numbers.radio).dragTo(column("Done"));
  await page.locator(".toast.bad").waitFor();
  await column("Blocked").locator(`.task[data-number="${numbers.radio}"]`).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("m");
  await page.getByRole("dialog").getByRole("button", { name: "Draft" }).click();
  await page.getByText("is in Draft").waitFor();
  await page.getByPlaceholder("Filter").fill("tower");
  await page.waitForFunction(() => document.querySelectorAll(".task[data-number]").length === 1);
  assert.match(page.url(), /text=tower/);
});

test("search as you type, and the keys", async () => {
  await visit(page, project, "inbox");
  await page.keyboard.press("/");
  await page.getByRole("searchbox", { name: "Search for" }).pressSequentially("stairs");
  await page.getByRole("link", { name: /188 steps/ }).click();
  await page.getByRole("heading", { name: /188 steps/ }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("b");
  await page.getByRole("heading", { name: "Board" }).waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).getByText("Go to Board").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog", { name: "Keys" }).waitFor({ state: "detached" });
});

test("a task is edited, and the change undone", async () => {
  await visit(page, project, `task/${numbers.fog}`);
  await page.keyboard.press("e");
  await page.getByLabel("Hints").fill("Ask the *harbour* first");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator("em", { hasText: "harbour" }).waitFor();
  await page.getByRole("button", { name: "Undo" }).last().click();
  await page.locator("em", { hasText: "harbour" }).waitFor({ state: "detached" });
});

test("two browsers see each other's changes, and an agent's", async () => {
  const other = await logIn(browser, project);
  await visit(page, project, "board");
  await visit(other, project, "board");
  const { number } = await project.agent("board_create", { title: "Seen by both" });
  await Promise.all([page, other].map((one) => one.locator(`.task[data-number="${number}"]`).waitFor()));
  await page.locator(`.task[data-number="${number}"]`).dragTo(page.getByRole("region", { name: "Draft", exact: true }));
  await other.getByRole("region", { name: "Draft", exact: true }).locator(`.task[data-number="${number}"]`).waitFor();
  await other.context().close();
});

test("the server goes and comes back; the page says so and catches up", async () => {
  const reader = await open(browser);
  await reader.goto(`${project.url}/#/board`);
  await reader.getByText("Live", { exact: true }).waitFor();
  const port = new URL(project.url).port;
  await project.stopServer();
  await reader.locator(".banner", { hasText: "The server cannot be reached" }).waitFor();
  const { number } = JSON.parse(project.windlass("--json", "call", "board_create", "--title", "Made while it was gone"));
  await project.serve("--http", `127.0.0.1:${port}`);
  await reader.getByText("Live", { exact: true }).waitFor();
  await reader.locator(`.task[data-number="${number}"]`).waitFor();
  await reader.context().close();
});

test("nothing was complained about on the console", () => {
  const known = /Failed to load resource|ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|net::ERR/;
  assert.deepEqual(page.complaints.filter((text) => !known.test(text)), []);
});
