//! Each operation's examples run through MCP and the command line, with the same result.

use std::collections::HashMap;
use std::process::{Command, Output};

use serde_json::{Value as Json, json};
use windlass_ops::{Audience, Example, OPERATIONS};

use crate::sample;
use crate::server::Server;

/// Replaces what differs between two runs: ids by the order in which they appear, and times.
struct Normaliser {
    ids: HashMap<String, String>,
}

impl Normaliser {
    fn normalise(&mut self, value: &mut Json) {
        match value {
            Json::String(text) => {
                if text.len() == 36 && text.split('-').map(str::len).eq([8, 4, 4, 4, 12]) {
                    let next = format!("id {}", self.ids.len());
                    text.clone_from(self.ids.entry(text.clone()).or_insert(next));
                } else if text.len() == 24 && text.ends_with('Z') && text.as_bytes()[10] == b'T' {
                    "a moment".clone_into(text);
                } else if text.starts_with("run-1") && text.len() > 10 {
                    "a new run".clone_into(text);
                }
            }
            Json::Array(items) => items.iter_mut().for_each(|item| self.normalise(item)),
            Json::Object(object) => {
                for (key, item) in object {
                    if key == "durationMs" {
                        *item = json!("a while");
                    }
                    self.normalise(item);
                }
            }
            _ => {}
        }
    }
}

fn normalised(mut value: Json) -> Json {
    let mut normaliser = Normaliser {
        ids: HashMap::new(),
    };
    normaliser.normalise(&mut value);
    value
}

fn through_mcp(name: &str, input: &str) -> Json {
    let sample = sample::filled();
    let mut server = Server::start(sample.folder.path());
    server.ok(name, serde_json::from_str(input).expect(name))
}

fn on_the_command_line(arguments: &[&str]) -> Output {
    let sample = sample::filled();
    Command::new(env!("CARGO_BIN_EXE_windlass"))
        .arg("--cwd")
        .arg(sample.folder.path())
        .arg("--json")
        .args(arguments)
        .env("XDG_CONFIG_HOME", sample.config.path())
        .env("HOME", sample.config.path())
        .output()
        .expect("started")
}

fn through_the_command_line(arguments: &[&str]) -> Json {
    let output = on_the_command_line(arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// What is for people is no tool, and refused where no one sits at a terminal.
fn refused_without_a_person(name: &str, example: &Example) {
    let sample = sample::filled();
    let mut server = Server::start(sample.folder.path());
    let input = serde_json::from_str(example.input).expect(name);
    let answer = server.call(name, input).expect("an answer");
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let output = on_the_command_line(example.cli);
    assert_eq!(output.status.code(), Some(6), "{name}");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("HumanOnly"), "{error}");
}

#[test]
fn examples_say_the_same_on_every_surface() {
    for entry in OPERATIONS {
        for example in entry.declaration.examples {
            let name = entry.declaration.name;
            if entry.declaration.audience == Audience::Human {
                refused_without_a_person(name, example);
                continue;
            }
            let over_mcp = normalised(through_mcp(name, example.input));
            let on_the_command_line = normalised(through_the_command_line(example.cli));
            assert_eq!(over_mcp, on_the_command_line, "{name}: {}", example.about);
            assert_ne!(over_mcp, json!({}), "{name} answers something");
        }
    }
}
