//! Imports, exports and the snapshot, through the operations.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use serde_json::{Value as Json, json};
use windlass_core::Actor;

use crate::support::{Sandbox, sandbox};

impl Sandbox {
    fn root(&self) -> PathBuf {
        self.context.workspace.root().to_owned()
    }

    fn put(&self, name: &str, text: &str) {
        fs::write(self.root().join(name), text).expect("written");
    }

    fn import(&self, source: &str, path: &str) -> Json {
        self.ok("import", json!({"source": source, "path": path}))
    }

    fn export(&self, format: &str) -> String {
        let output = self.ok("export", json!({"format": format}));
        output["text"].as_str().expect("a text").to_owned()
    }

    fn snapshot(&self) -> Json {
        self.ok("sync_snapshot", json!({}))
    }

    fn page(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(".windlass/snapshot").join(path)).expect(path)
    }
}

const ISSUES: &str = r#"{"id":"a-1","title":"One","status":"open","priority":1,"created_at":"2025-01-02T03:04:05Z","updated_at":"2025-01-03T03:04:05Z","labels":["web"],"comments":[{"id":1,"author":"ann","text":"Hello","created_at":"2025-01-02T04:00:00Z"}]}
{"id":"a-2","title":"Two","status":"closed","priority":2,"created_at":"2025-01-02T03:04:05Z","updated_at":"2025-01-04T03:04:05Z","closed_at":"2025-01-04T03:04:05Z"}
{"id":"a-3","title":"Three","status":"open","created_at":"2025-01-02T03:04:05Z","updated_at":"2025-01-02T03:04:05Z","dependencies":[{"depends_on_id":"a-1","type":"blocks"},{"depends_on_id":"a-2","type":"parent-child"}]}
"#;

#[test]
fn an_import_keeps_what_the_source_says() {
    let sandbox = sandbox();
    sandbox.put("issues.jsonl", ISSUES);
    let report = sandbox.import("beads", "issues.jsonl");
    assert_eq!(report["imported"], true);
    assert_eq!(
        (
            &report["created"],
            &report["relations"],
            &report["comments"]
        ),
        (&json!(3), &json!(2), &json!(1))
    );
    let one = sandbox.ok("board_show", json!({"id": "1"}));
    assert_eq!(one["title"], "One");
    let entity = sandbox.ok("entity_get", json!({"id": "1"}));
    assert_eq!(entity["created_at"], "2025-01-02T03:04:05Z");
    assert_eq!(entity["updated_at"], "2025-01-03T03:04:05Z");
    assert_eq!(entity["properties"]["priority"], "high");
    assert_eq!(entity["tags"], json!(["web"]));
    let task = sandbox.ok("get_task", json!({"id": 1}));
    assert_eq!(task["comments"][0]["author"], "ann");
    assert_eq!(
        task["comments"][0]["created_at"],
        "2025-01-02T04:00:00.000Z"
    );
    let two = sandbox.ok("get_task", json!({"id": 2}));
    assert_eq!(two["completed_at"], "2025-01-04T03:04:05.000Z");
    let events = sandbox.ok("event_list", json!({"entity": "1"}));
    let first = events["events"].as_array().and_then(|it| it.last());
    let from = first.map(|event| &event["payload"]["imported_from"]);
    assert_eq!(from, Some(&json!("beads a-1")));
    let ready = sandbox.ok("task_blocked", json!({"id": "3"}));
    assert!(ready.to_string().contains("\"One\""), "{ready}");
}

#[test]
fn a_second_import_changes_only_what_the_source_changed() {
    let sandbox = sandbox();
    sandbox.put("issues.jsonl", ISSUES);
    sandbox.import("beads", "issues.jsonl");
    let before = sandbox.export("json");
    let report = sandbox.import("beads", "issues.jsonl");
    assert_eq!(
        (&report["created"], &report["updated"], &report["unchanged"]),
        (&json!(0), &json!(0), &json!(3))
    );
    assert_eq!(sandbox.export("json"), before, "nothing was written");

    // Edited here: a title, and the status that the source changes too.
    sandbox.ok(
        "entity_update",
        json!({"id": "1", "title": "Mine", "properties": {"status": "in_progress"}}),
    );
    let changed = ISSUES
        .replace(
            "\"One\",\"status\":\"open\"",
            "\"One\",\"status\":\"blocked\"",
        )
        .replace("\"title\":\"Three\"", "\"title\":\"Three again\"")
        .replace("{\"depends_on_id\":\"a-1\",\"type\":\"blocks\"},", "");
    sandbox.put("issues.jsonl", &changed);
    let report = sandbox.import("beads", "issues.jsonl");
    assert_eq!(
        (&report["updated"], &report["kept"], &report["unchanged"]),
        (&json!(1), &json!(1), &json!(1))
    );
    let kept = &report["changes"][0];
    assert_eq!(
        (&kept["change"], &kept["fields"]),
        (&json!("keep"), &json!(["status"]))
    );
    let one = sandbox.ok("entity_get", json!({"id": "1"}));
    assert_eq!(
        (&one["title"], &one["properties"]["status"]),
        (&json!("Mine"), &json!("in_progress"))
    );
    let three = sandbox.ok("entity_get", json!({"id": "3"}));
    assert_eq!(three["title"], "Three again");
    let relations = sandbox
        .ok("graph_relations", json!({"id": "3"}))
        .to_string();
    assert!(!relations.contains("blocks"), "{relations}");

    let overwritten = json!({"source": "beads", "path": "issues.jsonl", "overwrite": true});
    sandbox.ok("import", overwritten);
    let one = sandbox.ok("entity_get", json!({"id": "1"}));
    assert_eq!(
        (&one["title"], &one["properties"]["status"]),
        (&json!("One"), &json!("blocked"))
    );

    sandbox.ok("entity_delete", json!({"id": "3"}));
    let report = sandbox.import("beads", "issues.jsonl");
    assert_eq!(
        (&report["created"], &report["deleted_here"]),
        (&json!(0), &json!(1))
    );
}

#[test]
fn nothing_is_imported_by_half() {
    let sandbox = sandbox();
    let empty = sandbox.export("json");
    sandbox.put(
        "issues.jsonl",
        &format!("{ISSUES}{{\"id\":\"a-4\"}}\nnonsense\n"),
    );
    let report = sandbox.import("beads", "issues.jsonl");
    assert_eq!(
        (&report["imported"], &report["broken"]),
        (&json!(false), &json!(2))
    );
    let lines: Vec<&Json> = report["problems"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|it| &it["line"])
        .collect();
    assert_eq!(lines, [&json!(4), &json!(5)]);
    assert_eq!(sandbox.export("json"), empty);
    let dry =
        json!({"source": "beads", "path": "issues.jsonl", "dry_run": true, "keep_going": true});
    let report = sandbox.ok("import", dry);
    assert_eq!(
        (&report["created"], &report["imported"]),
        (&json!(3), &json!(false))
    );
    assert_eq!(sandbox.export("json"), empty);
    let report = sandbox.ok(
        "import",
        json!({"source": "beads", "path": "issues.jsonl", "keep_going": true}),
    );
    assert_eq!(
        (&report["created"], &report["imported"]),
        (&json!(3), &json!(true))
    );
}

/// A cycle of tasks is found while the plan is applied, after others were created.
#[test]
fn a_cycle_takes_everything_back() {
    let sandbox = sandbox();
    let issue = |id: &str, other: &str| {
        format!(
            "{{\"id\":\"{id}\",\"title\":\"{id}\",\"dependencies\":[{{\"depends_on_id\":\"{other}\",\"type\":\"blocks\"}}]}}\n"
        )
    };
    sandbox.put("issues.jsonl", &(issue("a", "b") + &issue("b", "a")));
    let report = sandbox.import("beads", "issues.jsonl");
    assert_eq!(
        (&report["imported"], &report["broken"]),
        (&json!(false), &json!(1))
    );
    assert_eq!(sandbox.ok("entity_list", json!({}))["total"], 0);
}

#[test]
fn an_export_comes_back_whole() {
    let from = sandbox();
    from.put("issues.jsonl", ISSUES);
    from.import("beads", "issues.jsonl");
    from.add(
        "decision",
        "Old",
        json!({"context": "Why", "consequences": ["a", "b"]}),
    );
    from.add("decision", "New", json!({}));
    from.ok("decision_supersede", json!({"old_id": "4", "new_id": "5"}));
    from.ok(
        "create_feature",
        json!({"name": "pay", "display_name": "Payment", "dependencies": []}),
    );
    from.ok(
        "append_feature_learning",
        json!({"feature_name": "pay", "text": "Use tokens"}),
    );
    from.ok(
        "create_discipline",
        json!({"name": "web", "display_name": "Web", "icon": "x", "color": "#fff"}),
    );
    from.ok("create_task", json!({"feature": "pay", "discipline": "web", "title": "Form", "acceptance_criteria": ["works"], "estimated_turns": 3}));
    from.ok(
        "add_task_comment",
        json!({"task_id": 8, "author": "ann", "body": "Two"}),
    );
    from.add("note", "Gone", json!({}));
    from.ok("entity_delete", json!({"id": "9"}));
    from.add("link", "Docs", json!({"url": "https://example.com/"}));
    for format in ["json", "jsonl"] {
        let exported = from.export(format);
        let to = sandbox();
        to.put("plan.json", &exported);
        let report = to.import("windlass", "plan.json");
        assert_eq!(
            (&report["imported"], &report["broken"]),
            (&json!(true), &json!(0)),
            "{report}"
        );
        assert_eq!(to.export(format), exported);
        let again = to.import("windlass", "plan.json");
        assert_eq!(
            (&again["created"], &again["updated"]),
            (&json!(0), &json!(0)),
            "{again}"
        );
        assert_eq!(to.export(format), exported);
        // What was imported there is known here: the next import from beads updates.
        to.put("issues.jsonl", ISSUES);
        assert_eq!(to.import("beads", "issues.jsonl")["unchanged"], 3);
    }
    let table = from.export("csv");
    assert!(table.starts_with("number,id,type,title,"), "{table}");
    assert_eq!(
        table
            .lines()
            .filter(|line| line.starts_with(|it: char| it.is_ascii_digit()))
            .count(),
        9
    );
}

/// Neither reviews nor questions are in an export.
#[test]
fn tasks_that_wait_come_back_in_progress() {
    let from = sandbox();
    let lines = ["in_review", "awaiting_human", "done"].map(|status| {
        format!(
            "{{\"id\":\"7f3a0000-0000-4000-8000-00000000{:04}\",\"number\":{},\"type\":\"task\",\"title\":\"{status}\",\
             \"tags\":[],\"properties\":{{\"status\":\"{status}\",\"priority\":\"normal\"}},\
             \"created_at\":\"2025-01-02T03:04:05Z\",\"updated_at\":\"2025-01-02T03:04:05Z\"}}\n",
            status.len(),
            status.len()
        )
    });
    let head = "{\"format\":\"windlass-export\",\"version\":1}\n";
    from.put("plan.jsonl", &format!("{head}{}", lines.concat()));
    let report = from.import("windlass", "plan.jsonl");
    assert_eq!(
        (&report["imported"], &report["created"]),
        (&json!(true), &json!(3)),
        "{report}"
    );
    let notes = report["problems"].to_string();
    for missing in [
        "its review is not in the file",
        "its question is not in the file",
    ] {
        assert!(notes.contains(missing), "{notes}");
    }
    for (number, status) in [("9", "in_progress"), ("14", "in_progress"), ("4", "done")] {
        let task = from.ok("entity_get", json!({"id": number}));
        assert_eq!(task["properties"]["status"], status);
    }
}

#[test]
fn an_export_of_a_newer_windlass_is_refused() {
    let sandbox = sandbox();
    sandbox.put(
        "plan.json",
        "{\"format\":\"windlass-export\",\"version\":2,\"entities\":[]}",
    );
    let report = sandbox.import("windlass", "plan.json");
    assert_eq!(report["imported"], false);
    assert!(
        report["problems"][0]["message"]
            .as_str()
            .expect("a text")
            .contains("newer"),
        "{report}"
    );
}

#[test]
fn agents_stay_in_the_project() {
    let sandbox = sandbox();
    let elsewhere = tempfile::tempdir().expect("a folder");
    fs::write(elsewhere.path().join("todo.md"), "- [ ] x\n").expect("written");
    symlink(elsewhere.path(), sandbox.root().join("link")).expect("linked");
    let outside = elsewhere.path().to_string_lossy().into_owned();
    for path in ["link/todo.md", "../x", &format!("{outside}/todo.md")] {
        let error = sandbox.refused("import", json!({"source": "markdown", "path": path}));
        assert!(
            ["PathRefused", "ValidationFailed"].contains(&error.kind().name()),
            "{path}: {error}"
        );
    }
    for dir in [
        "link",
        "link/deeper",
        "../elsewhere",
        outside.as_str(),
        ".git",
        ".windlass/state",
        ".windlass/packs",
    ] {
        sandbox.refused("sync_snapshot", json!({"dir": dir}));
    }
    sandbox.put("Makefile", "all:\n");
    for out in [
        "link/plan.json",
        "Makefile",
        ".windlass/config.toml",
        ".git/hooks/pre-commit",
        "../plan.json",
    ] {
        sandbox.refused("export", json!({"out": out}));
    }
    assert_eq!(fs::read_dir(elsewhere.path()).expect("listed").count(), 1);
    assert_eq!(
        fs::read_to_string(sandbox.root().join("Makefile")).expect("read"),
        "all:\n"
    );
    // A person may name any folder.
    let mut person = sandbox.context.clone();
    person.origin.actor = Actor::Human;
    let entry = windlass_ops::find("sync_snapshot").expect("there");
    crate::support::run(entry, person, json!({"dir": format!("{outside}/plan")})).expect("written");
    assert!(elsewhere.path().join("plan/README.md").exists());
}

#[test]
fn an_import_allows_nothing() {
    let sandbox = sandbox();
    sandbox.put(
        "allowlist.toml",
        "[[entries]]\npath = \"/p/Makefile\"\nscope = \"File\"\n",
    );
    let before = sandbox.ok("allowlist_list", json!({}));
    let report = sandbox.import("dela", "allowlist.toml");
    assert_eq!(
        report["allow_commands"],
        json!(["windlass allow /p/Makefile --scope file"])
    );
    assert_eq!(report["created"], 0);
    assert_eq!(sandbox.ok("allowlist_list", json!({})), before);
}

#[test]
fn a_snapshot_writes_only_what_changed() {
    let sandbox = sandbox();
    sandbox.put("issues.jsonl", ISSUES);
    sandbox.import("beads", "issues.jsonl");
    sandbox.add("decision", "Use SQLite", json!({"context": "Why"}));
    let first = sandbox.snapshot();
    assert_eq!(first["written"], first["files"]);
    assert_eq!(sandbox.snapshot()["written"], 0);
    let active = sandbox.page("tasks/active.md");
    assert!(
        active.contains("[#3 Three](../tasks/003-three.md)"),
        "{active}"
    );
    assert!(active.contains("t1 --> t3"), "{active}");
    assert!(sandbox.page("tasks/completed.md").contains("#2 Two"));
    let page = sandbox.page("decisions/004-use-sqlite.md");
    assert!(page.starts_with("---\nwindlass: \"decision\"\n"), "{page}");
    let three = sandbox.page("tasks/003-three.md");
    assert!(
        three.contains("- blocked by [#1 One](../tasks/001-one.md)"),
        "{three}"
    );

    fs::write(
        sandbox.root().join(".windlass/snapshot/tasks/mine.md"),
        "mine",
    )
    .expect("written");
    let copy = sandbox.root().join(".windlass/snapshot/notes");
    fs::create_dir(&copy).expect("created");
    fs::write(
        copy.join("007-copy.md"),
        page.replace("number: 4", "number: 8"),
    )
    .expect("written");
    sandbox.ok("entity_delete", json!({"id": "4"}));
    sandbox.ok("entity_update", json!({"id": "1", "title": "Uno"}));
    let check = sandbox.ok("sync_snapshot", json!({"check": true}));
    assert_eq!(check["up_to_date"], false);
    let second = sandbox.snapshot();
    assert_eq!(
        second["removed_files"],
        json!([
            "decisions/004-use-sqlite.md",
            "decisions/index.md",
            "tasks/001-one.md"
        ])
    );
    assert_eq!(
        second["written_files"],
        json!([
            "README.md",
            "tasks/001-uno.md",
            "tasks/003-three.md",
            "tasks/active.md"
        ])
    );
    let root = sandbox.root().join(".windlass/snapshot");
    assert!(
        root.join("tasks/mine.md").exists() && root.join("notes/007-copy.md").exists(),
        "files of a user stay"
    );
    assert!(!root.join("decisions").exists());
    assert_eq!(
        sandbox.ok("sync_snapshot", json!({"check": true}))["up_to_date"],
        true
    );
}

/// Two clones with the same state write the same bytes.
#[test]
fn a_snapshot_depends_on_the_state_alone() {
    let one = sandbox();
    one.put("issues.jsonl", ISSUES);
    one.import("beads", "issues.jsonl");
    let other = sandbox();
    other.put("plan.json", &one.export("json"));
    other.import("windlass", "plan.json");
    one.snapshot();
    other.snapshot();
    for page in [
        "README.md",
        "tasks/active.md",
        "tasks/completed.md",
        "tasks/001-one.md",
        "tasks/003-three.md",
    ] {
        assert_eq!(one.page(page), other.page(page), "{page}");
    }
}

#[test]
fn texts_cannot_break_a_page() {
    let sandbox = sandbox();
    let hostile = "x\n---\nnumber: 99\n# Heading <!-- | ```";
    let input = json!({"type": "note", "title": hostile, "content": "```\n<!--\n---\n# not a heading\n", "tags": ["a\"]\nb: c"]});
    sandbox.ok("entity_create", input);
    sandbox.ok(
        "entity_create",
        json!({"type": "task", "title": "../../../etc/passwd\"]; evil"}),
    );
    sandbox.snapshot();
    let name = fs::read_dir(sandbox.root().join(".windlass/snapshot/notes")).expect("listed");
    let names: Vec<String> = name
        .flatten()
        .map(|it| it.file_name().to_string_lossy().into_owned())
        .collect();
    assert!(
        names.contains(&"001-x-number-99-heading.md".to_owned()),
        "{names:?}"
    );
    let page = sandbox.page("notes/001-x-number-99-heading.md");
    let head: Vec<&str> = page
        .lines()
        .take_while(|line| !line.starts_with("# "))
        .collect();
    assert_eq!(
        head.iter().filter(|line| **line == "---").count(),
        2,
        "{page}"
    );
    assert_eq!(
        page.lines()
            .filter(|line| line.starts_with("number: "))
            .count(),
        1,
        "{page}"
    );
    assert_eq!(
        page.lines().filter(|line| line.starts_with('#')).count(),
        1,
        "{page}"
    );
    assert!(
        page.lines()
            .skip(head.len() + 1)
            .all(|line| line.is_empty() || line.starts_with('>')),
        "{page}"
    );
    assert!(
        sandbox
            .page("tasks/002-etc-passwd-evil.md")
            .starts_with("---\n")
    );
}

/// Files that are not ours are in the way of a page.
#[test]
fn a_snapshot_overwrites_no_file_of_a_user() {
    let sandbox = sandbox();
    sandbox.add("note", "One", json!({}));
    fs::create_dir(sandbox.root().join("docs")).expect("created");
    sandbox.put("docs/README.md", "mine");
    let error = sandbox.refused("sync_snapshot", json!({"dir": "docs"}));
    assert!(error.message().contains("docs/README.md"), "{error}");
    assert!(
        !sandbox.root().join("docs/notes").exists(),
        "nothing is written by half"
    );
    let target = sandbox.root().join("target");
    fs::write(&target, "precious").expect("written");
    fs::remove_file(sandbox.root().join("docs/README.md")).expect("removed");
    symlink(&target, sandbox.root().join("docs/README.md")).expect("linked");
    sandbox.refused("sync_snapshot", json!({"dir": "docs"}));
    assert_eq!(fs::read_to_string(&target).expect("read"), "precious");
}

#[test]
fn ten_thousand_items() {
    let sandbox = sandbox();
    let mut text = String::new();
    for at in 0..10_000 {
        let blocker = if at > 0 && at % 2 == 0 {
            format!(
                ",\"dependencies\":[{{\"depends_on_id\":\"x-{}\",\"type\":\"blocks\"}}]",
                at - 1
            )
        } else {
            String::new()
        };
        let line = format!(
            "{{\"id\":\"x-{at}\",\"title\":\"Item {at}\",\"description\":\"{}\",\"created_at\":\"2025-01-02T03:04:05Z\"{blocker}}}\n",
            "word ".repeat(60)
        );
        text.push_str(&line);
    }
    sandbox.put("issues.jsonl", &text);
    let begin = std::time::Instant::now();
    let report = sandbox.import("beads", "issues.jsonl");
    let took = begin.elapsed();
    assert_eq!(
        (&report["created"], &report["relations"]),
        (&json!(10_000), &json!(4_999))
    );
    let begin = std::time::Instant::now();
    assert_eq!(sandbox.import("beads", "issues.jsonl")["unchanged"], 10_000);
    println!("10,000 items: {took:?}, again: {:?}", begin.elapsed());
    // A debug build on a busy machine; a quadratic step would take many minutes.
    assert!(took.as_secs() < 900, "{took:?}");
}
