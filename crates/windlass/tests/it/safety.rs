//! Nothing is lost: copies of the state and back, changes taken back, changes made once.

use std::fs;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio_util::sync::CancellationToken;
use windlass_core::{Actor, Origin};
use windlass_ops::{
    AnyOutput as _, Audience, Context, Effect, IdempotencyKey, JobHost, Lifetime, Machine,
    OPERATIONS, Settings, Workspace,
};

use crate::sample;
use crate::sample_work::with_work;
use crate::server::Server;
use crate::setup::Bench;

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn done(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    text(&output.stdout)
}

fn json_of(output: &Output) -> Json {
    serde_json::from_str(&done(output)).expect("JSON")
}

fn titles(bench: &Bench) -> Vec<String> {
    let listed = json_of(&bench.run(&["--json", "list"]));
    let entities = listed["entities"].as_array().cloned().unwrap_or_default();
    let titles = entities
        .iter()
        .map(|it| it["title"].as_str().unwrap_or_default().to_owned());
    titles.collect()
}

#[test]
fn a_person_restores_a_backup_beside_a_running_server() {
    let bench = Bench::new();
    done(&bench.run(&["add", "Kept"]));
    let copy = json_of(&bench.run(&["--json", "backup", "../a.backup"]));
    assert_eq!((&copy["entities"], &copy["tasks"]), (&json!(1), &json!(1)));
    let again = bench.run(&["backup", "../a.backup"]);
    assert_eq!(again.status.code(), Some(2), "{again:?}");
    done(&bench.run(&["backup", "--force", "../a.backup"]));
    done(&bench.run(&["add", "Too much"]));
    let mut server = Server::of(bench.command(&["mcp"]));
    server.ok(
        "entity_create",
        json!({"type": "task", "title": "By the server"}),
    );
    // No agent puts a state in place.
    let refused = bench.run(&["restore", "../a.backup"]);
    assert_eq!(refused.status.code(), Some(6), "{refused:?}");
    let declined = bench.typed("restore ../a.backup", "n\n");
    assert!(!declined.status.success(), "{declined:?}");
    assert_eq!(titles(&bench).len(), 3);
    let restored = bench.typed("restore ../a.backup", "y\n");
    let said = done(&restored);
    assert!(said.contains("The state before is kept"), "{said}");
    assert_eq!(titles(&bench), ["Kept"]);
    // The server goes on with what was restored.
    let made = server.ok("entity_create", json!({"type": "task", "title": "After"}));
    assert_eq!(made["sequence_number"], 2);
    assert_eq!(titles(&bench), ["Kept", "After"]);
    let listed = json_of(&bench.run(&["--json", "restore"]));
    let kept = listed["copies"][0]["file"]
        .as_str()
        .expect("a copy")
        .to_owned();
    assert!(kept.starts_with("replaced-"), "{listed}");
    assert_eq!(listed["copies"][0]["entities"], 3);
    done(&bench.typed(&format!("restore --yes {kept}"), ""));
    assert_eq!(titles(&bench), ["Kept", "Too much", "By the server"]);
    let doctor = bench.run(&["--json", "doctor"]);
    let report: Json = serde_json::from_slice(&doctor.stdout).expect("JSON");
    let checks = report["checks"].as_array().cloned().unwrap_or_default();
    let integrity = checks.iter().find(|check| check["name"] == "integrity");
    assert_eq!(integrity.expect("checked")["status"], "ok", "{report}");
}

#[test]
fn a_state_that_is_gone_comes_back_from_a_backup() {
    let bench = Bench::new();
    done(&bench.run(&["add", "Kept"]));
    done(&bench.run(&["backup", "../a.backup"]));
    fs::remove_dir_all(bench.project().join(".windlass/state")).expect("removed");
    let lost = bench.run(&["list"]);
    assert_eq!(lost.status.code(), Some(7), "{lost:?}");
    assert!(text(&lost.stderr).contains("windlass restore"), "{lost:?}");
    done(&bench.typed("restore ../a.backup", "y\n"));
    assert_eq!(titles(&bench), ["Kept"]);
    done(&bench.run(&["add", "More"]));
}

#[test]
fn changes_are_taken_back_on_the_command_line() {
    let bench = Bench::new();
    done(&bench.run(&["add", "First", "--tag", "a"]));
    done(&bench.run(&["update", "1", "--title", "Second", "--add-tag", "b"]));
    done(&bench.run(&["delete", "1", "--yes"]));
    let said = done(&bench.run(&["undo"]));
    assert!(said.contains("restored #1 Second"), "{said}");
    let said = done(&bench.run(&["undo"]));
    assert!(said.contains("title, tags as before"), "{said}");
    assert_eq!(titles(&bench), ["First"]);
    done(&bench.run(&["delete", "1", "--yes"]));
    let history = done(&bench.run(&["log", "1"]));
    assert!(
        history.contains("entity.deleted"),
        "what is deleted has a history too: {history}"
    );
    done(&bench.run(&["restore", "#1"]));
    let history = done(&bench.run(&["log", "1", "--diff"]));
    assert!(history.contains("title: First → Second"), "{history}");
    let history = json_of(&bench.run(&["--json", "log", "1", "--diff"]));
    let events = history["events"].as_array().cloned().unwrap_or_default();
    let update = events.iter().find(|it| it["type"] == "entity.updated");
    let fields = update.expect("there")["differences"].as_array().cloned();
    assert!(fields.is_some_and(|fields| fields.len() == 2), "{history}");
}

#[test]
fn a_remote_that_is_none_is_a_mistake_in_the_call() {
    let bench = Bench::new();
    for url in ["nonsense", "ftp://host/x", "s3://", "file:///"] {
        let refused = bench.run(&["sync", url]);
        let said = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{url}: {said}");
        assert_eq!(
            said.matches("s3://bucket/prefix").count(),
            1,
            "{url}: {said}"
        );
    }
}

/// Whenever the process is killed: repeated with the same key, the change is made once.
#[test]
fn a_change_with_a_key_is_made_once_whenever_it_is_killed() {
    let bench = Bench::new();
    for round in 0..20_u32 {
        let title = format!("Task {round}");
        let key = format!("key {round}");
        let words = ["--json", "add", &title, "--idempotency-key", &key];
        let mut child = bench
            .command(&words)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("started");
        std::thread::sleep(Duration::from_millis(u64::from(round) * 7 % 90));
        child.kill().expect("killed");
        child.wait().expect("ended");
        let first = json_of(&bench.run(&words));
        let again = json_of(&bench.run(&words));
        assert_eq!(first, again);
        assert_eq!(first["number"], round + 1, "{first}");
    }
    assert_eq!(titles(&bench).len(), 20);
}

#[test]
fn a_key_works_over_mcp_and_across_servers() {
    let bench = Bench::new();
    let call = |server: &mut Server, key: Json, title: &str| {
        let params = json!({
            "name": "entity_create",
            "arguments": {"type": "task", "title": title},
            "_meta": {"windlass/idempotency-key": key},
        });
        server.request("tools/call", params).expect("an answer")
    };
    let mut one = Server::of(bench.command(&["mcp"]));
    let first = call(&mut one, json!("k"), "Once");
    drop(one);
    let mut two = Server::of(bench.command(&["mcp"]));
    let again = call(&mut two, json!("k"), "Once");
    assert_eq!(
        first["result"]["structuredContent"], again["result"]["structuredContent"],
        "{first} {again}"
    );
    let other = call(&mut two, json!("k"), "Twice");
    assert_eq!(other["error"]["data"]["error_type"], "KeyReused", "{other}");
    let wrong = call(&mut two, json!(7), "Thrice");
    assert_eq!(
        wrong["error"]["data"]["field"], "idempotency_key",
        "{wrong}"
    );
    assert_eq!(titles(&bench), ["Once"]);
    // A script has a key for each of its calls.
    let code = r#"
        const one = await entities.create({type: "note", title: "A", idempotencyKey: "s"});
        const two = await entities.create({type: "note", title: "A", idempotencyKey: "s"});
        return one.sequence_number === two.sequence_number;
    "#;
    let answer = two.ok("execute", json!({ "code": code }));
    assert_eq!(answer["value"], true, "{answer}");
    assert_eq!(titles(&bench), ["Once", "A"]);
}

/// Every operation that changes something takes a key, and repeats its result instead of itself.
#[test]
fn every_change_takes_a_key() {
    let mut tried = 0;
    for entry in OPERATIONS {
        let declaration = &entry.declaration;
        let changes = matches!(declaration.effect, Effect::Write | Effect::Destructive);
        if !changes || declaration.long_running {
            continue;
        }
        let Some(example) = declaration.examples.first() else {
            continue;
        };
        let sample = with_work();
        let store = Arc::new(sample.store());
        let workspace = Workspace::new(
            sample.project.clone(),
            Machine::without_jobs(sample.config.path()),
        );
        let host = Arc::new(JobHost::new(Arc::new(workspace), Lifetime::Command));
        let origin = Origin {
            actor: if declaration.audience == Audience::Human {
                Actor::Human
            } else {
                Actor::Agent
            },
            source: "test",
            session: "focus-2-sample".to_owned(),
            correlation_id: None,
        };
        let context = Context::new(
            Arc::clone(&store),
            host,
            origin,
            Arc::new(Settings::default()),
        );
        let call = || {
            let mut context = context.clone();
            let key = IdempotencyKey::new("k").expect("a key");
            context.idempotency_key = Some(Arc::new(key));
            let input = serde_json::from_str(example.input).expect("JSON");
            let call = windlass_ops::call(entry, context, input, CancellationToken::new());
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            let response = runtime.expect("a runtime").block_on(call);
            response.map(|response| response.to_json())
        };
        let name = declaration.name;
        match call() {
            Ok(first) => {
                let events = store.last_event().expect("read");
                assert_eq!(call().expect(name), first, "{name}");
                assert_eq!(store.last_event().expect("read"), events, "{name}");
                // What travels to other clones is in the documents too.
                let problems = store.check(&sample::origin()).expect("checked");
                assert_eq!(problems, [""; 0], "{name}");
                tried += 1;
            }
            // Some need what only a real machine has.
            Err(error) => {
                let message = error.message();
                assert!(!message.contains("cannot take a key"), "{name}: {message}");
            }
        }
    }
    assert!(tried > 40, "{tried}");
}

/// A project whose database an older version made: the same file, as if it had never been upgraded.
const MAKE_OLDER: &str = r#"
import sqlite3, sys, os, glob
path, schemas = sys.argv[1], sys.argv[2]
old = sqlite3.connect(path)
project = old.execute("SELECT id FROM project").fetchone()[0]
old.close()
new = path + ".made"
db = sqlite3.connect(new)
for version in range(1, 8):
    db.executescript(open(os.path.join(schemas, f"{version}.sql")).read())
db.execute("INSERT INTO project (id) VALUES (?)", (project,))
db.execute("PRAGMA user_version = 7")
db.commit()
db.close()
# Into the same file, so that it is the one that is on record.
with open(path, "r+b") as file:
    file.truncate(0)
    file.write(open(new, "rb").read())
os.remove(new)
for beside in glob.glob(path + "-*"):
    os.remove(beside)
"#;

fn make_older(bench: &Bench) {
    let schemas = concat!(env!("CARGO_MANIFEST_DIR"), "/../windlass-store/src/schema");
    let made = Command::new("python3")
        .args(["-c", MAKE_OLDER])
        .arg(bench.project().join(".windlass/state/windlass.db"))
        .arg(schemas)
        .output()
        .expect("python3");
    assert!(made.status.success(), "{made:?}");
}

#[test]
fn whoever_takes_over_an_older_state_is_told_of_the_upgrade() {
    let bench = Bench::new();
    make_older(&bench);
    let copied = bench.path("copied");
    let copy = Command::new("cp")
        .arg("-a")
        .args([bench.project(), copied.clone()])
        .status();
    assert!(copy.expect("cp").success());
    let words = format!("--cwd {} trust", copied.display());
    let taken = bench.typed(&words, "y\n");
    let said = text(&taken.stdout);
    assert!(said.contains("upgraded from version 7"), "{said}");
    assert!(copied.join(".windlass/state/windlass.db.v7").exists());
}

#[test]
fn whoever_causes_an_upgrade_is_told_once() {
    for words in [&["add", "First"][..], &["--json", "add", "First"]] {
        let bench = Bench::new();
        make_older(&bench);
        let read = bench.run(&["list"]);
        assert!(done(&read).is_empty() || read.stderr.is_empty(), "{read:?}");
        assert!(read.stderr.is_empty(), "{read:?}");
        let first = bench.run(words);
        done(&first);
        let said = text(&first.stderr);
        assert!(said.contains("upgraded from version 7"), "{said}");
        let again = bench.run(words);
        done(&again);
        assert!(again.stderr.is_empty(), "{again:?}");
        let listed = json_of(&bench.run(&["--json", "restore"]));
        assert_eq!(listed["copies"][0]["file"], "windlass.db.v7", "{listed}");
        assert_eq!(listed["copies"][0]["version"], 7);
    }
}
