// A gate or a server that nobody has allowed on this machine, with all that a permission covers.

import { html, useState } from "../lib/html.js";
import { api, mayWrite } from "../lib/api.js";
import { readAgain } from "../lib/data.js";
import { attempt } from "../lib/toast.js";

/** What it is, what allows it, and the command that does the same. @type {Record<string, { what: string, allow: (wish: any) => Promise<unknown>, command: (wish: any) => string }>} */
const KINDS = {
  gate: { what: "gate", allow: (wish) => api.gates.allow(/** @type {any} */ ({ id: String(wish.number), fingerprint: wish.fingerprint })), command: (wish) => `windlass gates allow ${wish.number}` },
  file: { what: "file of gates", allow: (wish) => api.allowlist.allow(/** @type {any} */ ({ target: wish.name, fingerprint: wish.fingerprint })), command: (wish) => `windlass allow ${wish.name}` },
  servers: { what: "MCP servers of a discipline", allow: (wish) => api.disciplines.allow(/** @type {any} */ ({ name: wish.name, fingerprint: wish.fingerprint })), command: (wish) => `windlass disciplines allow ${wish.name}` },
};

/** @param {{ wish: any }} props */
export function WishedText({ wish }) {
  const [busy, setBusy] = useState(false);
  const kind = KINDS[wish.kind];
  const allow = async () => {
    setBusy(true);
    await attempt(() => kind.allow(wish), `${wish.name} may run on this machine`);
    // Permissions are kept beside the project, so no event tells of them.
    readAgain("allowlist.wishes");
    setBusy(false);
  };
  return html`<div class="card entry wish">
    <div class="line wrap"><strong class="mono">${wish.name}</strong> <span class="dim">${kind?.what ?? wish.kind}</span></div>
    <pre class="code" tabindex="0">${wish.text}</pre>
    ${kind && mayWrite() && html`<div class="line wrap"><button class="primary" disabled=${busy} onClick=${() => void allow()}>Allow as shown</button> <span class="dim">as <code>${kind.command(wish)}</code> does</span></div>`}
  </div>`;
}
