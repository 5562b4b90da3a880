//! The log files: servers write them, `windlass logs` reads them, and no secret is in them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::setup::Bench;

const SECRET: &str = "correct-horse-battery";

/// Serves one session that calls a tool by a name that nobody should have chosen.
fn serve(bench: &Bench, level: &str) {
    let mut command = bench.command(&["mcp"]);
    command
        .env("WINDLASS_LOG_LEVEL", level)
        .env("SHOP_PASSWORD", SECRET)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut server = command.spawn().unwrap();
    let mut stdin = server.stdin.take().unwrap();
    let call = |id: u32, tool: &str| {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": tool, "arguments": {}}})
    };
    for message in [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        call(2, &format!("tool_{SECRET}")),
    ] {
        writeln!(stdin, "{message}").unwrap();
    }
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    for _ in 0..2 {
        lines.next().unwrap().unwrap();
    }
    drop(stdin);
    assert!(server.wait().unwrap().success());
}

fn logs(bench: &Bench, words: &[&str]) -> Vec<Json> {
    let output = bench.run(&[&["logs", "--json"], words].concat());
    assert!(output.status.success(), "{output:?}");
    let answer: Json = serde_json::from_slice(&output.stdout).unwrap();
    answer["lines"].as_array().unwrap().clone()
}

#[test]
fn what_a_server_logs_is_kept_and_read() {
    let bench = Bench::new();
    assert!(logs(&bench, &[]).is_empty());
    serve(&bench, "info");
    let lines = logs(&bench, &[]);
    let text = lines
        .iter()
        .map(|line| line["message"].as_str().unwrap())
        .collect::<Vec<_>>();
    let about = concat!("windlass ", env!("CARGO_PKG_VERSION"), " mcp in ");
    assert!(text.iter().any(|line| line.starts_with(about)), "{text:?}");
    assert!(
        text.iter().any(|line| line.contains("tool_***")),
        "{text:?}"
    );
    assert!(
        lines.iter().all(|line| line["surface"] == "mcp"),
        "{lines:?}"
    );
    let warnings = logs(&bench, &["--level", "warn"]);
    assert!(!warnings.is_empty() && warnings.len() < lines.len());
    assert_eq!(logs(&bench, &["--since", "1h"]).len(), lines.len());
    assert!(logs(&bench, &["--since", "2999-01-01T00:00:00Z"]).is_empty());
    assert_eq!(logs(&bench, &["--last", "1"]).len(), 1);
    let found = logs(&bench, &["--grep", "TOOL_"]);
    assert!(!found.is_empty() && found.len() < lines.len());
    let folder = bench.path("home/.local/state/windlass/logs");
    for file in fs::read_dir(&folder).unwrap().flatten() {
        let mode = file.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let text = fs::read_to_string(file.path()).unwrap();
        assert!(!text.contains(SECRET), "{text}");
    }
}

#[test]
fn a_log_that_is_off_makes_no_file() {
    let bench = Bench::new();
    serve(&bench, "off");
    assert!(!bench.path("home/.local/state/windlass/logs").exists());
}

#[test]
fn a_follower_sees_new_lines() {
    let bench = Bench::new();
    let mut command = bench.command(&["logs", "--follow", "--json"]);
    let mut follower = command.stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(follower.stdout.take().unwrap()).lines();
    serve(&bench, "info");
    let end = Instant::now() + Duration::from_mins(1);
    for line in lines {
        let line: Json = serde_json::from_str(&line.unwrap()).unwrap();
        if line["message"].as_str().unwrap().contains("tool_***") {
            break;
        }
        assert!(Instant::now() < end, "the line does not come");
    }
    let process = rustix::process::Pid::from_child(&follower);
    rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
    assert_eq!(follower.wait().unwrap().code(), Some(130));
}

/// Mistakes of the caller are not kept; what went wrong by itself is.
#[test]
fn a_command_that_fails_by_itself_is_kept() {
    let bench = Bench::new();
    assert!(!bench.run(&["show", "7"]).status.success());
    assert!(logs(&bench, &[]).is_empty());
    assert!(bench.run(&["add", "task", "One"]).status.success());
    fs::write(
        bench.path("project/.windlass/state/windlass.db"),
        "no database",
    )
    .unwrap();
    assert!(!bench.run(&["show", "1"]).status.success());
    let lines = logs(&bench, &["--level", "error"]);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!(lines[0]["surface"], "cli");
    assert!(
        lines[0]["message"].as_str().unwrap().starts_with("show: "),
        "{lines:?}"
    );
}
