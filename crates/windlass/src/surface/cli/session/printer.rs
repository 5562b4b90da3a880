//! Prints what happens in launched sessions: lines for people beside the client's own output, or
//! lines of JSON. Several sessions at once have their task's number before each line.

use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

use serde_json::{Value as Json, json};
use windlass_process::{OutputSink, Stream};

use super::live::Happening;
use crate::surface::cli::output;
use crate::surface::cli::render::escape;

/// A longer line of a client is cut there, so that no memory is needed for it.
const LONGEST_LINE: usize = 64 * 1024;

pub struct Printer {
    json: bool,
    session: String,
    task: Option<i64>,
    /// Whether others print at the same time.
    shares: bool,
    /// The beginnings of lines that are not complete yet, of both streams.
    open_lines: Mutex<[Vec<u8>; 2]>,
}

impl Printer {
    pub fn new(json: bool, session: &str, task: Option<i64>, shares: bool) -> Self {
        Self {
            json,
            session: session.to_owned(),
            task,
            shares,
            open_lines: Mutex::default(),
        }
    }

    pub fn happening(&self, happening: &Happening) {
        let Happening { kind, text, data } = happening;
        if self.json {
            self.json_line(kind, &json!({ "text": text, "data": data }));
        } else {
            self.note(text);
        }
    }

    /// A line for people about the session.
    pub fn note(&self, text: &str) {
        if !self.json {
            output::note(&format!("{}{text}", self.prefix()));
        }
    }

    /// A line of JSON about the session.
    pub fn json_line(&self, event: &str, fields: &Json) {
        let mut line = json!({ "event": event, "session": self.session, "task": self.task });
        if let (Some(line), Some(fields)) = (line.as_object_mut(), fields.as_object()) {
            line.extend(fields.clone());
        }
        // A reader that has closed the pipe does not end the session.
        let _ = output::raw(format!("{line}\n").as_bytes());
    }

    fn prefix(&self) -> String {
        match self.task {
            Some(task) if self.shares => format!("[#{task}] "),
            _ if self.shares => format!("[{}] ", self.session),
            _ => "· ".to_owned(),
        }
    }

    /// Prints the lines that are complete now.
    fn lines(&self, stream: Stream, bytes: &[u8]) {
        let mut open = self
            .open_lines
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let open = &mut open[usize::from(stream == Stream::Stderr)];
        for byte in bytes {
            if *byte == b'\n' || open.len() >= LONGEST_LINE {
                self.line(stream, &String::from_utf8_lossy(open));
                open.clear();
            }
            if *byte != b'\n' {
                open.push(*byte);
            }
        }
    }

    fn line(&self, stream: Stream, text: &str) {
        let text = text.trim_end_matches('\r');
        if self.json {
            let stream = match stream {
                Stream::Stdout => "stdout",
                Stream::Stderr => "stderr",
            };
            self.json_line("output", &json!({ "stream": stream, "text": text }));
        } else {
            let line = format!("{}{}\n", self.prefix(), escape::one_line(text));
            let _ = std::io::stderr().lock().write_all(line.as_bytes());
        }
    }
}

impl OutputSink for Printer {
    fn write(&self, stream: Stream, bytes: &[u8]) {
        if self.json || self.shares {
            self.lines(stream, bytes);
            return;
        }
        // A reader that has closed the pipe does not end the session.
        let _ = match stream {
            Stream::Stdout => output::pass_on(&mut std::io::stdout().lock(), bytes),
            Stream::Stderr => output::pass_on(&mut std::io::stderr().lock(), bytes),
        };
    }

    fn replaces_ring(&self) -> bool {
        false
    }
}
