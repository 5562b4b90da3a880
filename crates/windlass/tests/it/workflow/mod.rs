//! The work lifecycle through real servers: gates that run real processes, what is refused to agents,
//! what survives a kill, and several at once.

mod gates;
mod kinds;
mod people;
mod together;
mod tries;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use windlass_core::workflow::GateDefinition;

use crate::sample::{self, Sample};
use crate::server::Server;

/// Lets the user of the tests allow everything of the project as it is now.
pub fn allow_all(project: &Path) {
    allow(project, &sample::allowlist_of_all(project));
}

pub fn allow(project: &Path, entries: &str) {
    let folder = sample::config_of(project).join("windlass");
    fs::create_dir_all(&folder).expect("made");
    fs::write(folder.join("allowlist.toml"), entries).expect("written");
}

/// A project with the gates of its file, which a person allows as they are.
pub fn project(gates: &str) -> Sample {
    let sample = sample::empty();
    write_gates(&sample, gates);
    allow_all(sample.folder.path());
    sample
}

pub fn write_gates(sample: &Sample, gates: &str) {
    fs::write(sample.folder.path().join(".windlass/gates.toml"), gates).expect("written");
}

/// One gate as the file says it.
pub fn gate(name: &str, command: &str, more: &str) -> String {
    format!(
        "[[gate]]\nname = {}\ncommand = {}\n{more}\n",
        json!(name),
        json!(command)
    )
}

/// A gate that a person adds.
pub fn add_gate(sample: &Sample, definition: &GateDefinition) {
    sample::add_gate(sample, definition);
}

/// A task that this server's session works on.
pub fn started(server: &mut Server, description: &str) -> String {
    let made = server.ok("work_create", json!({ "description": description }));
    let id = made["number"].to_string();
    let task = server.ok("work_start", json!({ "id": id }));
    assert_eq!(task["status"], "in_progress");
    id
}

/// The error of a call that must be refused, as the tools of the lifecycle tell it.
pub fn refused(server: &mut Server, tool: &str, arguments: Json) -> Json {
    let answer = server.call(tool, arguments).expect("an answer");
    assert_eq!(answer["result"]["isError"], true, "{tool}: {answer}");
    answer["result"]["structuredContent"].clone()
}

pub fn review_status(server: &mut Server, task: &str) -> String {
    let review = server.ok("review_list", json!({ "task_id": task, "limit": 1 }));
    review["reviews"][0]["status"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

pub fn eventually(what: &str, mut check: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !check() {
        assert!(begin.elapsed() < Duration::from_secs(30), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub fn processes_with(mark: &str) -> usize {
    let output = Command::new("pgrep").args(["-fc", mark]).output();
    let text = String::from_utf8_lossy(&output.expect("pgrep").stdout).into_owned();
    text.trim().parse().unwrap_or(0)
}
