// Files of a change that did not fit into it: each is read when asked for.

import { html, useState } from "../lib/html.js";
import { api } from "../lib/api.js";
import { parseDiff } from "../lib/diff.js";
import { complain } from "../lib/toast.js";

/** @param {{ review: any, paths: string[], add: (files: import("../lib/diff.js").FileDiff[]) => void }} props */
export function NotShown({ review, paths, add }) {
  const [busy, setBusy] = useState("");
  const show = async (/** @type {string} */ path) => {
    setBusy(path);
    try {
      add(parseDiff((await api.reviews.show({ id: review.id, file: path })).diff));
    } catch (error) {
      complain(error);
    }
    setBusy("");
  };
  if (!paths.length) return null;
  return html`<section class="card"><h2>${paths.length} more changed ${paths.length === 1 ? "file" : "files"}</h2><p class="dim">The change is long: these files are read when you open them.</p>
    <ul class="rows">${paths.map((path) => html`<li key=${path}><span class="mono">${path}</span><button class="small" disabled=${Boolean(busy)} onClick=${() => void show(path)}>${busy === path ? "Reading …" : "Show"}</button></li>`)}</ul></section>`;
}
