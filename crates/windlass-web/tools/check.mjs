// Checks the types of the page: `node tools/check.mjs TYPESCRIPT`, where TYPESCRIPT is the folder of that package.
//
// The types of the operations are those of docs/sdk.d.ts. They are put into a namespace first, because some of
// their names (Node, focus) are also names of the browser. The libraries have their types beside them.

import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const target = join(root, "types/sdk.generated.d.ts");
const typescript = process.argv[2] ?? "node_modules/typescript";

const sdk = readFileSync(join(root, "../../docs/sdk.d.ts"), "utf8");
const types = sdk.slice(sdk.indexOf("\ntype "), sdk.search(/^declare const (?!console)/m));
const operations = sdk.slice(sdk.search(/^declare const (?!console)/m)).replaceAll(/^declare const (\w+): \{/gm, "readonly $1: {");
try {
  writeFileSync(target, `declare namespace Sdk {\n${types}\ninterface Operations {\n${operations}\n}\n}\n`);
  execFileSync(process.execPath, [join(typescript, "bin/tsc"), "-p", root], { stdio: "inherit" });
} catch (problem) {
  console.error(/** @type {Error} */ (problem).message);
  process.exitCode = 1;
} finally {
  rmSync(target, { force: true });
}
