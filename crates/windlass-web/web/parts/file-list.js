// The files of a change: name first, as folders are long.

import { html } from "../lib/html.js";

const MARKS = /** @type {Record<string, string>} */ ({ new: "A", deleted: "D", renamed: "R" });

/** @param {{ files: import("../lib/diff.js").FileDiff[], viewed: Set<string>, changed: Set<string>, comments: any[] }} props */
export function FileList({ files, viewed, changed, comments }) {
  const open = (/** @type {string} */ path) => comments.filter((comment) => comment.file_path === path && !comment.resolved_at).length;
  return html`<section class="filelist"><h2>Files <span class="dim">${files.length}</span></h2><ul class="files">${files.map((file) => {
    const at = file.path.lastIndexOf("/") + 1;
    const seen = viewed.has(file.path) ? "Looked at" : changed.has(file.path) ? "Changed since you looked at it" : "";
    return html`<li><button class="quiet file" title=${file.path} onClick=${() => document.getElementById("file:" + file.path)?.scrollIntoView({ block: "start" })}>
      <span class=${"mark " + file.status} title=${file.status}>${MARKS[file.status] ?? "M"}</span><span class="mono clip"><span class="name">${file.path.slice(at)}</span> ${file.path.slice(0, at)}</span><span class="grow"></span>
      ${open(file.path) > 0 && html`<span class="count" title="Open comments">${open(file.path)}</span>`}<span class="plus">+${file.added}</span><span class="minus">−${file.removed}</span><span class="seen" title=${seen || undefined}>${viewed.has(file.path) ? "✓" : changed.has(file.path) ? "●" : ""}${seen && html`<span class="sr">${seen}</span>`}</span></button></li>`;
  })}</ul></section>`;
}
