// The frame of all pages: navigation, who is logged in, whether the page is live.

import { html, useEffect, useState } from "../lib/html.js";
import { logOut, me } from "../lib/api.js";
import { useKeys, activeKeys } from "../lib/keys.js";
import { connection } from "../lib/live.js";
import { go, link, route } from "../lib/router.js";
import { useWaiting } from "../lib/waiting.js";
import { nextTheme, theme } from "../lib/theme.js";
import { Dialog } from "./dialog.js";
import { Search } from "./search.js";
import { NewTask } from "./new-task.js";

/** Page, name, key. @type {[string, string, string][]} */
export const PAGES = [
  ["inbox", "Inbox", "i"],
  ["board", "Board", "b"],
  ["graph", "Graph", "d"],
  ["tree", "Tree", "t"],
  ["runs", "Runs", "r"],
  ["agents", "Agents", "a"],
  ["knowledge", "Knowledge", "k"],
  ["history", "History", "h"],
  ["health", "Health", "e"],
];

/** Pages below others. */
const UNDER = /** @type {Record<string, string>} */ ({ task: "board", review: "inbox", run: "runs", job: "runs", entity: "knowledge" });

/** @param {{ children: any }} props */
export function Shell({ children }) {
  const [open, setOpen] = useState("");
  const waiting = useWaiting({ later: true }).count;
  const current = UNDER[route.value.page] ?? route.value.page;
  const name = me.value?.project ?? "Windlass";
  useEffect(() => {
    document.title = `${waiting ? `(${waiting}) ` : ""}${name} · Windlass`;
  }, [waiting, name]);
  // On a phone the pages are one line that can be scrolled.
  useEffect(() => document.querySelector(".nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" }), [current]);
  // A dialog that ends late must not close the one that was opened after it.
  const shut = (/** @type {string} */ which) => () => setOpen((now) => (now === which ? "" : now));
  useKeys([
    { keys: "?", does: "Show all keys", run: () => setOpen("keys") },
    { keys: "/", does: "Search", run: () => setOpen("search") },
    { keys: "c", does: "Create a task", run: () => setOpen("new") },
    ...PAGES.map(([page, title, key]) => ({ keys: `g ${key}`, does: `Go to ${title}`, run: () => go(link(page)) })),
  ]);
  return html`
    <a class="skip" href="#main" onClick=${(/** @type {Event} */ event) => { event.preventDefault(); document.getElementById("main")?.focus(); }}>Skip to the content</a>
    <div class="shell">
      <nav class="nav" aria-label="Pages">
        <a class="brand" href="#/inbox" title=${name}><${Mark} /><span>${name}</span></a>
        <ul>${PAGES.map(([page, title]) => html`<li><a href=${link(page)} aria-current=${current === page ? "page" : undefined}>${title}${page === "inbox" && waiting ? html` <span class="count">${waiting}<span class="sr"> waiting</span></span>` : ""}</a></li>`)}</ul>
        <div class="nav-foot">
          <button class="quiet" onClick=${() => setOpen("search")} title="Search (/)">Search <kbd>/</kbd></button>
          <button class="quiet" onClick=${nextTheme} title="Colours: system, light, dark">Theme <span class="roomy">${theme.value}</span></button>
          <button class="quiet" onClick=${() => setOpen("keys")}>Keys <kbd>?</kbd></button>
          <${Account} />
        </div>
      </nav>
      <div class="content">
        <${Banner} />
        <main id="main" tabindex="-1">${children}</main>
      </div>
    </div>
    ${open === "keys" && html`<${Keys} close=${shut("keys")} />`}
    ${open === "search" && html`<${Search} close=${shut("search")} />`}
    ${open === "new" && html`<${NewTask} close=${shut("new")} />`}
  `;
}

const Mark = () => html`<svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true"><rect width="32" height="32" rx="7" class="mark-back" /><g class="mark-line"><circle cx="16" cy="14" r="6.2" /><path d="M16 5v4M16 19v8M8 14h2M22 14h2M11 27h10" /></g></svg>`;

function Account() {
  const live = connection.value === "live";
  return html`<div class="account">
    <span class=${"live " + connection.value} role="status">${live ? "Live" : connection.value === "gone" ? "Offline" : "Connecting"}</span>
    ${me.value?.person
      ? html`<span class="roomy" title=${me.value.session}>${me.value.person}</span><button class="quiet small" onClick=${() => void logOut().catch(() => {})}>Log out</button>`
      : html`<span class="dim roomy">read only</span>`}
  </div>`;
}

function Banner() {
  if (connection.value === "gone") return html`<div class="banner bad" role="alert">The server cannot be reached. What you see may be old; the page goes on as soon as it is back.</div>`;
  if (me.value?.read_only) return html`<div class="banner">This server is read-only.</div>`;
  if (!me.value?.person) return html`<div class="banner">You can read, but not decide. Run <code>windlass dashboard</code> in a terminal to log in as yourself.</div>`;
  return null;
}

/** @param {{ close: () => void }} props */
function Keys({ close }) {
  return html`<${Dialog} title="Keys" close=${close}><dl class="keys">
    ${activeKeys().map((key) => html`<div><dt>${key.keys.split(" ").map((one) => html`<kbd>${one}</kbd> `)}</dt><dd>${key.does}</dd></div>`)}
  </dl><//>`;
}
