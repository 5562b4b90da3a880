// A unified diff as files, hunks and numbered lines.

/** `part`: from where to where a line differs from the one that it replaces. @typedef {{ kind: "add" | "del" | "same" | "note", text: string, left?: number, right?: number, part?: [number, number] }} Line */
/** @typedef {{ head: string, lines: Line[] }} Hunk */
/** `note` says why there are no lines. @typedef {{ path: string, from: string, status: string, added: number, removed: number, note: string, modes: string[], hunks: Hunk[] }} FileDiff */

/** Names with unusual characters are quoted. @param {string} name */
function unquote(name) {
  const text = name.trim().replace(/\t.*$/, "");
  if (!text.startsWith('"')) return text;
  const plain = new TextEncoder();
  const bytes = text.slice(1, -1).match(/\\[0-7]{3}|\\[\s\S]|[^\\]+/g)?.flatMap((part) => {
    if (/^\\[0-7]{3}$/.test(part)) return [parseInt(part.slice(1), 8)];
    if (part[0] === "\\") return [...plain.encode({ n: "\n", t: "\t" }[part[1]] ?? part[1])];
    return [...plain.encode(part)];
  });
  return new TextDecoder().decode(new Uint8Array(bytes ?? []));
}

/** @param {string} name */
const withoutPrefix = (name) => name.replace(/^[ab]\//, "");

/** @param {string | undefined} text @returns {FileDiff[]} */
export function parseDiff(text) {
  /** @type {FileDiff[]} */
  const files = [];
  let left = 0;
  let right = 0;
  let leftToCome = 0;
  let rightToCome = 0;
  for (const line of (text ?? "").split("\n")) {
    const file = files.at(-1);
    const hunk = file?.hunks.at(-1);
    // Inside of a hunk its own counts decide, so that a line that looks like a header is content.
    if (file && hunk && (leftToCome > 0 || rightToCome > 0)) {
      const mark = line[0] ?? " ";
      const rest = line.slice(1);
      if (mark === "+") {
        hunk.lines.push({ kind: "add", text: rest, right: right++ });
        file.added++;
        rightToCome--;
      } else if (mark === "-") {
        hunk.lines.push({ kind: "del", text: rest, left: left++ });
        file.removed++;
        leftToCome--;
      } else if (mark === "\\") hunk.lines.push({ kind: "note", text: rest.trim() });
      else {
        hunk.lines.push({ kind: "same", text: rest, left: left++, right: right++ });
        leftToCome--;
        rightToCome--;
      }
      continue;
    }
    const header = /^diff --git (.*)$/.exec(line);
    const range = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$/.exec(line);
    if (header) {
      const half = header[1].slice(Math.ceil(header[1].length / 2)).trim();
      files.push({ path: withoutPrefix(unquote(half)), from: "", status: "changed", added: 0, removed: 0, note: "", modes: [], hunks: [] });
    } else if (!file) continue;
    else if (range) {
      left = Number(range[1]);
      right = Number(range[3]);
      leftToCome = Number(range[2] ?? 1);
      rightToCome = Number(range[4] ?? 1);
      file.hunks.push({ head: line, lines: [] });
    } else if (line.startsWith("new file")) file.status = "new";
    else if (line.startsWith("deleted file")) file.status = "deleted";
    else if (line.startsWith("rename from ")) [file.from, file.status] = [unquote(line.slice(12)), "renamed"];
    else if (line.startsWith("rename to ")) file.path = unquote(line.slice(10));
    else if (line.startsWith("--- ") && file.status === "deleted") file.path = withoutPrefix(unquote(line.slice(4)));
    else if (line.startsWith("+++ ") && !line.startsWith("+++ /dev/null")) file.path = withoutPrefix(unquote(line.slice(4)));
    else if (/^(old|new) mode /.test(line)) file.modes.push(line.slice(9));
    else if (/^(Binary file|Too long to compare|GIT binary patch)/.test(line)) file.note = line;
    else if (hunk && line.startsWith("\\")) hunk.lines.push({ kind: "note", text: line.slice(1).trim() });
  }
  return files;
}

/** Longer lines are not compared. */
const LONGEST = 400;

/**
 * Marks what changed within lines: where as many lines were added as removed, each replaces the one at its place.
 * @param {Line[]} lines @returns {Line[]}
 */
export function withChanges(lines) {
  const out = lines.map((line) => ({ ...line }));
  for (let at = 0; at < out.length; at++) {
    if (out[at].kind !== "del") continue;
    const removed = at;
    while (out[at]?.kind === "del") at++;
    const added = at;
    while (out[at]?.kind === "add") at++;
    if (at - added !== added - removed) continue;
    for (let index = 0; index < added - removed; index++) mark(out[removed + index], out[added + index]);
    at--;
  }
  return out;
}

/** @param {Line} before @param {Line} after */
function mark(before, after) {
  const [old, now] = [before.text, after.text];
  if (old.length > LONGEST || now.length > LONGEST) return;
  const least = Math.min(old.length, now.length);
  let from = 0;
  while (from < least && old[from] === now[from]) from++;
  let end = 0;
  while (end < least - from && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  // A line with nothing in common is another line.
  if (from + end < least / 3) return;
  before.part = [from, old.length - end];
  after.part = [from, now.length - end];
}
