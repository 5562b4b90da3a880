// The beginning: logs in with the code of the link, finds out who is asking, and shows the page of the address.

import { Component, html, render, useEffect, useState } from "./lib/html.js";
import { logIn, me, whoAmI } from "./lib/api.js";
import { onNews, startLive } from "./lib/live.js";
import { route } from "./lib/router.js";
import { Toasts, complain } from "./lib/toast.js";
import { Empty, Failed } from "./parts/ui.js";
import { Shell } from "./parts/shell.js";
import { Inbox } from "./pages/inbox.js";
import "./lib/theme.js";

/** Pages but the first are loaded when they are opened. @type {Record<string, () => Promise<any>>} */
const LATER = {
  board: () => import("./pages/board.js"),
  task: () => import("./pages/task.js"),
  review: () => import("./pages/review.js"),
  graph: () => import("./pages/graph.js"),
  tree: () => import("./pages/tree.js"),
  runs: () => import("./pages/runs.js"),
  run: () => import("./pages/run.js"),
  job: () => import("./pages/job.js"),
  agents: () => import("./pages/agents.js"),
  knowledge: () => import("./pages/knowledge.js"),
  entity: () => import("./pages/entity.js"),
  history: () => import("./pages/history.js"),
  health: () => import("./pages/health.js"),
};

/** @type {Map<string, any>} */
const loaded = new Map([["inbox", Inbox]]);

function Page() {
  const { page, rest } = route.value;
  const [, redraw] = useState(0);
  const [error, setError] = useState(/** @type {any} */ (null));
  useEffect(() => {
    setError(null);
    if (loaded.has(page) || !LATER[page]) return;
    LATER[page]().then(
      (module) => {
        loaded.set(page, module.default);
        redraw((count) => count + 1);
      },
      () => setError({ message: "This page could not be loaded", hint: "The dashboard may have been updated: reload it." }),
    );
  }, [page]);
  // Browsers remember that a module failed, so a page that failed with its server is loaded anew with it.
  useEffect(() => (error ? onNews((news) => news.all && location.reload()) : undefined), [error]);
  const Shown = loaded.get(page);
  if (Shown) return html`<${Shown} key=${page + "/" + rest.join("/")} id=${rest[0]} rest=${rest} />`;
  if (error) return html`<${Failed} error=${error} again=${() => location.reload()} />`;
  if (LATER[page]) return html`<div class="skeleton" role="status" aria-label="Loading"><i></i><i></i></div>`;
  return html`<${Empty} title="There is no such page"><a href="#/inbox">Go to the inbox</a><//>`;
}

/** A page that fails shows why; the frame stays. */
class Guard extends Component {
  /** @param {any} props */
  constructor(props) {
    super(props);
    this.state = { error: null, at: "" };
  }
  /** @param {any} error */
  static getDerivedStateFromError(error) {
    return { error, at: location.hash };
  }
  render() {
    const { error, at } = /** @type {any} */ (this.state);
    if (error && at === location.hash) return html`<${Failed} error=${error} again=${() => this.setState({ error: null })} />`;
    return /** @type {any} */ (this.props).children;
  }
}

function App() {
  if (!me.value) return html`<${Empty} title="The server cannot be reached">Run <code>windlass dashboard</code> in a terminal.<//>`;
  if (!me.value.reads) return html`<${Empty} title="Log in">Run <code>windlass dashboard</code> in a terminal on the machine of the server, and open the link that it prints.<//><${Toasts} />`;
  return html`<${Shell}><${Guard} at=${route.value}><${Page} /><//><//><${Toasts} />`;
}

/** Exchanges the code of the link, if there is one. It must not stay in the address or in the history. */
async function takeCode() {
  const code = /^#code=([0-9a-f]+)$/.exec(location.hash)?.[1];
  if (!code) return;
  history.replaceState(null, "", "#/inbox");
  dispatchEvent(new HashChangeEvent("hashchange"));
  await logIn(code).catch(complain);
}

async function begin() {
  await takeCode();
  await whoAmI().catch(() => {});
  if (me.value?.reads) startLive();
  const place = /** @type {HTMLElement} */ (document.getElementById("app"));
  place.replaceChildren();
  render(html`<${App} />`, place);
  if (!me.value) setTimeout(() => location.reload(), 3000);
  // A link with a code that is opened in a tab that shows the dashboard already.
  addEventListener("hashchange", () => location.hash.startsWith("#code=") && void takeCode().then(whoAmI));
  // Whoever comes back to the tab may have been logged out meanwhile.
  addEventListener("visibilitychange", () => document.hidden || void whoAmI().catch(() => {}));
}

void begin();
