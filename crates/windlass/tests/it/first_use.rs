//! The first minutes: `windlass init` in repositories of several kinds, and the tour.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use crate::person;
use crate::setup::Bench;

const TODO: &str = "# Later\n\n- [ ] Write the manual\n- [x] Begin\n";

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).replace('\r', "")
}

fn json(bench: &Bench, words: &[&str]) -> Json {
    let output = bench.run(&[words, &["--json"]].concat());
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn titles(bench: &Bench) -> usize {
    json(bench, &["list", "task"])["entities"]
        .as_array()
        .map_or(0, Vec::len)
}

/// Every file of a folder but those of `.windlass`, with what it holds.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with(".windlass") {
            continue;
        }
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    found
}

/// A repository with a plan, commands, and a client on the machine.
fn repository() -> Bench {
    let bench = Bench::without_project();
    bench.write("project/.git/HEAD", "ref: refs/heads/main\n");
    bench.write("project/TODO.md", TODO);
    let ran = bench.path("ran");
    let make = format!("$(shell touch {0})\ntest:\n\t@touch {0}\n", ran.display());
    bench.write("project/Makefile", &make);
    bench.write("project/Cargo.toml", "[workspace]\n");
    bench.write("project/mise.toml", "[tasks.lint]\nrun = 'true'\n");
    bench.write("home/.codex/config.toml", "");
    bench
}

#[test]
fn what_is_there_is_found_and_nothing_else_is_changed() {
    let bench = repository();
    let before = files(&bench.project());
    let answer = json(&bench, &["init"]);
    let found = &answer["found"];
    assert_eq!(answer["created"], true);
    assert_eq!(
        (&found["git"], &found["git_hooks"]),
        (&Json::Bool(true), &Json::Bool(false))
    );
    assert_eq!(found["stack"][0], "Rust");
    assert_eq!(found["commands"]["allowed"], 0);
    let worth = found["commands"]["worth_allowing"].to_string();
    assert!(worth.contains("test"), "{found}");
    let runners = found["commands"]["runners"].as_array().unwrap();
    let mise = runners.iter().find(|it| it["program"] == "mise").unwrap();
    assert_eq!(mise["installed"], false);
    assert!(mise["install"].as_str().unwrap().contains("mise"), "{mise}");
    assert_eq!(found["clients"][0]["name"], "codex");
    let plan = &answer["plans"][0];
    assert_eq!(
        (&plan["source"], &plan["path"]),
        (&"markdown".into(), &"TODO.md".into())
    );
    assert_eq!(
        (plan["new"].as_u64(), &plan["imported"]),
        (Some(2), &Json::Bool(false))
    );
    let steps: Vec<&str> = answer["next"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["command"].as_str().unwrap())
        .collect();
    assert_eq!(steps[0], "windlass import markdown TODO.md");
    assert!(steps.contains(&"windlass setup codex"), "{steps:?}");
    assert!(steps.contains(&"windlass allow test"), "{steps:?}");
    assert!(steps.contains(&"windlass hook install"), "{steps:?}");
    assert_eq!(files(&bench.project()), before);
    assert!(
        !bench.path("ran").exists(),
        "something of the repository ran"
    );
    assert!(!bench.path("home/.config/windlass/allowlist.toml").exists());
    assert_eq!(titles(&bench), 0);
}

#[test]
fn a_plan_is_imported_when_it_was_asked_for_and_once() {
    let bench = repository();
    let text = stdout(&bench.run(&["init"]));
    assert!(text.contains("2 new records, not imported"), "{text}");
    assert!(
        text.contains("  1. Import 2 new records from TODO.md:\n"),
        "{text}"
    );
    assert_eq!(titles(&bench), 0);
    json(&bench, &["init", "--no-import"]);
    assert_eq!(titles(&bench), 0);
    let answer = json(&bench, &["init", "--import"]);
    assert_eq!(answer["plans"][0]["imported"], true);
    assert_eq!(titles(&bench), 2);
    let again = json(&bench, &["init", "--yes"]);
    assert_eq!(again["plans"][0]["imported"], false);
    assert_eq!(again["next"][0]["command"], "windlass next");
    assert_eq!(titles(&bench), 2);
    assert!(stdout(&bench.run(&["init"])).contains("imported before, nothing new"));
}

#[test]
fn a_person_is_asked_about_a_plan() {
    let bench = repository();
    let no = bench.typed("init", "n\n");
    assert!(
        stdout(&no).contains("Import 2 new records from TODO.md? [y/N]"),
        "{no:?}"
    );
    assert_eq!(titles(&bench), 0);
    let yes = bench.typed("init", "y\n");
    assert!(
        stdout(&yes).contains("Imported 2 new records from TODO.md"),
        "{yes:?}"
    );
    assert_eq!(titles(&bench), 2);
    // Nothing new, so there is nothing to ask.
    let third = bench.typed("init", "");
    assert!(!stdout(&third).contains("[y/N]"), "{third:?}");
}

#[test]
fn a_plan_that_is_broken_or_leads_elsewhere_is_left() {
    let bench = Bench::without_project();
    bench.write("elsewhere/TODO.md", TODO);
    std::os::unix::fs::symlink(
        bench.path("elsewhere/TODO.md"),
        bench.path("project/TODO.md"),
    )
    .unwrap();
    bench.write("project/.beads/issues.jsonl", "{\"id\": \n");
    let answer = json(&bench, &["init", "--import"]);
    assert_eq!(answer["plans"].as_array().unwrap().len(), 1, "{answer}");
    let plan = &answer["plans"][0];
    assert_eq!(
        (&plan["source"], &plan["imported"]),
        (&"beads".into(), &Json::Bool(false))
    );
    assert!(
        plan["problem"]
            .as_str()
            .unwrap()
            .contains("1 broken record, the first: "),
        "{plan}"
    );
    assert_eq!(titles(&bench), 0);
}

/// The tour in folders of the test, with what it leaves in the folder of temporary files.
fn tour(words: &[&str]) -> (Bench, std::process::Command) {
    let bench = Bench::without_project();
    fs::create_dir(bench.path("temporary")).unwrap();
    let mut command = bench.command(words);
    command.env("TMPDIR", bench.path("temporary"));
    (bench, command)
}

fn is_clean(bench: &Bench) {
    let left: Vec<_> = fs::read_dir(bench.path("temporary")).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
    let home: Vec<_> = fs::read_dir(bench.path("home")).unwrap().collect();
    assert_eq!(home.len(), 1, "only .config: {home:?}");
    assert_eq!(fs::read_dir(bench.path("home/.config")).unwrap().count(), 0);
    assert_eq!(fs::read_dir(bench.project()).unwrap().count(), 0);
}

#[test]
fn a_person_plays_the_whole_tour() {
    let (bench, mut command) = tour(&["tour", "--fast"]);
    command.env("NO_COLOR", "1");
    let output = person::at_a_terminal(&command, "");
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    for line in [
        "9 of 9: Another clone",
        "$ windlass allow test --yes",
        "Allowed test of ",
        "tests  failed",
        "#1  task      done",
        "clone $ windlass list",
        "That was the tour; its project is removed.",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
    assert!(!text.contains("Refused"), "{text}");
    is_clean(&bench);
}

#[test]
fn enter_goes_on() {
    let (bench, command) = tour(&["tour"]);
    let output = person::at_a_terminal(&command, &"\n".repeat(20));
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert_eq!(text.matches("Enter goes on").count(), 8, "{text}");
    is_clean(&bench);
}

/// Nobody gets a person's rights by playing it: what a person does is refused, and the rest goes on.
#[test]
fn without_a_person_the_tour_allows_nothing() {
    let (bench, mut command) = tour(&["tour", "--json"]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let answer: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&answer["person"], &answer["completed"]),
        (&Json::Bool(false), &Json::Bool(true))
    );
    let steps = answer["steps"].as_array().unwrap();
    let refused: Vec<&str> = steps
        .iter()
        .filter(|step| step["refused"] == true)
        .map(|step| step["command"].as_str().unwrap())
        .collect();
    assert_eq!(
        refused,
        [
            "windlass allow test --yes",
            "windlass gates add tests command:test"
        ]
    );
    assert!(
        steps
            .iter()
            .filter(|it| it["refused"] == true)
            .all(|it| it["exit"] == 6)
    );
    assert!(
        !steps
            .iter()
            .any(|it| it["command"] == "windlass reviews approve 1")
    );
    assert!(String::from_utf8_lossy(&output.stderr).contains("Only a person at a terminal"));
    is_clean(&bench);
}

#[test]
fn ctrl_c_ends_the_tour_and_cleans_up() {
    let (bench, mut command) = tour(&["tour", "--fast"]);
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let place = bench.path("temporary/windlass-tour/shop/.windlass");
    let end = Instant::now() + Duration::from_mins(1);
    while !place.exists() {
        assert!(Instant::now() < end, "the tour does not begin");
        std::thread::sleep(Duration::from_millis(5));
    }
    let process = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    is_clean(&bench);
}

#[test]
fn a_step_that_fails_ends_the_tour() {
    let (bench, mut command) = tour(&["tour"]);
    // A git that fails: the first step.
    let git = bench.write("bin/git", "#!/bin/sh\nexit 7\n");
    fs::set_permissions(git, fs::Permissions::from_mode(0o755)).unwrap();
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(11), "{output:?}");
    let text = stdout(&output);
    assert!(
        text.contains("The tour ends here: git init -q -b main ended with 7."),
        "{text}"
    );
    is_clean(&bench);
}
