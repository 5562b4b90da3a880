//! A memory that stays true, as agents and people use it: through tools, commands, scripts and at a
//! terminal.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;

use serde_json::{Value as Json, json};

use crate::semantic::{call, output, tool, with_model};
use crate::server::Server;
use crate::setup::Bench;

fn contradicted(bench: &Bench) -> Vec<(String, String)> {
    let listed = call(bench, &["memory", "list", "--reason", "contradicted"]);
    let items = listed["items"].as_array().unwrap().iter();
    let text = |item: &Json, name: &str| item[name].as_str().unwrap_or_default().to_owned();
    items
        .map(|item| (text(item, "id"), text(item, "replaced_by")))
        .collect()
}

fn server(bench: &Bench) -> Server {
    let mut command = bench.command(&["mcp", "--toolsets", "all"]);
    command.env_remove("XDG_DATA_HOME");
    Server::of(command)
}

/// What an agent learned and what contradicts it, by a tool, by a command and by a script. Each says
/// what it replaces, and the one that was replaced says what holds instead.
#[test]
fn learned_says_what_it_replaces_on_every_surface() {
    let bench = Bench::new();
    call(&bench, &["add", "task", "Builds take too long"]);
    call(&bench, &["add", "note", "The tests need PostgreSQL 15"]);
    call(
        &bench,
        &["journal", "add-learning", "Builds take two cores"],
    );
    let mut agent = server(&bench);
    agent.ok("begin", json!({"id": "1"}));
    let learned = agent.ok(
        "learned",
        json!({"text": "The tests need PostgreSQL 16", "kind": "discovery", "scope": "project", "replaces": "#2"}),
    );
    let message = learned["message"].as_str().unwrap();
    assert!(message.contains("#2 is retired"), "{message}");
    assert_eq!(
        contradicted(&bench),
        [("#2".to_owned(), "The tests need PostgreSQL 16".to_owned())]
    );
    // The line of the project, by a script.
    let all = call(&bench, &["memory", "list", "--reason", "all"]);
    let items = all["items"].as_array().unwrap();
    let line = items
        .iter()
        .find(|it| it["text"] == "Builds take two cores");
    let line = line.unwrap()["id"].as_str().unwrap().to_owned();
    let code = format!(
        "await focus.learned({{text: 'Builds take four cores', kind: 'discovery', scope: 'project', replaces: '{line}'}})"
    );
    let run = agent.ok("execute", json!({ "code": code }));
    assert!(run.to_string().contains("is retired"), "{run}");
    let replaced = contradicted(&bench);
    assert!(
        replaced.contains(&(line, "Builds take four cores".to_owned())),
        "{replaced:?}"
    );
    let text = fs::read_to_string(bench.path("project/.windlass/learnings.txt")).unwrap();
    assert!(text.contains("Instead: Builds take four cores"), "{text}");
    // What was contradicted is not in the briefing; what holds is.
    let briefing = agent.ok("begin", json!({})).to_string();
    assert!(briefing.contains("Builds take four cores"), "{briefing}");
    assert!(!briefing.contains("Builds take two cores"), "{briefing}");
    // An unknown name changes nothing, and the error says where the names are.
    let refused = agent.call(
        "learned",
        json!({"text": "x", "kind": "discovery", "replaces": "p00000000"}),
    );
    let refused = refused.unwrap()["result"].clone();
    assert_eq!(refused["isError"], true);
    assert!(refused.to_string().contains("memory_list"), "{refused}");
    drop(agent);
    let (code, _, errors) = output(
        &bench,
        &[
            "call",
            "learned",
            "--input",
            r##"{"text": "x", "kind": "discovery", "replaces": "#1"}"##,
        ],
    );
    assert_ne!(code, Some(0));
    assert!(errors.contains("only notes and learnings"), "{errors}");
    assert_eq!(contradicted(&bench).len(), 2);
}

/// One of each: a duplicate, a contradicted one, and a line that nobody has confirmed or used for a
/// long time. A person decides about each at a terminal.
#[test]
fn a_person_is_walked_through_what_may_not_hold() {
    let bench = Bench::new();
    for title in ["Ship on Fridays", "Ship on Fridays", "The cache is warm"] {
        call(&bench, &["add", "note", title]);
    }
    call(&bench, &["memory", "retire", "3"]);
    bench.write(
        "project/.windlass/learnings.txt",
        "[2025-01-02T10:00:00.000Z] Staging has no GPU\n",
    );
    // The next write takes in what a person added to the file.
    call(&bench, &["journal", "add-learning", "Logs are kept a week"]);
    let listed = call(&bench, &["memory", "list"]);
    let reasons = |id: &str| {
        let items = listed["items"].as_array().unwrap();
        let item = items.iter().find(|it| it["id"] == id || it["text"] == id);
        item.map(|it| it["reasons"].to_string()).unwrap_or_default()
    };
    assert_eq!(reasons("#2"), r#"["duplicate"]"#, "{listed}");
    assert_eq!(reasons("#3"), r#"["contradicted"]"#);
    assert_eq!(reasons("Staging has no GPU"), r#"["stale","unused"]"#);
    // An answer that means nothing is asked for again; the end of the input ends the walk.
    let seen = bench.typed("memory review", "x\nm\ns\nc\n");
    let seen = String::from_utf8_lossy(&seen.stdout).into_owned();
    assert!(seen.contains("1 of 3"), "{seen}");
    assert!(seen.contains("[m]erge into #1"), "{seen}");
    assert!(
        seen.contains("nearly the same: #1 Ship on Fridays"),
        "{seen}"
    );
    assert!(seen.contains("never given to an agent"), "{seen}");
    assert!(seen.contains("Staging has no GPU"), "{seen}");
    assert!(seen.contains("2 of 3 were decided"), "{seen}");
    let replaced = contradicted(&bench);
    assert!(
        replaced.contains(&("#2".to_owned(), "#1 Ship on Fridays".to_owned())),
        "{replaced:?}"
    );
    let stale = call(&bench, &["memory", "list", "--reason", "stale"]);
    assert_eq!(stale["total"], 0, "confirmed: {stale}");
    // Nothing is decided by leaving.
    let before = contradicted(&bench);
    let left = bench.typed("memory review", "q\n");
    assert!(String::from_utf8_lossy(&left.stdout).contains("0 of "));
    assert_eq!(contradicted(&bench), before);
    // Without a terminal it is a list.
    let listed = call(&bench, &["memory", "review", "--reason", "contradicted"]);
    assert_eq!(listed["total"], 2, "{listed}");
}

/// What says nearly the same is pointed out when it is written; nothing is merged by itself.
#[test]
fn near_duplicates_are_offered_when_they_are_written() {
    let Some(bench) = with_model() else { return };
    call(
        &bench,
        &["add", "note", "The integration tests need PostgreSQL 16"],
    );
    call(&bench, &["models", "embed"]);
    let again = json!({"type": "note", "title": "Integration tests require PostgreSQL 16"});
    let made = tool(&bench, "entity_create", again);
    assert_eq!(made["similar"][0]["reference"], "#1", "{made}");
    let shown = bench.run(&["add", "note", "Our integration tests need PostgreSQL 16"]);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("nearly the same"), "{shown}");
    let mut agent = server(&bench);
    agent.ok("entity_create", json!({"type": "task", "title": "Test"}));
    agent.ok("begin", json!({}));
    let learned = agent.ok(
        "learned",
        json!({"text": "The integration tests need PostgreSQL 16", "kind": "discovery"}),
    );
    let message = learned["message"].as_str().unwrap();
    assert!(message.contains("memory_retire"), "{message}");
    let by_script = agent.ok(
        "execute",
        json!({"code": "(await entities.create({type: 'note', title: 'The integration tests need PostgreSQL 16'})).similar.length"}),
    );
    assert!(by_script["value"].as_u64() >= Some(1), "{by_script}");
    drop(agent);
    let all = call(&bench, &["memory", "list", "--reason", "contradicted"]);
    assert_eq!(all["total"], 0, "nothing was merged: {all}");
    // What was retired is not offered any more.
    for id in ["1", "2", "3"] {
        call(&bench, &["memory", "retire", id]);
    }
    let later = json!({"type": "note", "title": "The integration tests need PostgreSQL 16 here"});
    let similar = tool(&bench, "entity_create", later)["similar"].to_string();
    for id in ["\"#1\"", "\"#2\"", "\"#3\""] {
        assert!(!similar.contains(id), "{similar}");
    }
}
