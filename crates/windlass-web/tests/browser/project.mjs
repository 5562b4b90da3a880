// A project with a server, a person and an agent, as the tests of the browser need it.

import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const WINDLASS = process.env.WINDLASS ?? new URL("../../../../target/debug/windlass", import.meta.url).pathname;

export class Project {
  constructor() {
    this.base = mkdtempSync(join(tmpdir(), "windlass-browser-"));
    this.folder = join(this.base, "lighthouse");
    this.home = join(this.base, "home");
    mkdirSync(this.folder);
    mkdirSync(this.home);
    chmodSync(this.home, 0o700);
    this.environment = {
      PATH: process.env.PATH, HOME: this.home, USER: "ann", XDG_CONFIG_HOME: join(this.home, ".config"), XDG_STATE_HOME: join(this.home, ".local/state"),
      TERM: "xterm", LANG: "C.UTF-8", GIT_AUTHOR_NAME: "Ann", GIT_AUTHOR_EMAIL: "ann@example.com", GIT_COMMITTER_NAME: "Ann", GIT_COMMITTER_EMAIL: "ann@example.com",
    };
    this.children = [];
  }

  write(path, text) {
    mkdirSync(join(this.folder, path, ".."), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  run(program, ...args) {
    return execFileSync(program, args, { cwd: this.folder, env: this.environment, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  }

  git(...args) {
    return this.run("git", ...args);
  }

  /** A command of somebody without a terminal: an agent. */
  windlass(...args) {
    return this.run(WINDLASS, ...args);
  }

  /** A command of a person, at a terminal. */
  person(...args) {
    const words = [WINDLASS, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
    return this.run("script", "-qec", words, "/dev/null");
  }

  /** What this person has allowed. */
  grants() {
    return readFileSync(join(this.home, ".config/windlass/granted.toml"), "utf8");
  }

  /** Makes a gate one that somebody else added: its text is in the state, and not allowed on this machine. */
  forgetGrants(name) {
    const kept = this.grants().split("[[granted]]").filter((grant) => !grant.includes(`"${name}"`));
    writeFileSync(join(this.home, ".config/windlass/granted.toml"), kept.join("[[granted]]"));
  }

  /** Starts a server; resolves when it listens. */
  async serve(...args) {
    const child = spawn(WINDLASS, ["serve", ...(args.includes("--http") ? [] : ["--http", "127.0.0.1:0"]), "--json", ...args], { cwd: this.folder, env: this.environment, stdio: ["ignore", "pipe", "pipe"] });
    this.children.push(child);
    this.server = child;
    this.log = "";
    child.stderr.on("data", (data) => (this.log += data));
    const line = await new Promise((resolve, reject) => {
      let text = "";
      child.stdout.on("data", (data) => {
        text += data;
        if (text.includes("\n")) resolve(text.split("\n")[0]);
      });
      child.on("exit", () => reject(new Error(`the server ended: ${this.log}`)));
    });
    this.url = JSON.parse(line).url;
    return this.url;
  }

  async stopServer() {
    const ended = new Promise((resolve) => this.server.on("exit", resolve));
    this.server.kill("SIGTERM");
    await ended;
  }

  /** A link that logs a browser in as the person. */
  link() {
    const said = this.person("dashboard", "--no-open", "--json");
    const found = /\{.*\}/.exec(said);
    if (!found) throw new Error(`windlass dashboard said: ${said}`);
    return JSON.parse(found[0]).link;
  }

  /** Calls a tool as an agent, over plain JSON-RPC. */
  async agent(name, input = {}) {
    const response = await fetch(this.url + "/", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } }),
    });
    const { result, error } = await response.json();
    if (error) throw new Error(`${name}: ${error.message}`);
    return result.structuredContent ?? JSON.parse(result.content[0].text);
  }

  end() {
    for (const child of this.children) child.kill("SIGKILL");
    if (!process.env.KEEP) rmSync(this.base, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A small program with a test that can fail, on its way with an agent. */
export async function lighthouse() {
  const project = new Project();
  project.git("init", "-q", "-b", "main");
  project.write("Makefile", "# Checks the lamp.\ntest:\n\tsh check.sh\n\n# Counts slowly.\ncount:\n\tfor n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do printf '\\033[32mline %s\\033[0m\\n' $$n; sleep 0.5; done\n");
  project.write("check.sh", "grep -q 'period: 12' lamp.yaml && echo 'the lamp turns every 12 seconds'\n");
  project.write("lamp.yaml", "# How the lamp turns.\nname: North Head\nperiod: 10\ncolour: white\n");
  project.write("src/lamp.rs", "//! The lamp.\n\npub struct Lamp {\n    period: u32,\n}\n\nimpl Lamp {\n    pub fn new(period: u32) -> Self {\n        Self { period }\n    }\n}\n");
  project.git("add", "-A");
  project.git("commit", "-qm", "a lamp");
  project.windlass("init");
  project.git("add", "-A");
  project.git("commit", "-qm", "windlass", "--allow-empty");
  await project.serve();
  return project;
}

/** Tasks, decisions and notes for a project that has been worked on for a while. */
export async function furnish(project) {
  const call = (name, input) => project.agent(name, input);
  await call("create_feature", { name: "lamp", display_name: "Lamp" });
  await call("board_create", { title: "Version 1.0", kind: "milestone", description: "Everything for the first night." });
  const make = async (title, more = {}) => (await call("board_create", { title, ...more })).number;
  const turn = await make("Turn the lamp every 12 seconds", {
    feature: "lamp", priority: "high", tags: ["lamp"],
    description: "The chart says **12 seconds**. See `lamp.yaml`.\n\n- change the period\n- keep the colour\n\n> Fl W 12s",
    acceptance_criteria: ["`make test` passes", "The colour stays white"], context_files: ["lamp.yaml", "src/lamp.rs"],
  });
  const fog = await make("Sound the fog horn below 2 miles of visibility", { feature: "lamp", priority: "urgent", tags: ["horn", "fog"] });
  const log = await make("Write the log book", { description: "Every watch writes what it saw." });
  const radio = await make("Answer on channel 16", { blocked_by: [String(fog), String(log)] });
  await make("Paint the tower", { priority: "low", blocked_by: [String(radio)] });
  await make("Order oil", { status: "draft" });
  await make("Train a second keeper", { blocked_by: [String(log)], assignee: "bea" });
  const done = await make("Carry the lens up the stairs");
  await call("board_update", { id: done, status: "done" });
  await call("entity_create", { type: "decision", title: "One lens, not two", content: "Two lenses need two clocks.\n\n1. cost\n2. weight", properties: { status: "accepted" } });
  await call("entity_create", { type: "note", title: "The stairs have 188 steps", content: "Counted twice.", tags: ["tower"] });
  return { turn, fog, log, radio };
}
