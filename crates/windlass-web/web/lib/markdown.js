// Markdown as view nodes. There is no HTML in between, so nothing that a user or an agent wrote can become
// an element or a script. Links open only when clicked, in another tab; images are shown as links.

import { html } from "./html.js";

const SAFE_LINK = /^(https?:|mailto:)/i;

/** @param {string} address @param {any} shown */
function anchor(address, shown) {
  if (!SAFE_LINK.test(address.trim())) return html`<span>${shown}</span>`;
  return html`<a href=${address.trim()} target="_blank" rel="noopener noreferrer nofollow" title=${address}>${shown}</a>`;
}

const INLINE =
  /(`+)([^`]|[^`][\s\S]*?[^`])\1(?!`)|!\[([^\]]*)\]\(([^()\s]+)[^)]*\)|\[([^\]]+)\]\(([^()\s]+)[^)]*\)|\*\*([\s\S]+?)\*\*|__([\s\S]+?)__|\*([^*\s][^*]*)\*|~~([\s\S]+?)~~|(https?:\/\/[^\s<>"')\]]+[^\s<>"')\].,;:!?])|(^|[\s(])#(\d{1,9})\b/;

/** @param {string} text @param {number} [depth] @returns {any[]} */
export function inline(text, depth = 0) {
  const out = [];
  let rest = text;
  while (rest) {
    const found = depth < 6 ? INLINE.exec(rest) : null;
    if (!found) {
      out.push(rest);
      break;
    }
    out.push(rest.slice(0, found.index));
    const [all, , code, imageText, image, linkText, target, bold, bold2, italic, struck, url, before, task] = found;
    if (code !== undefined) out.push(html`<code>${code.trim()}</code>`);
    else if (image !== undefined) out.push(anchor(image, `image: ${imageText || image}`));
    else if (target !== undefined) out.push(anchor(target, inline(linkText, depth + 1)));
    else if ((bold ?? bold2) !== undefined) out.push(html`<strong>${inline(bold ?? bold2, depth + 1)}</strong>`);
    else if (italic !== undefined) out.push(html`<em>${inline(italic, depth + 1)}</em>`);
    else if (struck !== undefined) out.push(html`<s>${inline(struck, depth + 1)}</s>`);
    else if (url !== undefined) out.push(anchor(url, url));
    else out.push(before, html`<a href=${"#/task/" + task}>#${task}</a>`);
    rest = rest.slice(found.index + all.length);
  }
  return out;
}

const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;

/** @param {string[]} lines @returns {any[]} */
function blocks(lines) {
  const out = [];
  let index = 0;
  while (index < lines.length) {
    const line = lines[index];
    const fence = /^\s*(```+|~~~+)/.exec(line);
    const heading = /^(#{1,6})\s+(.*?)#*$/.exec(line);
    if (!line.trim()) index++;
    else if (fence) {
      const end = lines.findIndex((other, at) => at > index && other.trim().startsWith(fence[1]));
      const stop = end < 0 ? lines.length : end;
      out.push(html`<pre class="code" tabindex="0"><code>${lines.slice(index + 1, stop).join("\n")}</code></pre>`);
      index = stop + 1;
    } else if (heading) {
      // Below the headings of the page itself.
      const Tag = `h${Math.min(heading[1].length + 2, 6)}`;
      out.push(html`<${Tag}>${inline(heading[2])}<//>`);
      index++;
    } else if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) {
      out.push(html`<hr />`);
      index++;
    } else if (/^\s*>/.test(line)) {
      const quoted = [];
      while (index < lines.length && /^\s*>/.test(lines[index])) quoted.push(lines[index++].replace(/^\s*>\s?/, ""));
      out.push(html`<blockquote>${blocks(quoted)}</blockquote>`);
    } else if (ITEM.test(line)) {
      const [list, next] = items(lines, index);
      out.push(list);
      index = next;
    } else if (line.includes("|") && /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)+\|?\s*$/.test(lines[index + 1] ?? "")) {
      const cells = (/** @type {string} */ row) => row.trim().replace(/^\||\|$/g, "").split("|").map((cell) => inline(cell.trim()));
      const rows = [];
      const head = cells(line);
      for (index += 2; index < lines.length && lines[index].includes("|"); index++) rows.push(cells(lines[index]));
      out.push(html`<div class="scroll-x"><table class="plain"><thead><tr>${head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
        <tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>`);
    } else {
      const paragraph = [];
      while (index < lines.length && lines[index].trim() && !/^\s*(```|~~~|>|#{1,6}\s)/.test(lines[index]) && !(paragraph.length && ITEM.test(lines[index]))) {
        paragraph.push(lines[index++].trim());
      }
      if (!paragraph.length) paragraph.push(lines[index++]);
      out.push(html`<p>${inline(paragraph.join(" "))}</p>`);
    }
  }
  return out;
}

/** A list and the line after it. @param {string[]} lines @param {number} index @returns {[any, number]} */
function items(lines, index) {
  const first = /** @type {RegExpExecArray} */ (ITEM.exec(lines[index]));
  const indent = first[1].length;
  const ordered = /\d/.test(first[2]);
  const entries = [];
  while (index < lines.length) {
    const item = ITEM.exec(lines[index]);
    if (!item || item[1].length < indent) break;
    if (item[1].length > indent + 1) {
      const [nested, next] = items(lines, index);
      (entries.at(-1) ?? entries[entries.push([]) - 1]).push(nested);
      index = next;
      continue;
    }
    const box = /^\[([ xX])\]\s+(.*)$/.exec(item[3]);
    const text = box ? [html`<input type="checkbox" disabled checked=${box[1] !== " "} aria-label=${box[2]} /> `, ...inline(box[2])] : inline(item[3]);
    entries.push(text);
    index++;
    while (index < lines.length && lines[index].trim() && !ITEM.test(lines[index]) && /^\s/.test(lines[index])) {
      entries.at(-1)?.push(" ", ...inline(lines[index++].trim()));
    }
  }
  const rows = entries.map((entry) => html`<li>${entry}</li>`);
  return [ordered ? html`<ol>${rows}</ol>` : html`<ul>${rows}</ul>`, index];
}

/** @param {{ text?: string }} props */
export function Markdown({ text }) {
  if (!text) return null;
  return html`<div class="markdown">${blocks(text.replaceAll("\r\n", "\n").split("\n"))}</div>`;
}
