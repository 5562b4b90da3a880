//! Number, outcome and duration of the calls of each tool.

use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use windlass_ops::FinishedCall;

/// The name under which calls of tools that do not exist are counted.
const UNKNOWN: &str = "unknown";

/// The upper bounds of the buckets of duration, in seconds.
const BUCKETS: [f64; 12] = [
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.05, 0.25, 1.0, 5.0, 30.0,
];

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Answered,
    /// The request was at fault.
    Refused,
    /// The server was at fault.
    Failed,
}

impl Outcome {
    fn of(call: &FinishedCall) -> Self {
        match call.error {
            None => Self::Answered,
            Some(kind) if kind.is_server_fault() => Self::Failed,
            Some(_) => Self::Refused,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Refused => "refused",
            Self::Failed => "failed",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct EndedCall {
    tool: &'static str,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CalledTool {
    tool: &'static str,
}

/// Numbers by tool. Only names in the catalog are counted, so a client cannot make the table grow.
#[derive(Debug, Clone)]
pub struct CallCounts {
    ended: Family<EndedCall, Counter>,
    durations: Family<CalledTool, Histogram, fn() -> Histogram>,
}

impl Default for CallCounts {
    fn default() -> Self {
        Self {
            ended: Family::default(),
            durations: Family::new_with_constructor(|| Histogram::new(BUCKETS)),
        }
    }
}

impl CallCounts {
    /// Counts a call that has finished.
    pub fn count(&self, call: &FinishedCall) {
        self.record(Some(call.name), Outcome::of(call), call.took);
    }

    pub fn record(&self, tool: Option<&'static str>, outcome: Outcome, took: Duration) {
        let tool = tool.unwrap_or(UNKNOWN);
        let outcome = outcome.name();
        self.ended.get_or_create(&EndedCall { tool, outcome }).inc();
        self.durations
            .get_or_create(&CalledTool { tool })
            .observe(took.as_secs_f64());
    }

    /// Adds the numbers to the page of metrics.
    pub fn register(&self, registry: &mut Registry) {
        registry.register(
            "windlass_tool_calls",
            "Tool calls by outcome",
            self.ended.clone(),
        );
        registry.register(
            "windlass_tool_call_duration_seconds",
            "Duration of tool calls",
            self.durations.clone(),
        );
    }
}

#[cfg(test)]
mod tests {
    use prometheus_client::encoding::text;
    use windlass_core::ErrorKind;

    use super::*;

    #[test]
    fn calls_are_counted_by_tool_outcome_and_duration() {
        let counts = CallCounts::default();
        counts.record(Some("echo"), Outcome::Answered, Duration::from_micros(80));
        counts.record(Some("echo"), Outcome::Refused, Duration::from_millis(20));
        counts.record(Some("echo"), Outcome::Answered, Duration::from_secs(90));
        counts.record(None, Outcome::Refused, Duration::ZERO);
        let mut registry = Registry::default();
        counts.register(&mut registry);
        let mut page = String::new();
        text::encode(&mut page, &registry).unwrap();
        let lines: Vec<&str> = page.lines().collect();
        for line in [
            "# TYPE windlass_tool_calls counter",
            "windlass_tool_calls_total{tool=\"echo\",outcome=\"answered\"} 2",
            "windlass_tool_calls_total{tool=\"echo\",outcome=\"refused\"} 1",
            "windlass_tool_calls_total{tool=\"unknown\",outcome=\"refused\"} 1",
            "# TYPE windlass_tool_call_duration_seconds histogram",
            "windlass_tool_call_duration_seconds_bucket{le=\"0.0001\",tool=\"echo\"} 1",
            "windlass_tool_call_duration_seconds_bucket{le=\"0.01\",tool=\"echo\"} 1",
            "windlass_tool_call_duration_seconds_bucket{le=\"0.05\",tool=\"echo\"} 2",
            "windlass_tool_call_duration_seconds_bucket{le=\"30.0\",tool=\"echo\"} 2",
            "windlass_tool_call_duration_seconds_bucket{le=\"+Inf\",tool=\"echo\"} 3",
            "windlass_tool_call_duration_seconds_sum{tool=\"echo\"} 90.02008",
            "windlass_tool_call_duration_seconds_count{tool=\"echo\"} 3",
            "windlass_tool_call_duration_seconds_count{tool=\"unknown\"} 1",
        ] {
            assert!(lines.contains(&line), "{line} in {page}");
        }
    }

    #[test]
    fn whose_fault_it_was() {
        for (error, expected) in [
            (None, Outcome::Answered),
            (Some(ErrorKind::EntityNotFound), Outcome::Refused),
            (Some(ErrorKind::StorageError), Outcome::Failed),
        ] {
            let call = FinishedCall {
                name: "echo",
                took: Duration::ZERO,
                error,
                failed: false,
            };
            assert_eq!(Outcome::of(&call), expected);
        }
    }
}
