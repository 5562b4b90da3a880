//! `windlass doctor` on projects that are well and on some that are not.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use windlass_core::Timestamp;
use windlass_store::{NewJob, Project, Store};

use crate::sample::origin;
use crate::server::Server;
use crate::setup::Bench;

/// The report and the exit code.
fn examine(bench: &Bench) -> (Json, i32) {
    let output = bench.run(&["doctor", "--json"]);
    let report = serde_json::from_slice(&output.stdout).unwrap();
    (report, output.status.code().unwrap())
}

/// The first check of that name that is not well, or else the first.
fn check(report: &Json, name: &str) -> Json {
    let checks = report["checks"].as_array().unwrap();
    let mut named = checks.iter().filter(|check| check["name"] == name);
    let first = named.clone().next();
    let unwell = named.find(|check| check["status"] != "ok");
    unwell
        .or(first)
        .cloned()
        .unwrap_or_else(|| panic!("{name}: {report}"))
}

#[track_caller]
fn expect(bench: &Bench, name: &str, status: &str, words: &str) {
    let (report, code) = examine(bench);
    let check = check(&report, name);
    assert_eq!(check["status"], status, "{check}");
    assert!(
        check["message"].as_str().unwrap().contains(words),
        "{check}"
    );
    let has_fix = check["fix"].as_str().is_some_and(|fix| !fix.is_empty());
    assert_eq!(has_fix, status != "ok", "{check}");
    let errors = report["errors"].as_u64().unwrap();
    assert_eq!(code, i32::from(errors > 0), "{report}");
    if status == "error" {
        assert_eq!(code, 1);
    }
}

/// A project in a repository, with a command, a grant and a client.
fn healthy() -> Bench {
    let bench = Bench::new();
    bench.write("project/.git/HEAD", "ref: refs/heads/main\n");
    bench.write("project/greet.sh", "#!/bin/sh\necho hello\n");
    let allowed = format!(
        "[[entries]]\npath = \"{}\"\nscope = \"File\"\n",
        bench.path("project/greet.sh").display()
    );
    let list = bench.write("home/.config/windlass/allowlist.toml", &allowed);
    fs::set_permissions(list, fs::Permissions::from_mode(0o600)).unwrap();
    assert!(bench.run(&["add", "task", "Stay well"]).status.success());
    assert!(bench.run(&["setup", "claude-code"]).status.success());
    bench
}

/// Every file below a folder with what it holds.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            found.insert(path.clone(), Vec::new());
            found.extend(contents(&path));
        } else {
            found.insert(path.clone(), fs::read(&path).unwrap_or_default());
        }
    }
    found
}

#[test]
fn a_healthy_project_is_well_and_untouched() {
    let bench = healthy();
    let before = contents(&bench.path(""));
    let (report, code) = examine(&bench);
    assert_eq!(code, 0, "{report}");
    assert_eq!(report["errors"], 0, "{report}");
    assert_eq!(report["project"], json!(bench.project()));
    for name in [
        "binary",
        "environment",
        "project",
        "state",
        "disk",
        "database",
        "servers",
        "integrity",
        "jobs",
        "git",
        "ignored",
        "config",
        "commands",
        "runners",
        "sockets",
        "allowlist",
        "clients",
        "scripts",
        "files",
    ] {
        assert_eq!(check(&report, name)["status"], "ok", "{name}: {report}");
    }
    assert_eq!(contents(&bench.path("")), before);
    let output = bench.run(&["doctor"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("integrity    The database is consistent"),
        "{text}"
    );
}

#[test]
fn outside_of_a_project_the_machine_is_looked_at() {
    let bench = Bench::without_project();
    expect(&bench, "project", "warning", "No project here");
    let (report, code) = examine(&bench);
    assert_eq!(
        (report["project"].clone(), code),
        (Json::Null, 0),
        "{report}"
    );
    assert_eq!(check(&report, "clients")["status"], "warning");
    assert!(!bench.path("project/.windlass").exists());
}

#[test]
fn a_fresh_clone_has_no_state_and_gets_none() {
    let bench = healthy();
    fs::rename(bench.project(), bench.path("elsewhere")).unwrap();
    bench.write("project/.windlass/config.toml", "");
    expect(&bench, "state", "ok", "No state yet");
    assert!(!bench.path("project/.windlass/state").exists());
}

#[test]
fn a_damaged_database_is_told() {
    let bench = healthy();
    let database = bench.path("project/.windlass/state/windlass.db");
    let good = fs::read(&database).unwrap();
    fs::write(&database, "this is no database at all, by any means").unwrap();
    expect(&bench, "database", "error", "not a database");
    let mut bad = good.clone();
    let middle = bad.len() / 2;
    bad[middle..].fill(0x5a);
    fs::write(&database, &bad).unwrap();
    expect(&bench, "database", "error", "malformed");
    assert_eq!(fs::read(&database).unwrap(), bad);
    // One letter in one place: the file is sound, but the row and its document differ.
    let mut bad = good.clone();
    let title = b"Stay well";
    let place = bad.windows(title.len()).position(|part| part == title);
    bad[place.unwrap()] = b'P';
    fs::write(&database, &bad).unwrap();
    expect(&bench, "integrity", "error", "differ");
    assert_eq!(fs::read(&database).unwrap(), bad);
    // A later version: the number at this place is the version of the database.
    let mut newer = good;
    newer[60..64].copy_from_slice(&99_u32.to_be_bytes());
    fs::write(&database, &newer).unwrap();
    expect(&bench, "database", "error", "version 99");
    assert_eq!(fs::read(&database).unwrap(), newer);
}

/// One letter of a title: the file is sound, and the documents know better.
#[test]
fn a_repair_makes_what_is_derived_again() {
    let bench = healthy();
    let database = bench.path("project/.windlass/state/windlass.db");
    let mut bad = fs::read(&database).unwrap();
    let title = b"Stay well";
    let place = bad.windows(title.len()).position(|part| part == title);
    bad[place.unwrap()] = b'P';
    fs::write(&database, &bad).unwrap();
    expect(&bench, "integrity", "error", "differ");
    let output = bench.run(&["doctor", "--repair", "--json"]);
    let report: Json = serde_json::from_slice(&output.stdout).unwrap();
    let repair = check(&report, "repair");
    assert_eq!(repair["status"], "ok", "{report}");
    assert!(repair["message"].as_str().unwrap().contains("repaired"));
    expect(&bench, "integrity", "ok", "consistent");
    let output = bench.run(&["doctor", "--repair", "--json"]);
    let report: Json = serde_json::from_slice(&output.stdout).unwrap();
    let again = check(&report, "repair");
    assert!(again["message"].as_str().unwrap().contains("nothing"));
}

/// What a process saved when the database was removed under it is found, and nothing begins anew.
#[test]
fn a_rescued_copy_is_told() {
    let bench = healthy();
    let state = bench.path("project/.windlass/state");
    fs::rename(state.join("windlass.db"), state.join("rescued-1.db")).unwrap();
    expect(&bench, "rescued", "error", "rescued-1.db");
    let output = bench.run(&["add", "task", "Begin anew"]);
    assert!(!output.status.success());
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("rescued-1.db"), "{text}");
}

#[test]
fn a_state_that_is_a_link_is_told() {
    let bench = healthy();
    let state = bench.path("project/.windlass/state");
    fs::rename(&state, bench.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink(bench.path("elsewhere"), &state).unwrap();
    expect(&bench, "state", "error", "is a link");
}

#[test]
fn git_must_pass_the_state_over() {
    let bench = healthy();
    let rules = bench.path("project/.windlass/.gitignore");
    fs::write(&rules, "# nothing\n").unwrap();
    expect(&bench, "ignored", "error", "does not ignore");
    bench.write("project/.gitignore", ".windlass/state\n");
    expect(&bench, "ignored", "ok", "ignores");
    fs::write(&rules, "!/state/\n").unwrap();
    expect(&bench, "ignored", "error", "does not ignore");
    fs::write(&rules, "/state/\n").unwrap();
    fs::remove_dir_all(bench.path("project/.git")).unwrap();
    let database = ".windlass/state/windlass.db";
    for words in [&["init", "--quiet"][..], &["add", "--force", database]] {
        let mut git = std::process::Command::new("git");
        let done = git.args(words).current_dir(bench.project()).status();
        assert!(done.unwrap().success(), "{words:?}");
    }
    expect(&bench, "ignored", "error", "tracks");
    fs::remove_dir_all(bench.path("project/.git")).unwrap();
    expect(&bench, "git", "warning", "Not a git repository");
}

#[test]
fn wrong_settings_are_told_with_their_line() {
    let bench = healthy();
    bench.write("project/.windlass/config.toml", "[mcp]\ntoolset = 1\n");
    expect(&bench, "config", "error", "line 2");
    let output = bench
        .command(&["doctor", "--json"])
        .env("WINDLASS_MAX_BATCH_SIZE", "many")
        .output()
        .unwrap();
    let report: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(check(&report, "environment")["status"], "error");
}

#[test]
fn an_allowlist_must_be_readable_and_private() {
    let bench = healthy();
    let list = bench.path("home/.config/windlass/allowlist.toml");
    let set = |mode| fs::set_permissions(&list, fs::Permissions::from_mode(mode)).unwrap();
    set(0o644);
    expect(&bench, "private", "warning", "read by others");
    set(0o666);
    expect(&bench, "private", "error", "written by others");
    set(0o600);
    let folder = list.parent().unwrap();
    fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).unwrap();
    expect(&bench, "private", "error", "replace the allowlist");
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    fs::remove_file(bench.path("project/greet.sh")).unwrap();
    expect(
        &bench,
        "allowlist",
        "warning",
        "1 entry for paths that no longer exist",
    );
    fs::write(&list, "[[entries]]\npath = 1\n").unwrap();
    expect(&bench, "allowlist", "error", "allowlist.toml:2");
}

#[test]
fn missing_runners_and_broken_definitions_are_told() {
    let bench = healthy();
    bench.write(
        "project/deno.json",
        "{\"tasks\": {\"dev\": \"x\", \"lint\": \"y\"}}",
    );
    expect(
        &bench,
        "runners",
        "warning",
        "deno is not installed; 2 commands",
    );
    let (report, _) = examine(&bench);
    let fix = check(&report, "runners")["fix"].to_string();
    assert!(fix.contains("Install deno: "), "{fix}");
    bench.write("project/package.json", "{\"scripts\": ");
    expect(&bench, "commands", "warning", "package.json:1");
}

#[test]
fn clients_that_cannot_start_windlass_are_told() {
    let bench = healthy();
    let gone = r#"{"mcpServers": {"w": {"command": "/gone/windlass", "args": ["mcp"]}}}"#;
    bench.write("project/.cursor/mcp.json", gone);
    expect(
        &bench,
        "clients",
        "error",
        "/gone/windlass, which does not exist",
    );
    let (report, _) = examine(&bench);
    let fix = check(&report, "clients")["fix"].to_string();
    assert!(
        fix.contains("windlass setup cursor --scope project --name w"),
        "{fix}"
    );
    let gone =
        r#"{"mcpServers": {"w": {"command": "windlass", "args": ["mcp", "--cwd", "/gone"]}}}"#;
    bench.write("project/.cursor/mcp.json", gone);
    expect(&bench, "clients", "warning", "folder /gone");
    bench.write("project/.cursor/mcp.json", "{\n,}");
    expect(&bench, "clients", "warning", "line 2");
    fs::remove_file(bench.path("project/.cursor/mcp.json")).unwrap();
    bench.write(
        "home/.codex/config.toml",
        "[mcp_servers.x]\ncommand = \"x\"\n",
    );
    expect(&bench, "clients", "ok", "Claude Code");
}

#[test]
fn what_killed_processes_left_is_told() {
    let bench = healthy();
    // Above the highest pid that the system gives.
    let gone = 4_194_305;
    let socket = bench.write(&format!("project/.windlass/state/sockets/{gone}.sock"), "");
    expect(&bench, "sockets", "warning", "1 socket");
    assert!(socket.exists());
    let store = Store::open(&Project::find(&bench.project()).unwrap()).unwrap();
    let job = NewJob {
        pid: gone,
        unique_name: "build".into(),
        started_at: Timestamp::from_millis(1_000_000),
        owner: json!({ "pid": gone }),
        details: json!({}),
    };
    store
        .write(&origin(), |writer| writer.job_started(&job))
        .unwrap();
    drop(store);
    expect(&bench, "jobs", "ok", "1 job interrupted");
}

#[test]
fn another_windlass_on_the_search_path_is_told() {
    let bench = healthy();
    let other = bench.path("bin/windlass");
    fs::remove_file(&other).unwrap();
    expect(&bench, "binary", "warning", "no windlass on PATH");
    fs::write(&other, "#!/bin/sh\necho windlass 9.8.7\n").unwrap();
    fs::set_permissions(&other, fs::Permissions::from_mode(0o755)).unwrap();
    expect(&bench, "binary", "warning", "is on PATH: 9.8.7");
}

#[test]
fn servers_of_another_version_are_named() {
    let bench = healthy();
    let server = Server::of(bench.command(&["mcp"]));
    // A server is on record a moment after it answers.
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let (report, _) = examine(&bench);
        let check = check(&report, "servers");
        if check["message"] == "1 running server, all of this version" {
            break;
        }
        assert!(Instant::now() < deadline, "{check}");
    }
    // An older server, as this process would be on record.
    let store = Store::open(&Project::find(&bench.project()).unwrap()).unwrap();
    store.serve_as(windlass_store::Server {
        id: "older".to_owned(),
        owner: json!({ "pid": std::process::id(), "version": "0.0.9" }),
        surface: "http",
    });
    store
        .write(&origin(), |writer| writer.server_is_alive(&[]))
        .unwrap();
    drop(store);
    expect(&bench, "servers", "warning", "0.0.9 on http");
    let (report, _) = examine(&bench);
    let message = check(&report, "servers")["message"].to_string();
    assert!(!message.contains("stdio"), "{message}");
    drop(server);
}
