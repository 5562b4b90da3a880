// A project in the middle of its work: milestones, a review with two rounds, questions, wishes, runs, jobs, sessions.

import { lighthouse } from "./project.mjs";

/** A change that an agent submits: a new file, a changed one, and one with a long name. */
function writeWork(project, colour) {
  project.write("lamp.yaml", `# How the lamp turns.\nname: North Head\nperiod: 12\ncolour: ${colour}\nsectors:\n  - { from: 20, to: 145, colour: white }\n  - { from: 145, to: 200, colour: red }\n`);
  project.write("src/lamp.rs", "//! The lamp, and how it turns.\n\nuse std::time::Duration;\n\n/// A lamp that turns once per period.\npub struct Lamp {\n    period: Duration,\n    name: String,\n}\n\nimpl Lamp {\n    pub fn new(name: impl Into<String>, seconds: u64) -> Self {\n        let period = Duration::from_secs(seconds); // the chart says 12\n        Self { period, name: name.into() }\n    }\n\n    pub fn angle(&self, at: Duration) -> f64 {\n        let part = at.as_secs_f64() % self.period.as_secs_f64();\n        360.0 * part / self.period.as_secs_f64()\n    }\n}\n");
  project.write("src/signals/international_code_of_signals_for_lighthouses_and_lightships_generated.rs", "pub const FOG: &str = \"--.\";\npub const ALL_CLEAR: &[(&str, u32)] = &[(\"white\", 12), (\"red\", 4), (\"green\", 4)];\n");
  project.write("check.sh", "grep -q 'period: 12' lamp.yaml && echo 'the lamp turns every 12 seconds'\ngrep -q 'colour: white' lamp.yaml || { echo 'the colour must be white' >&2; exit 1; }\n");
}

/** @returns {Promise<{ project: any, pages: Record<string, string> }>} the project, and the address of each page by its name */
export async function busy() {
  const project = await lighthouse();
  const call = (name, input) => project.agent(name, input);
  const make = async (title, more = {}) => (await call("board_create", { title, ...more })).number;
  await call("create_feature", { name: "lamp", display_name: "Lamp" });
  await call("create_feature", { name: "keepers-and-their-training", display_name: "Keepers" });
  await call("create_discipline", { name: "optics", display_name: "Optics" }).catch(() => {});
  const first = await make("Version 1.0: the first night", { kind: "milestone", description: "Everything for the first night." });
  const second = await make("Version 1.1: fog", { kind: "milestone" });
  const turn = await make("Turn the lamp every 12 seconds", {
    feature: "lamp", priority: "high", tags: ["lamp", "chart"], parent: String(first),
    description: "The chart says **12 seconds**; the lamp turns every 10. See `lamp.yaml` and [the notice to mariners](https://example.com/notices/12).\n\n- change the period\n- keep the colour\n\n| sector | colour |\n|---|---|\n| 020° to 145° | white |\n| 145° to 200° | red |\n\n```rust\nlet lamp = Lamp::new(\"North Head\", 12);\n```\n\n> Fl W 12s",
    acceptance_criteria: ["`make test` passes", "The colour stays white"], context_files: ["lamp.yaml", "src/lamp.rs"], hints: "The chart is in the *upper* drawer.",
  });
  const fog = await make("Sound the fog horn below 2 miles of visibility", { feature: "lamp", priority: "urgent", tags: ["horn", "fog"], parent: String(second), blocked_by: [String(turn)] });
  const log = await make("Write the log book", { description: "Every watch writes what it saw.", parent: String(first) });
  const radio = await make("Answer on channel 16", { blocked_by: [String(fog), String(log)], parent: String(second) });
  await make("Paint the tower", { priority: "low", blocked_by: [String(radio)] });
  await make("Order oil", { status: "draft" });
  await make("Electric lamp", { status: "draft", tags: ["idea"] });
  await make("Train a second keeper", { blocked_by: [String(log)], assignee: "bea", feature: "keepers-and-their-training" });
  await make("Decide what to do about a very long title that nobody has shortened because it came straight from an issue tracker with/a/path/in_it_that_does_not_break_anywhere_at_all", { priority: "high", tags: ["a-rather-long-tag", "another", "third"] });
  const windows = await make("Clean the windows", { feature: "lamp" });
  for (const title of ["Oil the clockwork", "Check the lightning rod", "Count the stairs"]) await make(title, { feature: "lamp" });
  const parts = await make("Set up the signal mast", { parent: String(second) });
  for (const title of ["Dig the hole", "Raise the mast", "Hang the cones"]) await make(title, { parent: String(parts) });
  for (const title of ["Carry the lens up the stairs", "Build the tower", "Level the rock", "Land the stones"]) {
    const done = await make(title, { parent: String(first) });
    await call("board_update", { id: done, status: "done" });
  }
  const decision = await call("entity_create", { type: "decision", title: "One lens, not two", content: "Two lenses need two clocks.\n\n1. cost\n2. weight", properties: { status: "accepted", context: "The builder offered two.", consequences: ["One clock", "A blind sector to the north"] } });
  await call("entity_create", { type: "decision", title: "Signals by day are cones and balls", content: "As in the international code.", properties: { status: "proposed" } });
  for (const [title, content] of [["The stairs have 188 steps", "Counted twice."], ["Gulls fly against the lamp in October", "Nets help a little."], ["The harbour master answers after 9", ""]]) await call("entity_create", { type: "note", title, content, tags: ["tower"] });

  project.person("gates", "add", "test", "make test");
  project.person("gates", "add", "format", "printf '\\033[32mok\\033[0m all files are formatted\\n'");
  // A review that went back once and is in again.
  await call("begin", { id: String(turn) });
  writeWork(project, "red");
  await call("done", { summary: "The lamp turns every **12 seconds**. `Lamp::angle` is new." }).catch(() => {});
  writeWork(project, "white");
  await call("done", { summary: "White, as it was" }).catch(() => {});
  const round = (await call("review_list", {})).reviews[0];
  await call("review_comment", { review_id: round.id, body: "Is 145° the same in the chart of 1897?", file_path: "lamp.yaml", line_start: 6, line_end: 7, side: "right" });
  project.person("reviews", "request-changes", String(round.number), "--summary", "The sectors need a **test**.");
  await call("begin", { id: String(turn) });
  project.write("tests/sectors.rs", "#[test]\nfn sectors_do_not_overlap() {\n    let sectors = load(\"lamp.yaml\");\n    assert!(sectors.windows(2).all(|pair| pair[0].to <= pair[1].from));\n}\n");
  await call("done", { summary: "The lamp turns every **12 seconds** and stays white.\n\n- `Lamp::angle` is new\n- sectors as in the chart" }).catch(() => {});
  // A gate whose text another person added: nobody has allowed it on this machine.
  project.person("gates", "add", "spelling", "codespell docs src");
  project.forgetGrants("spelling");
  await call("update_discipline", { name: "optics", mcp_servers: [{ name: "charts", command: "npx", args: ["-y", "@example/charts"], env: {} }] }).catch(() => {});
  const { number: review, id: reviewId } = (await call("review_list", { active: true })).reviews[0];
  // A question that stops a task, and one on the way.
  await call("work_start", { id: String(log) });
  await call("help_request", { task_id: String(log), category: "decision", reason: "Which **ink** should the log book have? Blue fades, black was out of stock.", suggested_options: ["Black, and wait for it", "Blue"] });
  // Commands that agents want; runs and jobs.
  await call("task_start", { unique_name: "count" }).catch(() => {});
  project.person("allow", "test", "--yes");
  await call("task_start", { unique_name: "test", wait_seconds: 10 }).catch(() => {});
  project.write(".windlass/config.toml", "[runs]\nadhoc = true\n");
  project.person("allow", ".windlass/config.toml", "--yes");
  const steps = [{ name: "look", shell: "sh", command: "printf 'lamp \\033[32mlit\\033[0m\\n'" }, { name: "measure the period", shell: "sh", command: "printf 'turning…\\n'; for n in 1 2 3; do printf 'turn %s: \\033[33m12.%s s\\033[0m\\n' $n $n; done" }, { name: "compare", shell: "sh", command: "printf 'the chart says 12 s\\n'; printf 'the third turn took 12.3 s\\n' >&2; exit 3" }, { name: "sign", shell: "sh", command: "true" }];
  const { runId } = await call("run_create", { spec: { title: "Watch of the first night", runtime: "local", steps } });
  await call("run_execute", { runId }).catch(() => {});
  for (const title of ["Check the oil", "Measure the visibility"]) {
    const made = await call("run_create", { spec: { title, runtime: "dummy", steps: steps.slice(0, 1) } });
    await call("run_execute", { runId: made.runId }).catch(() => {});
  }
  const pid = (await call("job_list", {})).jobs[0]?.pid;
  // What the agent is at right now: a task, and a run that goes on.
  await call("begin", { id: String(windows) });
  const watch = await call("run_create", { spec: { title: "Second watch", runtime: "local", steps: [...steps.slice(0, 1), { name: "listen for ships", shell: "sh", command: "printf 'listening on \\033[36mchannel 16\\033[0m\\n'; sleep 600" }] } });
  await call("run_execute", { runId: watch.runId, wait: false });
  return {
    project, reviewId, numbers: { turn, fog, log, radio },
    pages: {
      inbox: "inbox", board: "board", task: `task/${turn}`, "task-blocked": `task/${radio}`, review: `review/${review}`, graph: "graph?ended=1", tree: "tree", runs: "runs", jobs: "runs?show=jobs", run: `run/${runId}`, "run-live": `run/${watch.runId}`, job: `job/${pid}`,
      agents: "agents", knowledge: "knowledge", search: "knowledge?q=lamp", entity: `entity/${decision.sequence_number ?? decision.number}`, history: "history", health: "health",
    },
  };
}
