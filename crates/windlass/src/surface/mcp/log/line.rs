//! The format of a log line:
//! `2026-01-30T12:00:00.000Z INFO windlass::mcp request{id=1 method="tools/call"} started`.

use std::cell::RefCell;
use std::fmt::{self, Write};
use std::time::{SystemTime, UNIX_EPOCH};

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use windlass_core::Timestamp;

use super::LOG;
use super::buffer::{Buffer, Haste};

/// The fields that identify the request of a line.
const REQUEST_FIELDS: [&str; 3] = ["id", "method", "tool"];

pub struct LineLayer {
    buffer: Buffer,
}

impl LineLayer {
    pub fn new(buffer: Buffer) -> Self {
        Self { buffer }
    }
}

thread_local! {
    static WORK: RefCell<Work> = RefCell::default();
}

/// Logs a line of a successful request. These are the most frequent lines, two for each call, so
/// they are formatted directly instead of visiting their fields one by one. The log files are for what
/// went wrong, and do not get them.
pub fn push_request(buffer: &Buffer, request: &str, message: &str) {
    WORK.with_borrow_mut(|work| {
        work.compose_request(request, message, SystemTime::now());
        buffer.push_to_output(&work.line, Haste::Whenever);
    });
}

impl<S: Subscriber> Layer<S> for LineLayer {
    fn on_event(&self, event: &Event<'_>, _context: Context<'_, S>) {
        WORK.with_borrow_mut(|work| {
            work.compose(event, SystemTime::now());
            let haste = if *event.metadata().level() <= Level::WARN {
                Haste::AtOnce
            } else {
                Haste::Whenever
            };
            self.buffer.push(&work.line, haste);
        });
    }
}

/// The buffers for a line, reused so that a line needs no allocation.
#[derive(Default)]
struct Work {
    line: String,
    parts: Parts,
    /// The last second that was formatted, because it seldom changes from line to line.
    second: u64,
    second_text: String,
}

#[derive(Default)]
struct Parts {
    ours: bool,
    request: String,
    message: String,
    fields: String,
}

impl Work {
    fn compose(&mut self, event: &Event<'_>, at: SystemTime) {
        let metadata = event.metadata();
        self.parts.clear(metadata.target() == LOG);
        event.record(&mut self.parts);
        self.line.clear();
        self.write_time(at);
        let parts = &self.parts;
        let _ = write!(self.line, " {} {}", metadata.level(), metadata.target());
        if !parts.request.is_empty() {
            let _ = write!(self.line, " request{{{}}}", parts.request);
        }
        for part in [&parts.message, &parts.fields] {
            if !part.is_empty() {
                self.line.push(' ');
                self.line.push_str(part);
            }
        }
        self.line.push('\n');
    }

    fn compose_request(&mut self, request: &str, message: &str, at: SystemTime) {
        self.line.clear();
        self.write_time(at);
        for part in [" INFO ", LOG, " request{", request, "} ", message, "\n"] {
            self.line.push_str(part);
        }
    }

    fn write_time(&mut self, at: SystemTime) {
        let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
        if since.as_secs() != self.second || self.second_text.is_empty() {
            self.second = since.as_secs();
            let millis = i64::try_from(self.second).unwrap_or_default() * 1000;
            let text = Timestamp::from_millis(millis);
            self.second_text.clear();
            self.second_text
                .push_str(text.as_str().get(..19).unwrap_or_default());
        }
        let _ = write!(
            self.line,
            "{}.{:03}Z",
            self.second_text,
            since.subsec_millis()
        );
    }
}

impl Parts {
    fn clear(&mut self, ours: bool) {
        self.ours = ours;
        self.request.clear();
        self.message.clear();
        self.fields.clear();
    }

    fn add(&mut self, field: &Field, value: fmt::Arguments<'_>) {
        let name = field.name();
        if name == "message" {
            let _ = write!(OneLine(&mut self.message), "{value}");
            return;
        }
        let part = if self.ours && REQUEST_FIELDS.contains(&name) {
            &mut self.request
        } else {
            &mut self.fields
        };
        if !part.is_empty() {
            part.push(' ');
        }
        let _ = write!(OneLine(part), "{name}={value}");
    }
}

impl Visit for Parts {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add(field, format_args!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, format_args!("{value:?}"));
    }
}

/// Escapes line breaks, so that text from outside cannot forge log lines.
struct OneLine<'a>(&'a mut String);

impl Write for OneLine<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if text.bytes().any(|byte| byte.is_ascii_control()) {
            for character in text.chars() {
                if character.is_control() {
                    self.0.extend(character.escape_default());
                } else {
                    self.0.push(character);
                }
            }
        } else {
            self.0.push_str(text);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tracing_subscriber::layer::SubscriberExt;

    use super::*;

    /// The lines that are logged within `act`, without the time.
    fn logged(act: impl FnOnce()) -> Vec<String> {
        struct Collect(Arc<Mutex<Vec<String>>>);
        impl<S: Subscriber> Layer<S> for Collect {
            fn on_event(&self, event: &Event<'_>, _context: Context<'_, S>) {
                let mut work = Work::default();
                work.compose(event, UNIX_EPOCH);
                self.0.lock().unwrap().push(work.line);
            }
        }
        let lines = Arc::default();
        let subscriber = tracing_subscriber::registry().with(Collect(Arc::clone(&lines)));
        tracing::subscriber::with_default(subscriber, act);
        let lines = lines.lock().unwrap();
        lines
            .iter()
            .map(|line| {
                line.strip_prefix("1970-01-01T00:00:00.000Z ")
                    .unwrap()
                    .to_owned()
            })
            .collect()
    }

    #[test]
    fn the_forms_of_a_line() {
        let lines = logged(|| {
            tracing::info!(target: LOG, id = 1, method = "tools/call", tool = "entity_create", "started");
            tracing::info!(target: LOG, id = 1, method = "tools/list", tool = None::<&str>, duration_ms = 50, "completed");
            tracing::warn!(target: "rmcp::transport", id = 7, "two\nlines");
            tracing::info!(target: LOG, "Shutting down...");
        });
        assert_eq!(
            lines,
            [
                "INFO windlass::mcp request{id=1 method=\"tools/call\" tool=\"entity_create\"} started\n",
                "INFO windlass::mcp request{id=1 method=\"tools/list\"} completed duration_ms=50\n",
                "WARN rmcp::transport two\\nlines id=7\n",
                "INFO windlass::mcp Shutting down...\n",
            ]
        );
    }

    #[test]
    fn a_request_looks_the_same_by_the_short_way() {
        let mut work = Work::default();
        work.compose_request("id=1 method=\"tools/call\"", "started", UNIX_EPOCH);
        let by_fields = logged(|| {
            tracing::info!(target: LOG, id = 1, method = "tools/call", "started");
        });
        assert_eq!(
            work.line,
            format!("1970-01-01T00:00:00.000Z {}", by_fields[0])
        );
    }

    #[test]
    fn the_time_has_milliseconds() {
        let mut work = Work::default();
        let at = UNIX_EPOCH + std::time::Duration::from_millis(1_738_238_400_050);
        work.write_time(at);
        assert_eq!(work.line, "2025-01-30T12:00:00.050Z");
    }
}
