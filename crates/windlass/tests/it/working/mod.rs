//! The loop of an agent through real servers: begin, work, done, gates, feedback, review, approved.

mod guard;
mod holding;
mod kills;
mod story;

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};
use windlass_core::workflow::{GateDefinition, Phases};
use windlass_core::{Entity, Origin, Result};
use windlass_store::{NewComment, Review, Writer};

use crate::sample::{self, Sample};
use crate::server::Server;

/// What the gate of these tests wants: a file that says "works".
const GATE: &str = "grep -q works login.txt";

/// A git repository with a project, tasks with these titles, and a gate that wants a file.
fn project(titles: &[&str]) -> Sample {
    let sample = sample::empty();
    let root = sample.folder.path();
    for words in [
        &["init", "-q", "."][..],
        &["config", "user.email", "ann@example.org"],
        &["config", "user.name", "Ann"],
        &["commit", "-q", "--allow-empty", "-m", "Begin"],
    ] {
        let git = std::process::Command::new("git")
            .args(words)
            .current_dir(root)
            .status();
        assert!(git.expect("git").success(), "git {words:?}");
    }
    let gate = GateDefinition {
        max_retries: 50,
        ..GateDefinition::new("login", GATE)
    };
    sample::add_gate(&sample, &gate);
    for title in titles {
        sample::task(&sample, title);
    }
    sample
}

/// What a person does.
fn person<T>(sample: &Sample, act: impl FnOnce(&Writer<'_>) -> Result<T>) -> T {
    let person: Origin = sample::origin();
    sample.store().write(&person, act).expect("a person may")
}

fn request_changes(sample: &Sample, review: i64, body: &str) -> Review {
    person(sample, |writer| {
        let comment = NewComment {
            body: body.to_owned(),
            ..NewComment::default()
        };
        writer.request_changes(&review.to_string(), &[comment], None)
    })
}

fn approve(sample: &Sample, review: i64) -> Review {
    person(sample, |writer| {
        writer.approve_review(&review.to_string(), Phases::default())
    })
}

fn login(root: &Path, text: &str) {
    fs::write(root.join("login.txt"), text).expect("written");
}

fn task_of(sample: &Sample, number: i64) -> Entity {
    sample
        .store()
        .read(None, |reader| reader.named("id", &number.to_string()))
        .expect("a task")
}

fn status(sample: &Sample, number: i64) -> String {
    task_of(sample, number)
        .status()
        .unwrap_or_default()
        .to_owned()
}

/// A server as clients get it: without options.
fn usual(sample: &Sample) -> Server {
    Server::usual(sample.folder.path())
}

/// The text that a model reads of a call, whatever came of it.
fn text_of(server: &mut Server, tool: &str, arguments: Json) -> String {
    let answer = server.call(tool, arguments).expect("an answer");
    let text = answer["result"]["content"][0]["text"]
        .as_str()
        .or_else(|| answer["error"]["message"].as_str());
    text.unwrap_or_else(|| panic!("{answer}")).to_owned()
}

fn value_of(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or_else(|_| json!(text))
}
