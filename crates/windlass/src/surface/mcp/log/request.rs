//! The two lines that each request writes to the log.

use std::fmt::{self, Write as _};
use std::time::{Duration, Instant};

use rmcp::model::RequestId;

use super::line::push_request;
use super::{BUFFER, LOG};
use crate::surface::mcp::errors::Fault;

/// A request that has begun.
pub struct RequestLog<'a> {
    id: &'a RequestId,
    method: &'static str,
    tool: Option<&'a str>,
    since: Instant,
    /// The part that both lines share, if they are to be logged.
    shown: Option<String>,
}

impl<'a> RequestLog<'a> {
    /// `tool` is the name of the tool, resource or prompt, if the method has one.
    pub fn start(id: &'a RequestId, method: &'static str, tool: Option<&'a str>) -> Self {
        let wanted = tracing::enabled!(target: LOG, tracing::Level::INFO);
        let shown = wanted.then(|| shown(id, method, tool));
        push(shown.as_deref(), "started");
        Self {
            id,
            method,
            tool,
            since: Instant::now(),
            shown,
        }
    }

    pub fn finish<T>(self, result: &Result<T, Fault>) {
        let Self {
            id,
            method,
            tool,
            since,
            shown,
        } = self;
        let id = Id(id);
        let duration_ms = Millis(since.elapsed());
        let Err(fault) = result else {
            push(
                shown.as_deref(),
                &format!("completed duration_ms={duration_ms:?}"),
            );
            return;
        };
        let (error_type, error) = fault.summary();
        if fault.is_ours() {
            tracing::error!(target: LOG, ?id, method, tool, ?duration_ms, error_type, error, "completed");
        } else {
            tracing::warn!(target: LOG, ?id, method, tool, ?duration_ms, error_type, error, "completed");
        }
    }
}

fn push(shown: Option<&str>, message: &str) {
    if let (Some(shown), Some(buffer)) = (shown, BUFFER.get()) {
        push_request(buffer, shown, message);
    }
}

/// The request as its lines show it: `id=1 method="tools/call" tool="entity_get"`.
fn shown(id: &RequestId, method: &str, tool: Option<&str>) -> String {
    let mut text = String::with_capacity(96);
    let _ = write!(text, "id={:?}", Id(id));
    for (name, value) in [(" method=", Some(method)), (" tool=", tool)] {
        let Some(value) = value else {
            continue;
        };
        text.push_str(name);
        // Only names that a client made up need escaping; our own do not.
        if value
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte))
        {
            text.push('"');
            text.push_str(value);
            text.push('"');
        } else {
            let _ = write!(text, "{value:?}");
        }
    }
    text
}

/// A number as is, a string in quotes.
struct Id<'a>(&'a RequestId);

impl fmt::Debug for Id<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            RequestId::Number(number) => write!(out, "{number}"),
            RequestId::String(text) => write!(out, "{text:?}"),
        }
    }
}

/// Whole milliseconds, or fractions for very short requests.
struct Millis(Duration);

impl fmt::Debug for Millis {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < Duration::from_millis(10) {
            write!(out, "{:.3}", self.0.as_secs_f64() * 1000.0)
        } else {
            write!(out, "{}", self.0.as_millis())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests() {
        let id = RequestId::Number(7);
        assert_eq!(
            shown(&id, "tools/call", Some("entity_get")),
            "id=7 method=\"tools/call\" tool=\"entity_get\""
        );
        assert_eq!(
            shown(&id, "tools/call", Some("a\n\"b")),
            "id=7 method=\"tools/call\" tool=\"a\\n\\\"b\""
        );
        assert_eq!(shown(&id, "tools/list", None), "id=7 method=\"tools/list\"");
    }

    #[test]
    fn durations_and_ids() {
        let shown = |micros| format!("{:?}", Millis(Duration::from_micros(micros)));
        assert_eq!(shown(213), "0.213");
        assert_eq!(shown(50_400), "50");
        assert_eq!(format!("{:?}", Id(&RequestId::Number(7))), "7");
        assert_eq!(format!("{:?}", Id(&RequestId::String("a".into()))), "\"a\"");
    }
}
