//! What `windlass setup` gives agents beside the MCP server: sections, rules, a skill and hooks.
//! Everything around them is kept, a second run changes nothing, and `--remove` undoes it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value as Json;

use crate::setup::Bench;

/// Each client, and the files of the project that it gets besides those that are there.
const CLIENTS: &[(&str, &[&str])] = &[
    (
        "claude-code",
        &[
            ".claude/settings.json",
            ".claude/skills/windlass/SKILL.md",
            ".mcp.json",
            "CLAUDE.md",
        ],
    ),
    (
        "cursor",
        &[".cursor/mcp.json", ".cursor/rules/windlass.mdc"],
    ),
    ("vscode", &[".vscode/mcp.json", "AGENTS.md"]),
    ("codex", &[".codex/config.toml", "AGENTS.md"]),
    ("gemini", &[".gemini/settings.json", "GEMINI.md"]),
    ("zed", &[".zed/settings.json", "AGENTS.md"]),
    ("opencode", &["AGENTS.md", "opencode.json"]),
];

/// All files of the project but for its state, with their texts.
fn files(folder: &Path) -> BTreeMap<String, String> {
    fn walk(folder: &Path, root: &Path, found: &mut BTreeMap<String, String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().display().to_string();
            if name == ".windlass" {
                continue;
            }
            if path.is_dir() {
                // An empty folder that stays behind is seen, too.
                found.insert(format!("{name}/"), String::new());
                walk(&path, root, found);
            } else {
                found.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(folder, folder, &mut found);
    found
}

fn names(files: &BTreeMap<String, String>) -> Vec<&str> {
    let names = files.keys().map(String::as_str);
    names.filter(|name| !name.ends_with('/')).collect()
}

fn setup(bench: &Bench, words: &[&str]) -> Json {
    let output = bench.run(&[&["setup", "--json"], words].concat());
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {error}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn every_client_gets_its_files_and_loses_them_again() {
    for (client, expected) in CLIENTS {
        let bench = Bench::new();
        let before = files(&bench.project());
        let answer = setup(&bench, &[client]);
        assert_eq!(answer["change"], "added", "{client}");
        let added = files(&bench.project());
        assert_eq!(names(&added), *expected, "{client}");
        let again = setup(&bench, &[client]);
        assert_eq!(again["change"], "unchanged", "{client}");
        assert_eq!(files(&bench.project()), added, "{client}");
        assert_eq!(setup(&bench, &[client, "--remove"])["change"], "removed");
        assert_eq!(files(&bench.project()), before, "{client}");
        assert_eq!(setup(&bench, &[client, "--remove"])["change"], "absent");
    }
}

#[test]
fn what_people_wrote_stays_byte_for_byte() {
    let texts = [
        ("CLAUDE.md", "# Rules\r\n\r\nBe kind.\r\n"),
        ("AGENTS.md", "# No line end at the end"),
        ("GEMINI.md", "\n\n"),
        (
            ".claude/settings.json",
            "{\n  \"hooks\": {\n    \"PreCompact\": [\n      {\"hooks\": []}\n    ]\n  },\n  \"model\": \"opus\"\n}\n",
        ),
        (
            ".cursor/rules/windlass.mdc",
            "---\nalwaysApply: false\n---\nMine.\n",
        ),
    ];
    for (client, _) in CLIENTS {
        let bench = Bench::new();
        for (name, text) in texts {
            bench.write(&format!("project/{name}"), text);
        }
        let before = files(&bench.project());
        setup(&bench, &[client]);
        assert_ne!(files(&bench.project()), before, "{client}");
        setup(&bench, &[client, "--remove"]);
        assert_eq!(files(&bench.project()), before, "{client}");
    }
}

#[test]
fn an_outdated_section_is_brought_up_to_date() {
    let bench = Bench::new();
    setup(&bench, &["gemini"]);
    let path = bench.path("project/GEMINI.md");
    let fresh = fs::read_to_string(&path).unwrap();
    let old = fresh.replace("`begin`", "`start`");
    assert_ne!(old, fresh);
    fs::write(&path, format!("Above.\n\n{old}\nBelow.\n")).unwrap();
    let answer = setup(&bench, &["gemini"]);
    assert_eq!(answer["change"], "replaced");
    let diff = answer["files"][1]["diff"].as_str().unwrap();
    assert!(diff.contains("-- First call the tool `start`"), "{diff}");
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text, format!("Above.\n\n{fresh}\nBelow.\n"));
}

#[test]
fn a_file_that_another_client_reads_stays() {
    let bench = Bench::new();
    setup(&bench, &["codex"]);
    assert_eq!(
        setup(&bench, &["opencode"])["files"][1]["change"],
        "unchanged"
    );
    let answer = setup(&bench, &["codex", "--remove"]);
    let note = answer["notes"][0].as_str().unwrap();
    assert_eq!(note, "AGENTS.md stays as it is: OpenCode reads it too.");
    assert!(bench.path("project/AGENTS.md").exists());
    setup(&bench, &["opencode", "--remove"]);
    assert!(!bench.path("project/AGENTS.md").exists());
}

#[test]
fn parts_can_be_chosen() {
    let bench = Bench::new();
    setup(&bench, &["claude-code", "--only", "hooks"]);
    assert_eq!(names(&files(&bench.project())), [".claude/settings.json"]);
    let output = bench.run(&["setup", "cursor", "--only", "hooks"]);
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("Cursor has no hooks"), "{error}");
}

#[test]
fn the_hook_runs_in_a_shell() {
    let bench = Bench::new();
    setup(&bench, &["claude-code"]);
    let settings = fs::read_to_string(bench.path("project/.claude/settings.json")).unwrap();
    let settings: Json = serde_json::from_str(&settings).unwrap();
    for event in ["SessionStart", "PreCompact"] {
        let command = settings["hooks"][event][0]["hooks"][0]["command"].as_str();
        let mut shell = std::process::Command::new("sh");
        for (name, value) in bench.command(&[]).get_envs() {
            if let Some(value) = value {
                shell.env(name, value);
            }
        }
        let shell = shell.args(["-c", command.unwrap()]);
        let output = shell.current_dir(bench.project()).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("First call the tool `begin`"), "{text}");
    }
}

#[test]
fn doctor_sees_an_entry_that_is_for_another_project() {
    let bench = Bench::new();
    setup(&bench, &["codex", "--scope", "user"]);
    let doctor = |bench: &Bench, folder: &str| {
        let folder = bench.path(folder).display().to_string();
        let output = bench.run(&["--cwd", &folder, "doctor"]);
        String::from_utf8(output.stdout).unwrap()
    };
    let here = doctor(&bench, "project");
    assert!(!here.contains("not on this project"), "{here}");
    fs::create_dir_all(bench.path("other")).unwrap();
    let other = bench.path("other").display().to_string();
    assert!(bench.run(&["--cwd", &other, "init"]).status.success());
    let there = doctor(&bench, "other");
    assert!(there.contains("project, not on this project"), "{there}");
    assert!(there.contains("Run windlass setup codex"), "{there}");
    bench.run(&["--cwd", &other, "setup", "codex"]);
    let there = doctor(&bench, "other");
    assert!(!there.contains("not on this project"), "{there}");
}
