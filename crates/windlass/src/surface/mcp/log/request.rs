//! The two lines that each request leaves in the log.

use std::fmt;
use std::time::{Duration, Instant};

use rmcp::model::RequestId;

use super::LOG;
use crate::surface::mcp::errors::Fault;

/// A request that has begun.
pub struct RequestLog<'a> {
    id: &'a RequestId,
    method: &'static str,
    tool: Option<&'a str>,
    since: Instant,
}

impl<'a> RequestLog<'a> {
    /// `tool` is the name of what is asked for, where the method has one.
    pub fn start(id: &'a RequestId, method: &'static str, tool: Option<&'a str>) -> Self {
        tracing::info!(target: LOG, id = ?Id(id), method, tool, "started");
        Self {
            id,
            method,
            tool,
            since: Instant::now(),
        }
    }

    pub fn finish<T>(self, result: &Result<T, Fault>) {
        let Self {
            id, method, tool, ..
        } = self;
        let id = Id(id);
        let duration_ms = Millis(self.since.elapsed());
        let Err(fault) = result else {
            tracing::info!(target: LOG, ?id, method, tool, ?duration_ms, "completed");
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

/// A number as it is, a text in quotes.
struct Id<'a>(&'a RequestId);

impl fmt::Debug for Id<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            RequestId::Number(number) => write!(out, "{number}"),
            RequestId::String(text) => write!(out, "{text:?}"),
        }
    }
}

/// Whole milliseconds, but for requests so quick that these would say nothing.
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
    fn durations_and_ids() {
        let shown = |micros| format!("{:?}", Millis(Duration::from_micros(micros)));
        assert_eq!(shown(213), "0.213");
        assert_eq!(shown(50_400), "50");
        assert_eq!(format!("{:?}", Id(&RequestId::Number(7))), "7");
        assert_eq!(format!("{:?}", Id(&RequestId::String("a".into()))), "\"a\"");
    }
}
