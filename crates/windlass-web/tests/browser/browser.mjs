// A real browser: Chromium of the system, driven by playwright-core.

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** Where `cargo xtask test` puts the packages of npm, or another folder that has them. */
const clients = process.env.WINDLASS_CLIENTS ?? join(import.meta.dirname, "../../../../target/clients");
const packages = process.env.NODE_MODULES ?? join(clients, "node/node_modules");
const load = createRequire(join(packages, "x.js"));
const { chromium } = load("playwright-core");
export const axeSource = () => load.resolve("axe-core/axe.min.js");

const PATHS = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export async function launch() {
  const executablePath = PATHS.find((path) => path && existsSync(path));
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  return chromium.launch({ executablePath, args });
}

/** A page of its own browser profile. What it complains about on its console is collected. */
export async function open(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  if (process.env.WINDLASS_WEB) await fromFolder(page, process.env.WINDLASS_WEB);
  page.complaints = [];
  page.on("pageerror", (error) => page.complaints.push(error.message));
  page.on("console", (message) => message.type() === "error" && page.complaints.push(message.text()));
  return page;
}

const TYPES = { js: "text/javascript", css: "text/css", svg: "image/svg+xml" };

/** Takes the files of the page from a folder instead of the binary, so that a change is seen without building it. */
async function fromFolder(page, folder) {
  await page.route("**/ui/*/**", (route) => {
    const file = join(folder, new URL(route.request().url()).pathname.replace(/^\/ui\/[^/]+/, ""));
    return existsSync(file) ? route.fulfill({ body: readFileSync(file), contentType: TYPES[file.split(".").pop()] }) : route.fulfill({ status: 404 });
  });
  // The styles are in the page itself, and its policy names their digest.
  await page.route((url) => url.pathname === "/", async (route) => {
    if (route.request().method() !== "GET") return route.continue();
    const response = await route.fetch();
    const style = readFileSync(join(folder, "style.css"), "utf8");
    const digest = createHash("sha256").update(style).digest("base64");
    const headers = { ...response.headers(), "content-security-policy": (response.headers()["content-security-policy"] ?? "").replace(/'sha256-[^']+'/, `'sha256-${digest}'`) };
    return route.fulfill({ response, headers, body: (await response.text()).replace(/<style>[\s\S]*?<\/style>/, () => `<style>${style}</style>`) });
  });
}

/** A page that a person is logged in to. */
export async function logIn(browser, project, options) {
  const page = await open(browser, options);
  await page.goto(project.link());
  await page.getByText("Live", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Log out" }).waitFor();
  return page;
}

/** Opens a page of the dashboard by its address. The title of the page before it stays until then: it is not waited for. */
export async function visit(page, project, path) {
  const [to] = `${project.url}/#/${path}`.split("?");
  if (page.url().split("?")[0] !== to) await page.locator("main h1").evaluateAll((titles) => titles.forEach((title) => title.setAttribute("data-left", "")));
  await page.goto(`${project.url}/#/${path}`);
  await page.locator("main h1:not([data-left])").first().waitFor();
}

/**
 * Replaces what operations answer to a page, whether they are called alone or with others. `change` gets the answer and
 * returns `{ status, body }`. Returns what ends it.
 */
export async function alter(page, names, change) {
  const alone = (url) => url.pathname.startsWith("/api/call/") && names.test(url.pathname.slice("/api/call/".length));
  const together = (url) => url.pathname === "/api/calls";
  await page.route(alone, async (route) => {
    const { status, body } = change(await (await route.fetch()).json());
    await route.fulfill({ status, json: body });
  });
  await page.route(together, async (route) => {
    const calls = route.request().postDataJSON();
    const lines = (await (await route.fetch()).text()).trim().split("\n").map((line) => JSON.parse(line));
    const changed = lines.map(({ index, status, body }) => ({ index, ...(names.test(calls[index].name) ? change(body) : { status, body }) }));
    await route.fulfill({ contentType: "application/x-ndjson", body: changed.map((line) => JSON.stringify(line) + "\n").join("") });
  });
  return async () => {
    await page.unroute(alone);
    await page.unroute(together);
  };
}

/** Calls an operation as the person of a page, as the page itself does. */
export function asPerson(page, name, input) {
  return page.evaluate(async ([operation, body]) => {
    const headers = { "content-type": "application/json", "x-windlass-token": localStorage.getItem("windlass-token") ?? "" };
    const response = await fetch(`/api/call/${operation}`, { method: "POST", headers, body: JSON.stringify(body) });
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.message);
    return answer;
  }, [name, input]);
}
