//! `windlass doctor --fix` on projects that are broken in one way each.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde_json::Value as Json;

use crate::setup::Bench;

fn report(bench: &Bench, words: &[&str]) -> Json {
    let output = bench.run(&[&["doctor", "--json"], words].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

/// What is proposed without a yes, which changes nothing.
fn proposed(bench: &Bench) -> Vec<(String, String)> {
    let report = report(bench, &["--fix"]);
    let fixes = report["fixes"].as_array().unwrap();
    assert!(fixes.iter().all(|fix| fix["done"] == false), "{report}");
    let text = |fix: &Json, name: &str| fix[name].as_str().unwrap().to_owned();
    let both = fixes
        .iter()
        .map(|fix| (text(fix, "name"), text(fix, "about")));
    both.collect()
}

/// That this one thing is proposed, fixed by a yes, and then no more.
#[track_caller]
fn fixes(bench: &Bench, name: &str, words: &str) {
    let found = proposed(bench);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, name);
    assert!(found[0].1.contains(words), "{found:?}");
    assert_eq!(proposed(bench), found, "nothing was changed");
    let done = report(bench, &["--fix", "--yes"]);
    assert_eq!(done["fixes"][0]["done"], true, "{done}");
    assert_eq!(proposed(bench), []);
}

fn healthy() -> Bench {
    let bench = Bench::new();
    let add = bench.run(&["add", "task", "Stay well"]);
    assert!(add.status.success(), "{add:?}");
    bench
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn make_old(path: &Path, days: u64) {
    let then = SystemTime::now() - Duration::from_hours(24 * days);
    fs::File::open(path).unwrap().set_modified(then).unwrap();
}

#[test]
fn a_healthy_project_has_nothing_to_fix() {
    let bench = healthy();
    assert_eq!(proposed(&bench), []);
    let output = bench.run(&["doctor", "--fix"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.starts_with("There is nothing that --fix could fix."),
        "{text}"
    );
    assert!(text.contains("(--fix leaves this: "), "{text}");
}

#[test]
fn rules_of_git_are_completed() {
    let bench = healthy();
    let rules = bench.write("project/.windlass/.gitignore", "/learnings.txt\n/mine");
    fixes(&bench, "ignored", "/state/ /progress.txt");
    let text = fs::read_to_string(rules).unwrap();
    assert!(text.starts_with("/learnings.txt\n/mine\n"), "{text}");
    assert!(text.contains("\n/state/\n"), "{text}");
}

/// A rule that a person reversed stays so.
#[test]
fn a_reversed_rule_is_left_with_the_reason() {
    let bench = healthy();
    bench.write("project/.git/HEAD", "ref: refs/heads/main\n");
    let rules = fs::read_to_string(bench.path("project/.windlass/.gitignore")).unwrap();
    bench.write(
        "project/.windlass/.gitignore",
        &rules.replace("/state/", "!/state/"),
    );
    let report = report(&bench, &["--fix", "--yes"]);
    assert_eq!(
        report["fixes"].as_array().map(Vec::len),
        Some(0),
        "{report}"
    );
    let checks = report["checks"].as_array().unwrap();
    let ignored = checks
        .iter()
        .find(|check| check["name"] == "ignored")
        .unwrap();
    assert_eq!(ignored["status"], "error");
    assert!(
        ignored["left"].as_str().unwrap().contains("you wrote"),
        "{ignored}"
    );
}

#[test]
fn a_state_that_others_can_read_is_closed() {
    let bench = healthy();
    let state = bench.path("project/.windlass/state");
    set_mode(&state, 0o755);
    set_mode(&state.join("windlass.db"), 0o644);
    let done = report(&bench, &["--fix", "--yes"]);
    let about = done["fixes"][0]["about"].as_str().unwrap();
    assert!(
        about.starts_with("Take 2 paths of the state away"),
        "{done}"
    );
    assert_eq!(done["fixes"][0]["done"], true);
    assert_eq!(
        (mode(&state), mode(&state.join("windlass.db"))),
        (0o700, 0o600)
    );
}

/// A list that others could have written is for a person to look at.
#[test]
fn an_allowlist_is_closed_to_readers_only() {
    let bench = healthy();
    let list = bench.write("home/.config/windlass/allowlist.toml", "entries = []\n");
    set_mode(&list, 0o644);
    fixes(&bench, "private", "allowlist.toml (0600)");
    assert_eq!(mode(&list), 0o600);
    set_mode(&list, 0o666);
    assert_eq!(proposed(&bench), []);
    report(&bench, &["--fix", "--yes"]);
    assert_eq!(mode(&list), 0o666);
}

#[test]
fn sockets_of_dead_processes_are_removed() {
    let bench = healthy();
    // No process has this number.
    let socket = bench.write("project/.windlass/state/sockets/4194999.sock", "");
    set_mode(&bench.path("project/.windlass/state/sockets"), 0o700);
    fixes(&bench, "sockets", "1 socket");
    assert!(!socket.exists());
}

#[test]
fn unfinished_files_are_removed_when_they_are_old() {
    let bench = healthy();
    let old = bench.write("project/.windlass/packs/.new-abc", "half");
    let fresh = bench.write("project/.windlass/.new-def", "half");
    make_old(&old, 1);
    fixes(&bench, "leftovers", "1 file");
    assert!(!old.exists() && fresh.exists());
}

#[test]
fn folders_of_sessions_that_ended_are_removed() {
    let bench = healthy();
    let old = bench.write("project/.windlass/state/sessions/gone/context.json", "{}");
    let fresh = bench.write("project/.windlass/state/sessions/fresh/context.json", "{}");
    set_mode(&bench.path("project/.windlass/state/sessions"), 0o700);
    make_old(old.parent().unwrap(), 8);
    fixes(&bench, "leftovers", "1 folder");
    assert!(!old.exists() && fresh.exists());
}

#[test]
fn texts_for_agents_of_another_version_are_brought_up_to_date() {
    let bench = healthy();
    assert!(bench.run(&["setup", "claude-code"]).status.success());
    let file = bench.path("project/CLAUDE.md");
    let current = fs::read_to_string(&file).unwrap();
    let older = current.replace("## Windlass\n", "## Windlass of old\n");
    assert_ne!(older, current);
    fs::write(&file, format!("# Ours\n\n{older}")).unwrap();
    fixes(&bench, "clients", "CLAUDE.md");
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        format!("# Ours\n\n{current}")
    );
    // What a person removed is not put back.
    fs::remove_file(&file).unwrap();
    assert_eq!(proposed(&bench), []);
}

#[test]
fn what_is_derived_is_made_again() {
    let bench = healthy();
    let database = bench.path("project/.windlass/state/windlass.db");
    let mut bad = fs::read(&database).unwrap();
    let title = b"Stay well";
    let place = bad.windows(title.len()).position(|part| part == title);
    bad[place.unwrap()] = b'P';
    fs::write(&database, &bad).unwrap();
    fixes(&bench, "integrity", "derived from documents");
}

/// A hook is code that git runs for a person.
#[test]
fn hooks_are_renewed_by_a_person_and_stay_strict() {
    let bench = healthy();
    let made = std::process::Command::new("git")
        .args(["init", "-q"])
        .current_dir(bench.project())
        .status();
    assert!(made.unwrap().success());
    let installed = bench.typed("hook install --strict", "");
    assert!(installed.status.success(), "{installed:?}");
    let hook = bench.path("project/.git/hooks/pre-commit");
    let current = fs::read_to_string(&hook).unwrap();
    let older = current.replace("</dev/null ", "");
    assert_ne!(older, current);
    fs::write(&hook, &older).unwrap();
    let refused = report(&bench, &["--fix", "--yes"]);
    let why = refused["fixes"][0]["problem"].as_str().unwrap();
    assert!(why.starts_with("Only a person"), "{refused}");
    assert_eq!(fs::read_to_string(&hook).unwrap(), older);
    let declined = bench.typed("doctor --fix", "n\n");
    assert_eq!(declined.status.code(), Some(9), "{declined:?}");
    assert_eq!(fs::read_to_string(&hook).unwrap(), older);
    let fixed = bench.typed("doctor --fix", "y\n");
    let text = String::from_utf8_lossy(&fixed.stdout);
    assert!(
        text.contains("fixed      Renew the lines of Windlass in "),
        "{text}"
    );
    assert_eq!(fs::read_to_string(&hook).unwrap(), current);
}

/// A state that came from elsewhere is not written to.
#[test]
fn a_foreign_state_is_left() {
    let bench = healthy();
    let copy = bench.path("copy");
    let copied = std::process::Command::new("cp")
        .arg("-a")
        .args([bench.project(), copy.clone()])
        .status();
    assert!(copied.unwrap().success());
    let database = copy.join(".windlass/state/windlass.db");
    let before = fs::read(&database).unwrap();
    let mut command = bench.command(&["doctor", "--fix", "--yes", "--json"]);
    let output = command.current_dir(&copy).output().unwrap();
    let report: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        report["fixes"].as_array().map(Vec::len),
        Some(0),
        "{report}"
    );
    let checks = report["checks"].as_array().unwrap();
    let trust = checks
        .iter()
        .find(|check| check["name"] == "trust")
        .unwrap();
    assert!(
        trust["left"].as_str().unwrap().contains("only a person"),
        "{trust}"
    );
    assert_eq!(fs::read(&database).unwrap(), before);
}
