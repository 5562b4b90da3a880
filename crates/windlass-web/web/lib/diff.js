// A unified diff as files, hunks and numbered lines.

/** @typedef {{ kind: "add" | "del" | "same" | "note", text: string, left?: number, right?: number }} Line */
/** @typedef {{ head: string, lines: Line[] }} Hunk */
/** @typedef {{ path: string, from: string, status: string, added: number, removed: number, binary: boolean, hunks: Hunk[] }} FileDiff */

/** git quotes names with unusual characters. @param {string} name */
function unquote(name) {
  const text = name.trim().replace(/\t.*$/, "");
  if (!text.startsWith('"')) return text;
  const bytes = [];
  const inner = text.slice(1, -1);
  for (let at = 0; at < inner.length; at++) {
    if (inner[at] !== "\\") {
      bytes.push(...new TextEncoder().encode(inner[at]));
      continue;
    }
    const octal = /^[0-7]{3}/.exec(inner.slice(at + 1));
    if (octal) {
      bytes.push(parseInt(octal[0], 8));
      at += 3;
    } else {
      bytes.push(...new TextEncoder().encode({ n: "\n", t: "\t" }[inner[at + 1]] ?? inner[at + 1] ?? ""));
      at++;
    }
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
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
      files.push({ path: withoutPrefix(unquote(half)), from: "", status: "changed", added: 0, removed: 0, binary: false, hunks: [] });
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
    else if (/^(Binary files|GIT binary patch)/.test(line)) file.binary = true;
    else if (hunk && line.startsWith("\\")) hunk.lines.push({ kind: "note", text: line.slice(1).trim() });
  }
  return files;
}
