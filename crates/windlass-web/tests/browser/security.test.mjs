// Who may do what: a person with the cookie and its token, and nobody else. And: whatever users and agents write is text.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer, get } from "node:http";
import { after, before, test } from "node:test";
import { asPerson, launch, logIn, open, visit } from "./browser.mjs";
import { furnish, lighthouse, WINDLASS } from "./project.mjs";

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

const JSON_TYPE = { "content-type": "application/json" };
const call = (operation, input, headers = {}) => fetch(`${project.url}/api/call/${operation}`, { method: "POST", headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(input) });
const logInWith = (code, headers = {}) => fetch(`${project.url}/api/login`, { method: "POST", headers: { ...JSON_TYPE, origin: project.url, ...headers }, body: JSON.stringify({ code }) });
const codeOf = (link) => link.split("#code=")[1];

test("an agent without a terminal gets no code", () => {
  assert.throws(() => project.windlass("dashboard", "--no-open"), /Only a person at a terminal/);
  assert.throws(() => project.windlass("dashboard", "--logout"), /Only a person at a terminal/);
});

test("a code is used once, and guessing finds none", async () => {
  const code = codeOf(project.link());
  for (const guess of ["", "0".repeat(64), code.slice(1), `${code}0`, "../logout", "%2e%2e"]) {
    const response = await logInWith(guess);
    assert.equal(response.status, 403, guess);
    assert.equal(response.headers.get("set-cookie"), null);
  }
  const first = await logInWith(code);
  assert.equal(first.status, 200);
  const again = await logInWith(code);
  assert.equal(again.status, 403, "replayed");
  assert.equal((await again.json()).error_type, "CodeNotValid");
});

test("the cookie cannot be read by scripts and is sent to this server only", async () => {
  const response = await logInWith(codeOf(project.link()));
  const cookie = response.headers.get("set-cookie");
  assert.match(cookie, /HttpOnly/);
  assert.match(cookie, /SameSite=Strict/);
  assert.match(cookie, /Path=\/api\//);
  const [own] = await page.context().cookies(`${project.url}/api/me`);
  assert.equal(own.httpOnly, true);
  assert.equal(own.sameSite, "Strict");
  assert.equal(await page.evaluate(() => document.cookie), "");
  assert.doesNotMatch(page.url(), /code/, "the code is gone from the address");
});

test("half of a session is no session", async () => {
  const response = await logInWith(codeOf(project.link()));
  const cookie = response.headers.get("set-cookie").split(";")[0];
  const { token } = await response.json();
  const update = (headers) => call("board_update", { id: String(numbers.fog), priority: "low" }, headers);
  const both = { cookie, "x-windlass-token": token };
  for (const [name, headers] of Object.entries({
    nothing: {}, cookie: { cookie, origin: project.url }, token: { "x-windlass-token": token, origin: project.url },
    "wrong token": { cookie, "x-windlass-token": token.replace(/./, "0").replace(/.$/, "x"), origin: project.url },
  })) {
    assert.equal((await update(headers)).status, 401, name);
  }
  assert.equal((await update(both)).status, 403, "no Origin");
  assert.equal((await update({ ...both, origin: "http://127.0.0.1:5173" })).status, 403, "another port");
  assert.equal((await update({ ...both, origin: "https://evil.example" })).status, 403, "another site");
  assert.equal((await update({ ...both, origin: project.url, "sec-fetch-site": "cross-site" })).status, 403);
  assert.equal((await update({ ...both, origin: project.url })).status, 200);
  assert.notEqual((await project.agent("board_show", { id: String(numbers.fog) })).priority, "urgent");
});

test("without a person the page reads what an agent may read, and changes nothing", async () => {
  assert.equal((await call("board_status", {})).status, 200);
  for (const [operation, input] of [["board_create", { title: "x" }], ["allowlist_allow", { target: "test" }], ["allowlist.allow", { target: "test" }], ["review_approve", { id: "1" }], ["task_start", { unique_name: "test" }]]) {
    assert.equal((await call(operation, input)).status, 401, operation);
  }
  assert.equal((await call("execute", { code: "1" })).status, 404, "scripts have no person's rights, so they are not here");
  assert.equal((await call("no_such", {})).status, 404);
  const reader = await open(browser);
  await reader.goto(`${project.url}/#/board`);
  await reader.getByText("You can read, but not decide").waitFor();
  assert.equal(await reader.locator('.task[draggable="true"]').count(), 0);
  await reader.context().close();
});

test("an agent over MCP cannot do what only a person may, and never sees the cookie", async () => {
  const tools = await fetch(project.url + "/", { method: "POST", headers: JSON_TYPE, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }) });
  const names = (await tools.json()).result.tools.map((tool) => tool.name);
  assert.ok(names.every((name) => !/login|cookie|dashboard/.test(name)), "no tool makes a session");
  await assert.rejects(project.agent("allowlist_allow", { target: "test" }), /Unknown tool|person/);
  // The MCP endpoint takes no notice of the cookie, even with its token.
  const response = await logInWith(codeOf(project.link()));
  const headers = { ...JSON_TYPE, cookie: response.headers.get("set-cookie").split(";")[0], "x-windlass-token": (await response.json()).token, origin: project.url };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "allowlist_allow", arguments: { target: "test" } } });
  const answer = await (await fetch(project.url + "/", { method: "POST", headers, body })).json();
  assert.match(answer.error.message, /Unknown tool|person/);
});

test("another server of this machine is sent the cookie at most, and that is worth nothing", async () => {
  // Browsers send cookies to every port of a host. An agent's own server gets what the browser sends to 127.0.0.1.
  let stolen = "";
  const thief = createServer((request, response) => {
    stolen += `${request.headers.cookie ?? ""};`;
    response.setHeader("content-type", "text/html");
    response.end("<script>fetch('/api/me')</script><p>hello</p>");
  });
  await new Promise((resolve) => thief.listen(0, "127.0.0.1", resolve));
  const tab = await page.context().newPage();
  await tab.goto(`http://127.0.0.1:${thief.address().port}/api/x`);
  await tab.getByText("hello").waitFor();
  await tab.close();
  thief.close();
  const cookie = stolen.split(";").map((one) => one.trim()).find((one) => one.startsWith("windlass_"));
  const answer = await call("board_create", { title: "by a thief" }, { cookie: cookie ?? "", origin: project.url });
  assert.equal(answer.status, 401);
});

test("a page of another origin can neither call nor frame the dashboard", async () => {
  const evil = createServer((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end("<iframe id=f></iframe><p>evil</p>");
  });
  await new Promise((resolve) => evil.listen(0, "127.0.0.1", resolve));
  const tab = await page.context().newPage();
  await tab.goto(`http://localhost:${evil.address().port}/`);
  const outcome = await tab.evaluate(async (url) => {
    const attempts = [
      fetch(`${url}/api/call/board_create`, { method: "POST", credentials: "include", headers: { "content-type": "application/json" }, body: '{"title":"csrf"}' }),
      fetch(`${url}/api/call/board_create`, { method: "POST", credentials: "include", mode: "no-cors", headers: { "content-type": "text/plain" }, body: '{"title":"csrf"}' }),
      fetch(`${url}/api/calls`, { method: "POST", credentials: "include", headers: { "content-type": "application/json" }, body: '[{"name":"board.status"}]' }),
      fetch(`${url}/api/me`, { credentials: "include" }),
    ];
    document.getElementById("f").src = `${url}/`;
    return (await Promise.allSettled(attempts)).map((one) => (one.status === "fulfilled" ? one.value.type : "refused"));
  }, project.url);
  assert.deepEqual(outcome, ["refused", "refused", "refused", "refused"]);
  await tab.waitForTimeout(300);
  for (const frame of tab.frames().slice(1)) assert.doesNotMatch(await frame.content(), /id="app"/, "framed");
  await tab.close();
  evil.close();
  const found = await project.agent("search_fulltext", { query: "csrf" });
  assert.equal(found.results.length, 0);
});

test("the page has the headers that protect it", async () => {
  for (const path of ["/", "/api/me"]) {
    const { headers } = await fetch(project.url + path);
    const policy = headers.get("content-security-policy");
    assert.match(policy, /frame-ancestors 'none'/);
    assert.match(policy, /script-src 'self';/);
    assert.doesNotMatch(policy, /unsafe-/);
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("referrer-policy"), "no-referrer");
  }
  // A name that an attacker points at this machine.
  const { hostname, port } = new URL(project.url);
  for (const path of ["/", "/api/me", "/api/events"]) {
    const status = await new Promise((resolve) => get({ hostname, port, path, headers: { host: "evil.example" } }, (response) => resolve(response.statusCode)));
    assert.equal(status, 403, path);
  }
});

test("a second browser needs its own code, and logging out ends all", async () => {
  const other = await open(browser);
  await other.goto(project.url);
  await other.getByText("You can read, but not decide").waitFor();
  await other.context().close();
  assert.match(project.person("dashboard", "--logout"), /logged out/);
  await assert.rejects(asPerson(page, "board_create", { title: "late" }), /logged in/);
  await page.reload();
  await page.getByText("You can read, but not decide").waitFor();
  await page.goto(project.link());
  await page.getByRole("button", { name: "Log out" }).waitFor();
});

test("sessions end with the server, so that whoever takes its port gets nothing", async () => {
  const response = await logInWith(codeOf(project.link()));
  const headers = { cookie: response.headers.get("set-cookie").split(";")[0], "x-windlass-token": (await response.json()).token };
  const { port } = new URL(project.url);
  await project.stopServer();
  await project.serve("--http", `127.0.0.1:${port}`);
  const answer = await call("board_create", { title: "after the restart" }, { ...headers, origin: project.url });
  assert.equal(answer.status, 401);
  page = await logIn(browser, project);
});

test("a server that others can reach gives nothing without a person or its token", async () => {
  const child = spawn(WINDLASS, ["serve", "--http", "127.0.0.1:0", "--json"], { cwd: project.folder, env: { ...project.environment, WINDLASS_HTTP_TOKEN: "secret" }, stdio: ["ignore", "pipe", "ignore"] });
  project.children.push(child);
  const line = await new Promise((resolve) => child.stdout.once("data", (data) => resolve(String(data))));
  const { url } = JSON.parse(line);
  assert.equal((await fetch(`${url}/`)).status, 200, "the page itself has no data");
  assert.equal((await (await fetch(`${url}/api/me`)).json()).project, undefined);
  const status = await fetch(`${url}/api/call/board_status`, { method: "POST", headers: JSON_TYPE, body: "{}" });
  assert.equal(status.status, 401);
  assert.equal((await fetch(`${url}/api/events`)).status, 401);
  assert.equal((await fetch(`${url}/metrics`)).status, 401);
  const reader = await open(browser);
  await reader.goto(url);
  await reader.getByText("Log in", { exact: true }).waitFor();
  await reader.context().close();
  child.kill();
});

const HOSTILE = [
  "<img src=x onerror=\"window.pwned=1\">", "<script>window.pwned=1</script>", "\"><svg onload=window.pwned=1>", "javascript:window.pwned=1",
  "[click](javascript:window.pwned=1)", "![x](https://evil.example/track.png)", "<iframe srcdoc=\"<script>parent.pwned=1</script>\">", "{{constructor.constructor('window.pwned=1')()}}", "</textarea><script>window.pwned=1</script>",
];

test("hostile titles, texts, tags, comments, names, diffs and logs are only text", async () => {
  const text = HOSTILE.join("\n\n");
  const title = HOSTILE[0] + HOSTILE[1];
  const { number } = await project.agent("board_create", { title, description: text, tags: ["<b>tag</b>"], hints: text, pseudocode: text, acceptance_criteria: HOSTILE.slice(0, 4), assignee: "<i>me</i>", blocked_by: [String(numbers.log)] });
  await project.agent("add_task_comment", { task_id: number, author: "<b>x</b>", body: text });
  const note = await project.agent("entity_create", { type: "note", title, content: text, tags: ["<u>u</u>"] });
  const { turn } = numbers;
  project.person("gates", "add", "<b>gate</b>", "echo '<script>window.pwned=1</script>'");
  await project.agent("begin", { id: String(turn) });
  const name = "<img src=x onerror=window.pwned=1>.js";
  project.write(name, `${text}\nconst a = "</td></table><script>window.pwned=1</script>";\n`);
  project.write("lamp.yaml", "period: 12 # <script>window.pwned=1</script>\n--- a/fake\n+++ b/fake\n");
  // A name that would write lines of the diff, and hide in another file what it changes.
  const forger = "x\ndiff --git a\u2215lamp.yaml b\u2215lamp.yaml\n@@ -1 +1,9 @@";
  project.write(forger, "forged\n");
  await project.agent("done", { summary: text });
  await project.agent("help_request", { task_id: String(numbers.fog), category: "other", reason: text, suggested_options: HOSTILE.slice(0, 2) }).catch(() => {});
  project.write("Makefile", "evil:\n\tprintf '\\033]8;;javascript:window.pwned=1\\007link\\033]8;;\\007 \\033[31mred\\033[0m \\033]0;title\\007 <img src=x onerror=window.pwned=1> \\033[2J\\n'\n");
  await assert.rejects(project.agent("task_start", { unique_name: "evil", args: [] }), /not allowlisted/);
  await visit(page, project, "inbox");
  await page.locator(".wish", { hasText: "evil" }).getByRole("button", { name: "Allow as shown" }).click();
  await page.getByText("Agents may run evil").waitFor();
  const requests = [];
  page.on("request", (request) => requests.push(request.url()));
  const job = await project.agent("task_start", { unique_name: "evil", wait_seconds: 5 });
  const pid = job.pid ?? (await project.agent("job_list", {})).jobs[0].pid;
  const review = (await project.agent("review_list", { active: true })).reviews[0].number;
  for (const path of ["inbox", "board", `task/${number}`, `entity/${note.sequence_number ?? note.number}`, `review/${review}`, "graph?alone=1", "tree", "runs", `job/${pid}`, "knowledge?type=note", "history", `knowledge?q=${encodeURIComponent("script window")}`]) {
    await visit(page, project, path);
    await page.waitForTimeout(250);
    assert.equal(await page.evaluate(() => window.pwned), undefined, path);
    assert.equal(await page.locator("main iframe, main script, main img, main a[href^='javascript']").count(), 0, path);
  }
  await visit(page, project, `review/${review}`);
  await page.locator(".filediff .path", { hasText: name }).waitFor();
  assert.equal(await page.locator(".filediff").count(), 4, "a line or a name that looks like a header is none (lamp.yaml, Makefile and the new files)");
  assert.ok((await page.locator(".filediff").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")))).includes(forger));
  await visit(page, project, `job/${pid}`);
  await page.locator(".log .ansi-red", { hasText: "red" }).waitFor();
  const log = await page.locator(".log").innerText();
  assert.match(log, /link red {2}<img src=x onerror=window.pwned=1>/);
  assert.equal(await page.locator(".log a").count(), 0);
  assert.ok(requests.every((url) => url.startsWith(project.url)), requests.filter((url) => !url.startsWith(project.url)).join());
  assert.deepEqual(page.complaints.filter((complaint) => !/Failed to load resource/.test(complaint)), []);
});
