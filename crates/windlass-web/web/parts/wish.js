// A command that an agent wanted to run, with everything that a permission covers.

import { html, useState } from "../lib/html.js";
import { api, mayWrite } from "../lib/api.js";
import { attempt } from "../lib/toast.js";
import { highlight } from "../lib/highlight.js";
import { Time, Who } from "./ui.js";

/** @param {{ wish: any }} props */
export function Wish({ wish }) {
  const [busy, setBusy] = useState(false);
  const act = async (/** @type {() => Promise<unknown>} */ work, /** @type {string} */ done, /** @type {(() => Promise<unknown>) | undefined} */ undo = undefined) => {
    setBusy(true);
    await attempt(work, done, undo);
    setBusy(false);
  };
  const name = wish.unique_name;
  const revoke = () => api.allowlist.revoke({ target: name });
  const files = wish.files.filter((/** @type {any} */ file) => file.extent !== "absent");
  return html`<div class="card entry wish">
    <div class="line"><strong class="mono">${name}</strong> <span class="dim mono">${wish.command} ${wish.args.join(" ")}</span></div>
    <p class="dim"><${Who} name=${wish.session} /> · <${Time} time=${wish.at} /> · ${wish.file_path}:${wish.line} · ${wish.reason}</p>
    <${Text} text=${wish.definition} path=${wish.file_path} />
    ${files.length > 0 && html`<details><summary>All that the permission covers: ${files.length} ${files.length === 1 ? "file" : "files"}</summary>
      ${files.map((/** @type {any} */ file) => html`<h4 class="mono">${file.path} <span class="dim">${file.extent}${file.truncated ? ", only the beginning is shown" : ""}</span></h4><${Text} text=${file.text} path=${file.path} />`)}</details>`}
    ${wish.unreadable?.length > 0 && html`<p class="note bad">It cannot be allowed alone: ${wish.unreadable.join("; ")}</p>`}
    ${mayWrite() && html`<div class="line">
      <button class="primary" disabled=${busy} onClick=${() => void act(() => api.allowlist.allow(/** @type {any} */ ({ target: name, fingerprint: wish.fingerprint })), `Agents may run ${name}`, revoke)}>Allow as shown</button>
      <button disabled=${busy} onClick=${() => void act(() => api.allowlist.deny({ target: name }), `Agents may not run ${name}`, revoke)}>Deny</button>
    </div>`}
  </div>`;
}

/** @param {{ text: string, path: string }} props */
const Text = ({ text, path }) => html`<pre class="code" tabindex="0"><code>${text.split("\n").map((line) => [highlight(line, path), "\n"])}</code></pre>`;
