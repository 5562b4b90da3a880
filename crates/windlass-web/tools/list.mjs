// Writes src/files.rs, the list of the files that are embedded, and in index.html the list of the modules that the first
// page needs, so that boot.js fetches them all at once: `node tools/list.mjs`.

import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const files = readdirSync(join(here, "../web"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(join(here, "../web/").length))
  .filter((path) => !path.endsWith(".d.ts") && path !== "index.html")
  .sort();
const lines = files.map((path) => `    file!("${path}"),`);
writeFileSync(
  join(here, "../src/files.rs"),
  `//! The files of \`web/\`. \`node tools/list.mjs\` writes this list; a test compares it with the folder.

macro_rules! file {
    ($path:literal) => {
        ($path, include_bytes!(concat!("../web/", $path)))
    };
}

pub const INDEX: &str = include_str!("../web/index.html");

pub const FILES: &[(&str, &[u8])] = &[
${lines.join("\n")}
];
`,
);

/** The modules that a module needs before it can run, and theirs. */
function needed(path, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  const text = readFileSync(join(here, "../web", path), "utf8");
  for (const [, other] of text.matchAll(/(?:^|[;}\n])\s*(?:import|export)\s*(?:[^"'()]*?from\s*)?["'](\.[^"']+)["']/g)) needed(join(dirname(path), other), found);
  return found;
}
const preload = [...needed("app.js")].sort().map((path) => `<link rel="later" href="@base@/${path}">`);
const page = join(here, "../web/index.html");
writeFileSync(page, readFileSync(page, "utf8").replace(/(<link rel="later"[^>]*>\n)+/, preload.join("\n") + "\n"));
