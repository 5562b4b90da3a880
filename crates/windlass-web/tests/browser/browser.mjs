// A real browser: Chromium of the system, driven by playwright-core.

import { existsSync } from "node:fs";
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
  page.setDefaultTimeout(30_000);
  page.complaints = [];
  page.on("pageerror", (error) => page.complaints.push(error.message));
  page.on("console", (message) => message.type() === "error" && page.complaints.push(message.text()));
  return page;
}

/** A page that a person is logged in to. */
export async function logIn(browser, project, options) {
  const page = await open(browser, options);
  await page.goto(project.link());
  await page.getByText("Live", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Log out" }).waitFor();
  return page;
}

/** Opens a page of the dashboard by its address. */
export async function visit(page, project, path) {
  await page.goto(`${project.url}/#/${path}`);
  await page.locator("main h1").first().waitFor();
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
