//! Each operation's examples run through MCP and the command line, with the same result.

use std::collections::HashMap;
use std::process::Output;

use serde_json::{Value as Json, json};
use windlass_ops::{Audience, Entry, Example, OPERATIONS, Toolset};

use crate::sample;
use crate::sample_work::with_work;
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
                } else if [20, 24].contains(&text.len())
                    && text.ends_with('Z')
                    && text.as_bytes()[10] == b'T'
                {
                    "a moment".clone_into(text);
                } else if text.len() == 64 && text.bytes().all(|it| it.is_ascii_hexdigit()) {
                    "a pack".clone_into(text);
                } else if text.starts_with("run-1") && text.len() > 10 {
                    "a new run".clone_into(text);
                } else if let Some(at) = text.find("task_execution-6-") {
                    text.replace_range(at + 17..at + 25, "........");
                }
            }
            Json::Array(items) => items.iter_mut().for_each(|item| self.normalise(item)),
            Json::Object(object) => {
                // The ids and times in a pack compress to different lengths.
                if object.contains_key("pack") {
                    object.insert("bytes".to_owned(), json!("some"));
                }
                for (key, item) in object {
                    if ["durationMs", "duration_ms"].contains(&key.as_str()) {
                        *item = json!("a while");
                    }
                    // A hint names what the reader of the surface can use.
                    if ["hint", "next", "message"].contains(&key.as_str()) {
                        *item = json!("a hint");
                    }
                    // Every socket has a session of its own.
                    if ["claimed_by", "submitted_by", "confirmed_by", "retired_by"]
                        .contains(&key.as_str())
                    {
                        *item = json!("a session");
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

/// The session of the sample, in which the words of toolset `focus` are said.
const SESSION: &str = "focus-2-sample";

fn through_mcp(entry: &Entry, input: &str) -> Json {
    let sample = with_work();
    let name = wire_name(entry);
    let mut server = if entry.declaration.toolset == Toolset::Focus {
        Server::of_session(sample.folder.path(), SESSION)
    } else {
        Server::start(sample.folder.path())
    };
    let answer = server.ok(&name, serde_json::from_str(input).expect(&name));
    without_folder(&answer, &sample)
}

/// Where a server has two tools of one name, both carry their toolset.
fn wire_name(entry: &Entry) -> String {
    let declaration = &entry.declaration;
    let uses = OPERATIONS
        .iter()
        .filter(|other| other.declaration.name == declaration.name);
    if uses.count() > 1 {
        return format!("{}_{}", declaration.toolset.name(), declaration.name);
    }
    declaration.name.to_owned()
}

/// Every sample is in a folder of its own.
fn without_folder(answer: &Json, sample: &sample::Sample) -> Json {
    let folder = sample.project.root().display().to_string();
    let text = answer.to_string().replace(&folder, "FOLDER");
    let name = sample.project.root().file_name().expect("a name");
    let text = text.replace(&*name.to_string_lossy(), "FOLDER");
    serde_json::from_str(&text).expect("JSON")
}

fn on_the_command_line(sample: &sample::Sample, arguments: &[String]) -> Output {
    sample::windlass()
        .arg("--cwd")
        .arg(sample.folder.path())
        .arg("--json")
        .args(arguments)
        .env("XDG_CONFIG_HOME", sample.config.path())
        .env("HOME", sample.config.path())
        .env("WINDLASS_SESSION", SESSION)
        .output()
        .expect("started")
}

fn through_the_command_line(arguments: &[String]) -> Json {
    let sample = with_work();
    let output = on_the_command_line(&sample, arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    // 11: it did its work, and what it found is no success. The output is compared all the same.
    let worked = output.status.success() || output.status.code() == Some(11);
    assert!(worked, "{arguments:?}: {error}");
    let answer = serde_json::from_slice(&output.stdout).expect("JSON");
    without_folder(&answer, &sample)
}

/// What is typed to run an example: its own words, or `windlass call` with an option for each argument.
fn typed(entry: &Entry, example: &Example) -> Vec<String> {
    if example.cli.is_empty() {
        let input = serde_json::from_str(example.input).expect("JSON");
        return windlass::surface::cli::call_words(entry, &input);
    }
    example.cli.iter().map(|word| (*word).to_owned()).collect()
}

/// What is for people is no tool, and refused where no one sits at a terminal.
fn refused_without_a_person(entry: &Entry, example: &Example) {
    let name = entry.declaration.name;
    let sample = with_work();
    let mut server = Server::start(sample.folder.path());
    let input = serde_json::from_str(example.input).expect(name);
    let answer = server.call(name, input).expect("an answer");
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let output = on_the_command_line(&sample, &typed(entry, example));
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
                refused_without_a_person(entry, example);
                continue;
            }
            let over_mcp = normalised(through_mcp(entry, example.input));
            let on_the_command_line = normalised(through_the_command_line(&typed(entry, example)));
            assert_eq!(over_mcp, on_the_command_line, "{name}: {}", example.about);
            assert_ne!(over_mcp, json!({}), "{name} answers something");
        }
    }
}
