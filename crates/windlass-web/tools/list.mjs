// Writes src/files.rs, the list of the files that are embedded: `node tools/list.mjs`.

import { readdirSync, writeFileSync } from "node:fs";
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
