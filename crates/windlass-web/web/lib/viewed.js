// Which files of a change a person has looked at, kept in this browser. A file that changes afterwards, in
// another round or under one's eyes, counts as changed since, and its lines that were not there then are known.

import { useState } from "./html.js";

const KEY = "windlass-looked-at";

/** The most tasks that are remembered, and the most lines of one file. */
const MOST = 50;
const MOST_LINES = 3000;

/** Before the name of a file that was there at a decision, and that nobody ticked. */
const PASSED_BY = "~";

/** @typedef {Record<string, Record<string, string>>} Remembered by task, then by file: what it was, and a hash for each changed line */

/** @returns {Remembered} */
function remembered() {
  try {
    const all = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return all && typeof all === "object" ? all : {};
  } catch {
    return {};
  }
}

/** @param {string[]} texts @param {number} [hash] */
function hashOf(texts, hash = 0x811c9dc5) {
  for (const text of texts) for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** @param {import("./diff.js").Line} line */
const lineHash = (line) => hashOf([line.kind, line.text]).toString(36);

/** A short name for the change of a file. @param {import("./diff.js").FileDiff} file */
function nameOf(file) {
  let hash = hashOf([file.note, ...file.modes]);
  for (const hunk of file.hunks) for (const line of hunk.lines) hash = hashOf([line.kind, line.text], hash);
  return `${hash.toString(16)}-${file.added}-${file.removed}-${file.status}`;
}

/** What is remembered of a file. @param {import("./diff.js").FileDiff} file */
function memoryOf(file) {
  const lines = file.hunks.flatMap((hunk) => hunk.lines).filter((line) => line.kind === "add" || line.kind === "del");
  return lines.length > MOST_LINES ? nameOf(file) : `${nameOf(file)}|${lines.map(lineHash).join(".")}`;
}

/** @param {string} memory */
const nameIn = (memory) => memory.replace(PASSED_BY, "").split("|")[0];

/** @param {string} task @param {import("./diff.js").FileDiff[]} files */
export function useViewed(task, files) {
  const [all, setAll] = useState(remembered);
  const own = all[task] ?? {};
  const names = new Map(files.map((file) => [file.path, nameOf(file)]));
  const keep = (/** @type {(before: Record<string, string>) => Record<string, string>} */ change) => {
    const { [task]: before = {}, ...others } = remembered();
    const kept = Object.fromEntries([...Object.entries(others).slice(1 - MOST), [task, change(before)]]);
    try {
      localStorage.setItem(KEY, JSON.stringify(kept));
    } catch {
      // The storage is full: what was looked at is known until the page is left.
    }
    setAll(kept);
  };
  const isViewed = (/** @type {string} */ path, /** @type {Record<string, string>} */ known) => known[path] !== undefined && !known[path].startsWith(PASSED_BY) && nameIn(known[path]) === names.get(path);
  return {
    viewed: new Set(files.map((file) => file.path).filter((path) => isViewed(path, own))),
    changed: new Set(files.map((file) => file.path).filter((path) => own[path] !== undefined && nameIn(own[path]) !== names.get(path))),
    /** Whether a line is new since the file was looked at; undefined if that is not known. @param {string} path */
    isNew: (path) => {
      const hashes = own[path] !== undefined && nameIn(own[path]) !== names.get(path) ? own[path].split("|")[1] : undefined;
      if (hashes === undefined) return undefined;
      const known = new Set(hashes.split("."));
      return (/** @type {import("./diff.js").Line} */ line) => (line.kind === "add" || line.kind === "del") && !known.has(lineHash(line));
    },
    toggle: (/** @type {import("./diff.js").FileDiff} */ file) => keep((before) => {
      const { [file.path]: _, ...rest } = before;
      return isViewed(file.path, before) ? rest : { ...rest, [file.path]: memoryOf(file) };
    }),
    /** At a decision: all of it was there to be seen. */
    decided: () => keep((before) => ({ ...Object.fromEntries(files.map((file) => [file.path, PASSED_BY + memoryOf(file)])), ...Object.fromEntries(Object.entries(before).filter(([path]) => isViewed(path, before))) })),
  };
}
