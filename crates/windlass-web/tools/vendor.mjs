// Refreshes web/vendor/ from npm: `node tools/vendor.mjs` checks the pinned packages and writes the files,
// `node tools/vendor.mjs --update` takes the newest versions and pins them.
//
// npm compares each package with the checksum of its registry; the checksum that was seen first is kept in
// vendor.json, so that a package that was replaced later under the same version is refused.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "../web/vendor");
const list = join(here, "vendor.json");
const packages = JSON.parse(readFileSync(list, "utf8"));

// The page has no import map, because that would be an inline script.
const local = {
  "preact": "./preact.js",
  "preact/hooks": "./preact-hooks.js",
  "@preact/signals-core": "./signals-core.js",
};

const sums = [];
for (const [name, wanted] of Object.entries(packages)) {
  if (process.argv.includes("--update")) {
    wanted.version = execFileSync("npm", ["view", name, "version"], { encoding: "utf8" }).trim();
    delete wanted.integrity;
  }
  const folder = mkdtempSync(join(tmpdir(), "vendor-"));
  const packed = execFileSync("npm", ["pack", `${name}@${wanted.version}`, "--json"], { cwd: folder, encoding: "utf8" });
  const [info] = Object.values(JSON.parse(packed));
  const archive = join(folder, readdirSync(folder)[0]);
  const integrity = "sha512-" + createHash("sha512").update(readFileSync(archive)).digest("base64");
  if (integrity !== (wanted.integrity ?? integrity) || integrity !== (info?.integrity ?? integrity)) {
    throw new Error(`${name}@${wanted.version} is not the package that was pinned: ${integrity}`);
  }
  wanted.integrity = integrity;
  execFileSync("tar", ["xzf", archive], { cwd: folder });
  for (const [from, to] of Object.entries(wanted.files)) {
    let text = readFileSync(join(folder, "package", from), "utf8");
    text = text.replace(/(from\s*|import\s*)(["'])([^"'./][^"']*)\2/g, (all, word, quote, specifier) => {
      if (!local[specifier]) throw new Error(`${name}: unknown import ${specifier}`);
      return `${word}${quote}${local[specifier]}${quote}`;
    });
    text = text.replace(/\n?\/\/# sourceMappingURL=.*\s*$/, "\n");
    writeFileSync(join(target, to), text);
    sums.push(`${createHash("sha256").update(text).digest("hex")}  ${to}`);
  }
  const licence = readdirSync(join(folder, "package")).find((file) => /^licen[cs]e/i.test(file));
  const text = licence ? readFileSync(join(folder, "package", licence), "utf8") : "";
  if (!text) throw new Error(`${name} has no text of its licence`);
  const file = `LICENSE-${name.replace(/^@/, "").replace("/", "-")}`;
  writeFileSync(join(target, file), text);
  sums.push(`${createHash("sha256").update(text).digest("hex")}  ${file}`);
  rmSync(folder, { recursive: true });
}
writeFileSync(join(target, "SHA256SUMS"), sums.sort((a, b) => (a.slice(66) < b.slice(66) ? -1 : 1)).join("\n") + "\n");
writeFileSync(list, JSON.stringify(packages, null, 2) + "\n");
