//! What happens in a session while it runs: calls, commands, gates, words of the agent, questions.
//!
//! It comes from the project's history and from the log of calls; nothing is asked of the client.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use windlass_core::{EntityId, Event, Result};
use windlass_store::Store;

use crate::surface::mcp::LoggedCall;

/// How many events are read at once.
const AT_ONCE: u32 = 200;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Happening {
    /// `call`, `command`, `gate`, `review`, `said`, `asked`.
    pub kind: &'static str,
    pub text: String,
    pub data: Json,
}

/// Follows one session.
pub struct Live {
    store: Arc<Store>,
    session: String,
    task: Option<EntityId>,
    /// The last event that was read.
    seen: i64,
    calls: CallReader,
    /// How many calls there were.
    pub called: u64,
}

impl Live {
    pub fn new(
        store: Arc<Store>,
        session: &str,
        task: Option<EntityId>,
        calls: PathBuf,
    ) -> Result<Self> {
        Ok(Self {
            seen: store.last_event()?,
            store,
            session: session.to_owned(),
            task,
            calls: CallReader::new(calls),
            called: 0,
        })
    }

    /// What has happened since the last time.
    pub fn news(&mut self) -> Result<Vec<Happening>> {
        let mut news: Vec<Happening> = self.calls.new_calls().iter().map(of_call).collect();
        self.called += u64::try_from(news.len()).unwrap_or(u64::MAX);
        loop {
            let events = self.store.events_after(self.seen, AT_ONCE)?;
            let Some(last) = events.last() else {
                return Ok(news);
            };
            self.seen = last.seq;
            let own = events.iter().filter(|event| self.is_own(event));
            news.extend(own.filter_map(of_event));
        }
    }

    fn is_own(&self, event: &Event) -> bool {
        event.session == self.session
            || event.payload["session"] == self.session.as_str()
            || self
                .task
                .as_ref()
                .is_some_and(|task| event.entity.as_deref() == Some(task.as_str()))
    }
}

/// Reads the log of calls from where it was last.
struct CallReader {
    path: PathBuf,
    offset: u64,
    /// The beginning of a line that is not complete yet.
    rest: String,
}

impl CallReader {
    fn new(path: PathBuf) -> Self {
        Self {
            path,
            offset: 0,
            rest: String::new(),
        }
    }

    fn new_calls(&mut self) -> Vec<LoggedCall> {
        let mut text = std::mem::take(&mut self.rest);
        let read = File::open(&self.path).and_then(|mut file| {
            file.seek(SeekFrom::Start(self.offset))?;
            file.read_to_string(&mut text)
        });
        self.offset += u64::try_from(read.unwrap_or(0)).unwrap_or(0);
        let complete = text.rfind('\n').map_or(0, |at| at + 1);
        self.rest = text.split_off(complete);
        text.lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect()
    }
}

fn of_call(call: &LoggedCall) -> Happening {
    let failed = if call.failed { ", failed" } else { "" };
    Happening {
        kind: "call",
        text: format!("call {} ({} ms{failed})", call.tool, call.milliseconds),
        data: json!(call),
    }
}

fn of_event(event: &Event) -> Option<Happening> {
    let payload = &event.payload;
    let text = |name: &str| payload[name].as_str().unwrap_or_default();
    let (kind, words) = match event.kind.as_str() {
        "session.signal" => ("said", said(text("verb"), &payload["body"])),
        "gate.started" => ("gate", format!("gate {} started", text("name"))),
        "gate.passed" => ("gate", format!("gate {} passed", text("name"))),
        "gate.failed" => {
            let (name, attempt) = (text("name"), &payload["attempt"]);
            ("gate", format!("gate {name} failed (attempt {attempt})"))
        }
        "gate.waiting" => ("gate", format!("gate {} waits for a person", text("name"))),
        "gate.escalated" => (
            "gate",
            "gates failed too often; a person decides".to_owned(),
        ),
        "review.created" | "review.resubmitted" => {
            ("review", format!("handed in: review {}", payload["review"]))
        }
        "review.advanced" | "review.approved" | "review.changes_requested" => {
            let (review, status) = (&payload["review"], text("status").replace('_', " "));
            ("review", format!("review {review}: {status}"))
        }
        "help.requested" => {
            let (help, category) = (&payload["help"], text("category").replace('_', " "));
            (
                "asked",
                format!("a person is asked: question {help} ({category})"),
            )
        }
        "job.started" => (
            "command",
            format!("command {} started", text("unique_name")),
        ),
        "job.ended" => {
            let how = match payload["exit_code"].as_i64() {
                Some(code) => format!("ended with exit code {code}"),
                None => text("state").to_owned(),
            };
            ("command", format!("command {} {how}", text("unique_name")))
        }
        _ => return None,
    };
    Some(Happening {
        kind,
        text: words,
        data: json!({ "type": event.kind, "at": event.at, "payload": payload }),
    })
}

/// A signal of the agent in one line: what it said, by the first of the fields that signals have.
fn said(verb: &str, body: &Json) -> String {
    let fields = [
        "summary", "question", "reason", "text", "title", "what", "on",
    ];
    let mut found = fields.iter().filter_map(|field| body[field].as_str());
    match found.next() {
        Some(text) => format!("{verb}: {text}"),
        None => match body["outcome"].as_str() {
            Some(outcome) if outcome != verb => format!("{verb}: {}", outcome.replace('_', " ")),
            _ => verb.replace('_', " "),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_read_once_and_only_whole_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("calls.jsonl");
        let mut reader = CallReader::new(path.clone());
        assert!(reader.new_calls().is_empty());
        let line = |tool: &str| {
            format!(
                "{{\"tool\":\"{tool}\",\"milliseconds\":3,\"characters\":9,\"failed\":false}}\n"
            )
        };
        let (whole, half) = (line("ask"), line("done"));
        std::fs::write(&path, format!("{whole}{}", &half[..10])).unwrap();
        let calls = reader.new_calls();
        assert_eq!(calls.len(), 1);
        assert_eq!(of_call(&calls[0]).text, "call ask (3 ms)");
        std::fs::write(&path, format!("{whole}{half}")).unwrap();
        assert_eq!(reader.new_calls()[0].tool, "done");
        assert!(reader.new_calls().is_empty());
    }

    #[test]
    fn a_signal_is_one_line() {
        for (verb, body, expected) in [
            ("done", json!({"summary": "It works"}), "done: It works"),
            (
                "ask",
                json!({"question": "Which?", "blocking": true}),
                "ask: Which?",
            ),
            ("suggest", json!({}), "suggest"),
            ("done", json!({"outcome": "in_review"}), "done: in review"),
            (
                "gates_failed",
                json!({"outcome": "gates_failed"}),
                "gates failed",
            ),
        ] {
            assert_eq!(said(verb, &body), expected);
        }
    }
}
