#!/usr/bin/env node
// Starts the binary that npm installed for this system. Nothing is downloaded.
"use strict";

const { spawn } = require("node:child_process");

const name = `@windlass/${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "windlass.exe" : "windlass";

let binary;
try {
  binary = require.resolve(`${name}/bin/${file}`);
} catch {
  console.error(
    `windlass: the package ${name} is not installed.\n` +
      "Either there is no binary for this system, or optional dependencies were left out: " +
      "install again without --omit=optional and --no-optional.",
  );
  process.exit(1);
}

const child = spawn(binary, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  console.error(`windlass: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else {
    process.exitCode = code;
  }
});
