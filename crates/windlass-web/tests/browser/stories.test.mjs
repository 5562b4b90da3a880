// What people and agents do together, in a real browser against the real server.

import assert from "node:assert/strict";
import { chmodSync, readFileSync, renameSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { alter, asPerson, launch, logIn, open, visit } from "./browser.mjs";
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
  await visit(page, project, "runs?show=jobs");
  await page.locator(".list-row", { hasText: "count" }).getByRole("link", { name: "count" }).click();
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

test("addresses that lead nowhere, filters that fit nothing and a server that fails say so", async () => {
  await page.goto(`${project.url}/#/task/99999`);
  await page.getByText("Entity 99999 not found").waitFor();
  await page.locator("main code", { hasText: "windlass list" }).waitFor();
  await visit(page, project, "board?tag=no-such-tag");
  await page.getByText("No task fits the filter").waitFor();
  assert.equal(await page.getByText("Nothing is finished").count(), 0, "that would be wrong");
  await page.getByRole("button", { name: "Clear it" }).click();
  await page.locator(".task[data-number]").first().waitFor();
  const end = await alter(page, /^board\./, () => ({ status: 500, body: { message: "The disk is full", hint: "Free some space." } }));
  await page.goto("about:blank");
  for (const path of ["board", "graph"]) {
    await visit(page, project, path);
    await page.getByText("The disk is full").waitFor();
    assert.equal(await page.getByText("The disk is full").count(), 1, path);
  }
  await end();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.locator(".node").first().waitFor();
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

test("j and k move through the inbox, the runs and the tree; a task is opened from there", async () => {
  const at = () => page.evaluate(() => document.activeElement?.closest(".entry")?.textContent ?? "");
  const id = String((await project.agent("board_create", { title: "Ring the bell" })).number);
  await project.agent("begin", { id });
  await project.agent("ask", { question: "How often?" });
  await project.agent("task_start", { unique_name: "no-such" }).catch(() => {});
  await visit(page, project, "inbox");
  await page.locator(".entry", { hasText: "How often?" }).waitFor();
  await page.keyboard.press("j");
  const first = await at();
  await page.keyboard.press("j");
  const second = await at();
  await page.keyboard.press("k");
  assert.ok(first && (await at()) === first, `${first} / ${second}`);
  await visit(page, project, "tree");
  await page.locator(".tree-row").first().waitFor();
  await page.keyboard.press("j");
  const row = page.locator(".tree-row.focused");
  await row.waitFor();
  const number = /#(\d+)/.exec(await row.innerText())[1];
  await page.keyboard.press("o");
  await page.waitForURL((url) => url.hash === `#/task/${number}`);
  await visit(page, project, "runs");
  await page.keyboard.press("j");
  await page.locator(".list-row.focused").waitFor();
  // The lists of the other pages go by the same keys.
  for (const [path, row] of [["knowledge?type=note", ".entity-row"], ["knowledge?q=lamp", ".hits a"], ["history", ".event"]]) {
    await visit(page, project, path);
    await page.locator(row).first().waitFor();
    for (const key of ["j", "j", "k"]) await page.keyboard.press(key);
    const first = page.locator(row).first();
    assert.match(await first.getAttribute("class"), /focused/, path);
  }
  await visit(page, project, "knowledge?type=note");
  await page.locator(".entity-row").first().waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("o");
  await page.waitForURL((url) => url.hash.startsWith("#/entity/"));
});

test("a gate that another person added is allowed in the inbox, exactly as it was shown; the work goes on", async () => {
  project.person("gates", "add", "spelling", "echo 'no mistakes'");
  project.forgetGrants("spelling");
  const id = String((await project.agent("board_create", { title: "Write the notice to mariners" })).number);
  await project.agent("begin", { id });
  project.write("notice.txt", "Fl W 12s\n");
  const done = project.agent("done", { summary: "Written" });
  await visit(page, project, "inbox");
  const wish = page.locator(".wish", { hasText: "spelling" });
  await wish.locator("pre", { hasText: "echo 'no mistakes'" }).waitFor();
  // Between looking and clicking, the state says something else. The page must not have heard of it.
  const stale = await page.context().newPage();
  await alter(stale, /^allowlist\.wishes$/, (body) => {
    for (const text of body.texts) text.fingerprint = text.fingerprint.replace(/^./, (digit) => (digit === "0" ? "1" : "0"));
    return { status: 200, body };
  });
  await stale.goto(`${project.url}/#/inbox`);
  await stale.locator(".wish", { hasText: "spelling" }).getByRole("button", { name: "Allow as shown" }).click();
  await stale.getByText(/has changed since it was shown/).waitFor();
  await stale.close();
  await wish.getByRole("button", { name: "Allow as shown" }).click();
  await page.getByText("spelling may run on this machine").waitFor();
  await wish.waitFor({ state: "detached" });
  await done;
  // The work may have been answered as waiting before the gate was allowed.
  const reviewOfTask = async () => (await project.agent("review_list", { task_id: id })).reviews[0];
  const passed = (review) => review.gates.every((gate) => gate.status === "passed");
  let review = await reviewOfTask();
  for (let tries = 0; tries < 200 && !passed(review); tries++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    review = await reviewOfTask();
  }
  assert.ok(passed(review), JSON.stringify(review.gates));
  // An agent cannot do the same.
  await assert.rejects(project.agent("gate_allow", { id: "spelling" }), /Unknown tool|person/);
  await asPerson(page, "review_approve", { id: String(review.number) });
  project.person("gates", "remove", "spelling", "--yes");
});

test("a gate that waits is allowed on the page of the review", async () => {
  project.person("gates", "add", "lint", "echo 'no lint'");
  project.forgetGrants("lint");
  const id = String((await project.agent("board_create", { title: "Sweep the stairs" })).number);
  await project.agent("begin", { id });
  project.write("stairs.txt", "clean\n");
  const done = project.agent("done", { summary: "Swept" });
  await visit(page, project, `task/${id}`);
  await page.getByRole("link", { name: /Review \d/ }).first().click();
  const gate = page.locator(".gate", { hasText: "lint" });
  await gate.locator(".wish pre", { hasText: "echo 'no lint'" }).waitFor();
  await gate.getByRole("button", { name: "Allow as shown" }).click();
  await gate.locator(".badge", { hasText: "passed" }).waitFor();
  await done;
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByText(`Approved: #${id}`).waitFor();
  project.person("gates", "remove", "lint", "--yes");
});

test("servers of a discipline that another person set are allowed in the inbox", async () => {
  await asPerson(page, "create_discipline", { name: "charts", display_name: "Charts", icon: "map", color: "#1f6f78", mcp_servers: [{ name: "maps", command: "map-server", args: ["--read-only"] }] });
  project.forgetGrants("maps");
  await visit(page, project, "inbox");
  const wish = page.locator(".wish", { hasText: "charts" });
  await wish.locator("pre", { hasText: "map-server" }).waitFor();
  await wish.getByRole("button", { name: "Allow as shown" }).click();
  await wish.waitFor({ state: "detached" });
  assert.match(project.grants(), /maps/);
});

test("files that change after the submission are seen, remembered and accepted", async () => {
  const id = String((await project.agent("board_create", { title: "Mend the rail" })).number);
  await project.agent("begin", { id });
  project.write("rail.txt", "oak\n");
  project.write("nails.txt", "forty\n");
  await project.agent("done", { summary: "Mended" });
  const { number } = (await project.agent("review_list", { task_id: id })).reviews[0];
  await visit(page, project, `review/${number}`);
  const file = (name) => page.locator(".filediff", { hasText: name });
  await file("rail.txt").getByLabel("looked at").check();
  await file("nails.txt").getByLabel("looked at").check();
  project.write("rail.txt", "oak and iron\n");
  await page.reload();
  await page.getByText("The files have changed since the work was submitted").waitFor();
  await file("rail.txt").getByText("changed since you looked").waitFor();
  assert.equal(await file("nails.txt").getByText("changed since you looked").count(), 0);
  assert.equal(await file("nails.txt").getByLabel("looked at").isChecked(), true);
  await page.keyboard.press("d");
  await page.getByRole("button", { name: "Approve with these changes" }).click();
  await page.getByText(`Approved: #${id}`).waitFor();
  assert.equal((await project.agent("board_show", { id })).status, "done");
});

test("a conversation about lines: by keyboard, replied to, resolved; the next round shows what is new", async () => {
  const id = String((await project.agent("board_create", { title: "Wind the clock" })).number);
  await project.agent("begin", { id });
  project.write("clock.txt", Array.from({ length: 30 }, (_, index) => `tooth ${index + 1}\n`).join(""));
  await project.agent("done", { summary: "Wound" });
  const reviewOf = async () => (await project.agent("review_list", { task_id: id })).reviews[0];
  const first = await reviewOf();
  // An agent comments on the file, and on a line that is not in the change.
  await project.agent("review_comment", { review_id: first.id, body: "About the whole file", file_path: "clock.txt" });
  await project.agent("review_comment", { review_id: first.id, body: "About a line far below", file_path: "clock.txt", line_start: 900 });
  await visit(page, project, `review/${first.number}`);
  const file = page.locator(".filediff", { hasText: "clock.txt" });
  await file.getByText("About the whole file").waitFor();
  await file.getByText("About a line far below").waitFor();
  await file.locator(".lines").focus();
  for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "Shift+ArrowDown", "Enter"]) await page.keyboard.press(key);
  await page.getByPlaceholder("Comment on lines 3 to 4, after the change").fill("Why so many?");
  await page.keyboard.press("Control+Enter");
  const talk = file.locator(".talk .conversation", { hasText: "Why so many?" });
  await talk.getByRole("button", { name: "Reply" }).click();
  await talk.getByPlaceholder("Reply").fill("Because of the weight");
  await page.keyboard.press("Control+Enter");
  await talk.locator(".comment", { hasText: "Because of the weight" }).waitFor();
  const { comments } = await project.agent("review_list_comments", { review_id: first.id });
  assert.deepEqual(comments.slice(-2).map((one) => [one.line_start, one.line_end, one.side, one.author]), [[3, 4, "right", "human"], [3, 4, "right", "human"]]);
  const far = file.locator(".conversation", { hasText: "About a line far below" });
  await far.getByRole("button", { name: "Resolve" }).click();
  await file.getByRole("button", { name: /resolved: About a line far below/ }).waitFor();
  await page.getByRole("button", { name: "Request changes" }).click();
  await page.getByText(`Changes requested: #${id}`).waitFor();
  await project.agent("begin", { id });
  project.write("clock.txt", Array.from({ length: 30 }, (_, index) => `tooth ${index === 6 ? "seven" : index + 1}\n`).join(""));
  await project.agent("done", { summary: "Fewer" });
  await visit(page, project, `review/${(await reviewOf()).number}`);
  await file.getByText("changed since you looked").waitFor();
  assert.deepEqual(await file.locator("tr.fresh .text").allInnerTexts(), ["tooth seven"]);
  await file.locator(".conversation", { hasText: "Because of the weight" }).getByText("from the review before").first().waitFor();
  await asPerson(page, "review_approve", { id: String((await reviewOf()).number) });
});

test("moved, binary and empty files, modes and changes that are too long are all to be seen", async () => {
  const lines = (word) => Array.from({ length: 40 }, (_, index) => `${word} ${index}\n`).join("");
  project.write("manual/old.md", lines("step"));
  project.write("lens.bin", "a\0b");
  project.write("ring.sh", "echo ring\n");
  project.git("add", "-A");
  project.git("commit", "-qm", "more");
  const id = String((await project.agent("board_create", { title: "Rework the manual" })).number);
  await project.agent("begin", { id });
  renameSync(join(project.folder, "manual/old.md"), join(project.folder, "manual/new.md"));
  project.write("manual/new.md", lines("step").replace("step 5\n", "step five\n"));
  project.write("lens.bin", "a\0bc");
  project.write("empty.txt", "");
  chmodSync(join(project.folder, "ring.sh"), 0o755);
  project.write("zz/long.txt", Array.from({ length: 8000 }, (_, index) => `a line of a file that does not fit, ${index}\n`).join(""));
  await project.agent("done", { summary: "Reworked" });
  const { number } = (await project.agent("review_list", { task_id: id })).reviews[0];
  await visit(page, project, `review/${number}`);
  const file = (name) => page.locator(`.filediff[id="file:${name}"]`);
  await file("manual/new.md").getByText("manual/old.md →").waitFor();
  assert.equal(await file("manual/new.md").locator("tr.add, tr.del").count(), 2);
  await file("lens.bin").getByText("Binary file: 3 bytes before, 4 bytes now").waitFor();
  await file("empty.txt").getByText("The file is empty").waitFor();
  await file("ring.sh").getByText("mode 100644 → 100755").waitFor();
  assert.equal(await file("zz/long.txt").count(), 0);
  await page.getByRole("listitem").filter({ hasText: "zz/long.txt" }).getByRole("button", { name: "Show" }).click();
  await file("zz/long.txt").getByRole("button", { name: "Show 8000 lines" }).click();
  await file("zz/long.txt").getByText("does not fit, 7999", { exact: false }).waitFor({ state: "attached" });
  await asPerson(page, "review_approve", { id: String(number) });
});

test("a review is printed: the change and what was said, without the frame", async () => {
  const { number } = (await project.agent("review_list", {})).reviews[0];
  await visit(page, project, `review/${number}`);
  await page.locator(".filediff").first().waitFor();
  await page.emulateMedia({ media: "print" });
  for (const hidden of [".nav", ".toasts", "main header button"]) assert.equal(await page.locator(hidden).first().isVisible(), false, hidden);
  assert.equal(await page.locator(".filediff .diff").first().isVisible(), true);
  // Paper is white, whatever the colours of the screen are.
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  const [ink] = await page.locator(".diff .text").first().evaluate((cell) => getComputedStyle(cell).color.match(/\d+/g).map(Number));
  assert.ok(ink < 90, `ink of ${ink}`);
  await page.getByRole("heading", { name: /Rounds/ }).waitFor();
  const paper = await page.pdf();
  assert.ok(paper.length > 5000, `${paper.length} bytes`);
  await page.emulateMedia({ media: null, colorScheme: null });
});

test("the output of a step comes live, on both streams, and nothing is asked for while it is quiet", async () => {
  const steps = [{ name: "listen", shell: "sh", command: "echo first; echo 'a sound' >&2; sleep 3; echo second; sleep 60" }];
  const { runId } = await project.agent("run_create", { spec: { title: "Listening", runtime: "local", steps } });
  await project.agent("run_execute", { runId, wait: false });
  await visit(page, project, `run/${runId}`);
  await page.locator(".log", { hasText: "first" }).waitFor();
  await page.getByLabel("Standard error").getByText("a sound").waitFor();
  let asked = 0;
  const count = (request) => request.url().includes("runs.logs") && asked++;
  page.on("request", count);
  await page.locator(".log", { hasText: "second" }).waitFor();
  await page.waitForTimeout(2000);
  page.off("request", count);
  assert.ok(asked > 0 && asked <= 8, `${asked} requests`);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.locator("main header .badge", { hasText: "cancelled" }).waitFor();
});

test("the graph shows what a task releases, and saves all of it", async () => {
  const make = async (title, more) => (await project.agent("board_create", { title, ...more })).number;
  const root = await make("Root of many");
  for (let index = 0; index < 60; index++) await make(`Branch ${index}`, { blocked_by: [String(root)] });
  await visit(page, project, "graph?text=root+of+many");
  await page.locator(".node", { hasText: `#${root} ` }).click();
  await page.getByText(/completing it releases #\d+, #\d+/).waitFor();
  await page.getByPlaceholder("Filter").fill("");
  await page.locator(".critical-word").waitFor();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as SVG" }).click();
  const text = readFileSync(await (await download).path(), "utf8");
  assert.equal((text.match(/Branch \d+<\/title>/g) ?? []).length, 60, "also what is out of sight");
  assert.match(text, /stroke="rgb/, "with its colours");
  assert.ok((await page.locator(".node").count()) < 61);
});

test("the pages for a CI artifact work offline, and the graph begins where the critical path does", async () => {
  const offline = await open(browser, { offline: true });
  const asked = [];
  offline.on("request", (request) => asked.push(request.url()));
  for (const kind of ["graph", "board"]) {
    const file = join(project.base, `${kind}.html`);
    project.windlass(kind, "--html", file);
    await offline.goto(`file://${file}`);
    await offline.getByText("Root of many").first().waitFor({ state: "attached" });
    if (kind === "graph") assert.ok(await offline.locator("g.critical").first().evaluate((node) => { const { top, bottom } = node.getBoundingClientRect(); return top >= 0 && bottom <= innerHeight; }), "in sight");
    await offline.getByRole("searchbox").fill("Branch 7");
  }
  assert.deepEqual(asked.map((url) => new URL(url).protocol), ["file:", "file:"]);
  assert.deepEqual(offline.complaints, []);
  await offline.context().close();
});

test("history goes back to the first event, by kind and by whom", async () => {
  await visit(page, project, "history");
  const total = Number(/([\d,]+) events/.exec(await page.locator("main header p").innerText())[1].replace(",", ""));
  assert.ok(total > 200, `${total}`);
  await page.locator(".window").evaluate((box) => (box.scrollTop = box.scrollHeight));
  await page.locator(".event .event-kind", { hasText: /session.started|repo.registered|entity.created|allowlist.changed|project/ }).last().waitFor();
  await page.getByLabel("By whom").selectOption("human");
  await page.getByLabel("Kind of event").selectOption("review.approved");
  await page.waitForFunction(() => document.querySelectorAll(".event-kind").length > 0 && [...document.querySelectorAll(".event-kind")].every((kind) => kind.textContent === "review.approved"));
  assert.match(page.url(), /type=review.approved/);
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
  await reader.goto(`${project.url}/#/health`);
  await reader.getByText("database").waitFor();
  await reader.goto(`${project.url}/#/board`);
  await reader.getByText("Live", { exact: true }).waitFor();
  const port = new URL(project.url).port;
  await project.stopServer();
  await reader.locator(".banner", { hasText: "The server cannot be reached" }).waitFor();
  // Every page says what is wrong, and what to do about it.
  await reader.goto(`${project.url}/#/health`);
  await reader.locator("main code", { hasText: "windlass dashboard" }).waitFor();
  await reader.goto(`${project.url}/#/board`);
  const { number } = JSON.parse(project.windlass("--json", "call", "board_create", "--title", "Made while it was gone"));
  await project.serve("--http", `127.0.0.1:${port}`);
  await reader.getByText("Live", { exact: true }).waitFor();
  await reader.locator(`.task[data-number="${number}"]`).waitFor();
  await reader.context().close();
});

test("a laptop that slept catches up, however much it missed", async () => {
  // Everything goes through a line that can be cut without a word, as a sleeping laptop's is.
  const target = Number(new URL(project.url).port);
  const lines = new Set();
  let asleep = false;
  const line = createServer((near) => {
    const far = connect(target, "127.0.0.1");
    for (const [from, to] of [[near, far], [far, near]]) {
      lines.add(from);
      from.on("data", (data) => asleep || to.write(data));
      from.on("close", () => { lines.delete(from); to.destroy(); });
      from.on("error", () => {});
    }
  });
  await new Promise((resolve) => line.listen(0, "127.0.0.1", resolve));
  const reader = await open(browser);
  const known = [];
  reader.on("request", (request) => request.url().endsWith("/api/events") && known.push(Number(request.headers()["last-event-id"])));
  await reader.goto(`http://127.0.0.1:${line.address().port}/#/board`);
  await reader.getByText("Live", { exact: true }).waitFor();
  for (const many of [3, 1500]) {
    const before = known.length;
    asleep = true;
    const titles = Array.from({ length: many }, (_, index) => `Asleep ${many} ${index}`);
    for (let from = 0; from < many; from += 100) await project.agent("entity_batch", { operations: titles.slice(from, from + 100).map((title) => ({ op: "create", type: "task", title, properties: { status: "todo", priority: "urgent" } })) });
    asleep = false;
    for (const socket of lines) socket.destroy();
    await reader.locator(".task", { hasText: `Asleep ${many} 0` }).first().waitFor();
    await reader.getByText("Live", { exact: true }).waitFor();
    assert.ok(known.slice(before).every((number) => number > 0), "it goes on after the last event that it knows");
  }
  await reader.context().close();
  line.close();
});

test("nothing was complained about on the console", () => {
  const known = /Failed to load resource|ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|net::ERR/;
  assert.deepEqual(page.complaints.filter((text) => !known.test(text)), []);
});
