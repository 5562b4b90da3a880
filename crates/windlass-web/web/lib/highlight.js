// Syntax colours for one line of code: comments, strings, numbers and the words of common languages.
//
// A line is looked at alone, because a diff shows parts of files. That is wrong inside of comments and
// strings over several lines, and right nearly everywhere else.

import { html } from "./html.js";

const WORDS = new Set(
  ("abstract and any as async await bool break byte case catch chan char class const continue crate def default defer del delete do double dyn elif else end enum except export extends extern False false final finally float fn for foreach from func function global go if impl implements import in include instanceof int interface is lambda let local long loop match mod module move mut namespace new nil None nonlocal not null object of or override package pass private protected pub public raise readonly ref require return self Self short signed sizeof static string struct super switch template then this throw throws trait True true try type typedef typeof undefined union unsafe unsigned use using var virtual void where while with yield").split(" "),
);

const HASH_COMMENTS = /\.(py|rb|sh|bash|zsh|ya?ml|toml|mk|pl|r|jl|nix|tf|cfg|ini|conf|env|ps1)$|(^|\/)(Makefile|Dockerfile|justfile|Justfile|\.gitignore|CMakeLists\.txt)$/i;
const DASH_COMMENTS = /\.(sql|lua|hs|elm|ads|adb)$/i;
const NO_COLOURS = /\.(md|txt|csv|lock|svg|html?|xml)$/i;

const C_TOKENS = /(\/\/.*$|\/\*.*?(?:\*\/|$)|^\s*\*.*$)|("(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`?)|\b(\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?[a-z0-9_]*|0x[0-9a-f_]+)\b|([A-Za-z_$][\w$]*)/gi;
const HASH_TOKENS = /((?:^|\s)#.*$)|("(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?)|\b(\d[\d_]*(?:\.\d+)?)\b|([A-Za-z_$][\w$]*)/g;
const DASH_TOKENS = /(--.*$)|("(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?)|\b(\d[\d_]*(?:\.\d+)?)\b|([A-Za-z_$][\w$]*)/g;

/** @param {string} path */
function tokensOf(path) {
  if (NO_COLOURS.test(path)) return null;
  if (HASH_COMMENTS.test(path)) return HASH_TOKENS;
  return DASH_COMMENTS.test(path) ? DASH_TOKENS : C_TOKENS;
}

/** @param {string} text @param {string} path @returns {any} */
export function highlight(text, path) {
  const tokens = tokensOf(path);
  if (!tokens || text.length > 1000) return text;
  const out = [];
  let from = 0;
  for (const found of text.matchAll(tokens)) {
    const [all, comment, string, digits, word] = found;
    const kind = comment ? "t-comment" : string ? "t-string" : digits ? "t-number" : WORDS.has(word) ? "t-word" : "";
    if (!kind) continue;
    if (found.index > from) out.push(text.slice(from, found.index));
    out.push(html`<span class=${kind}>${all}</span>`);
    from = found.index + all.length;
  }
  out.push(text.slice(from));
  return out;
}
