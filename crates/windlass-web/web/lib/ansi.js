// Output of programs: their colours become classes, every other control sequence is dropped.

import { html } from "./html.js";

// CSI, OSC (with its text), other escapes, and control characters but tab and line end.
const CONTROL = /\u001b\[([0-9;:]*)([ -/]*[@-~])|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[PX^_][^\u001b]*(?:\u001b\\)?|\u001b.?|[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f]/g;

const NAMES = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

/** @param {string} codes @param {{ fg: string, bold: boolean, dim: boolean }} style */
function apply(codes, style) {
  const list = codes.split(/[;:]/).map(Number);
  for (let at = 0; at < list.length; at++) {
    const code = list[at];
    if (code === 0) style = { fg: "", bold: false, dim: false };
    else if (code === 1) style = { ...style, bold: true };
    else if (code === 2) style = { ...style, dim: true };
    else if (code === 22) style = { ...style, bold: false, dim: false };
    else if (code >= 30 && code <= 37) style = { ...style, fg: NAMES[code - 30] };
    else if (code >= 90 && code <= 97) style = { ...style, fg: NAMES[code - 90] };
    else if (code === 39) style = { ...style, fg: "" };
    else if (code === 38 || code === 48) at += list[at + 1] === 2 ? 4 : 2;
  }
  return style;
}

/** The text as nodes. @param {string} text */
export function ansi(text) {
  /** @type {any[]} */
  const out = [];
  let style = { fg: "", bold: false, dim: false };
  let from = 0;
  const push = (/** @type {string} */ part) => {
    if (!part) return;
    const kinds = [style.fg && `ansi-${style.fg}`, style.bold && "ansi-bold", style.dim && "ansi-dim"].filter(Boolean).join(" ");
    out.push(kinds ? html`<span class=${kinds}>${part}</span>` : part);
  };
  const clean = text.replaceAll("\r\n", "\n").replace(/[^\n]*\r(?=[^\n])/g, "");
  for (const found of clean.matchAll(CONTROL)) {
    push(clean.slice(from, found.index));
    from = found.index + found[0].length;
    if (found[2] === "m") style = apply(found[1] || "0", style);
  }
  push(clean.slice(from));
  return out;
}
