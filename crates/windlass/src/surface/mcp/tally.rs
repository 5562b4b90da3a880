//! How often each tool was called, how that ended, and how long it took.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use windlass_ops::FinishedCall;

/// The name under which calls of tools that do not exist are counted.
const UNKNOWN: &str = "unknown";

/// The upper ends of the classes of duration, in seconds.
pub const CLASSES: [f64; 12] = [
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.05, 0.25, 1.0, 5.0, 30.0,
];

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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

    pub const fn name(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Refused => "refused",
            Self::Failed => "failed",
        }
    }
}

/// The numbers of one tool.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolNumbers {
    pub outcomes: BTreeMap<Outcome, u64>,
    /// How many calls fell into each class of duration; those above all of them are only in the
    /// outcomes.
    pub classes: [u64; CLASSES.len()],
    pub seconds: f64,
}

/// Numbers by tool. Only names that the catalog knows are kept, so a client cannot make it grow.
#[derive(Debug, Default)]
pub struct Tally(Mutex<BTreeMap<String, ToolNumbers>>);

impl Tally {
    /// Counts a call that has finished.
    pub fn count(&self, call: &FinishedCall) {
        self.record(Some(call.name), Outcome::of(call), call.took);
    }

    pub fn record(&self, tool: Option<&str>, outcome: Outcome, took: Duration) {
        let tool = tool.unwrap_or(UNKNOWN);
        let mut tools = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !tools.contains_key(tool) {
            tools.insert(tool.to_owned(), ToolNumbers::default());
        }
        if let Some(numbers) = tools.get_mut(tool) {
            numbers.add(outcome, took);
        }
    }

    pub fn numbers(&self) -> BTreeMap<String, ToolNumbers> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl ToolNumbers {
    fn add(&mut self, outcome: Outcome, took: Duration) {
        *self.outcomes.entry(outcome).or_default() += 1;
        let seconds = took.as_secs_f64();
        self.seconds += seconds;
        if let Some(class) = CLASSES.iter().position(|end| seconds <= *end) {
            self.classes[class] += 1;
        }
    }

    pub fn calls(&self) -> u64 {
        self.outcomes.values().sum()
    }
}

#[cfg(test)]
mod tests {
    use windlass_core::ErrorKind;

    use super::*;

    #[test]
    fn calls_are_counted_by_tool_outcome_and_duration() {
        let tally = Tally::default();
        tally.record(Some("echo"), Outcome::Answered, Duration::from_micros(80));
        tally.record(Some("echo"), Outcome::Refused, Duration::from_millis(20));
        tally.record(Some("echo"), Outcome::Answered, Duration::from_secs(90));
        tally.record(None, Outcome::Refused, Duration::ZERO);
        let numbers = tally.numbers();
        let echo = &numbers["echo"];
        assert_eq!(echo.calls(), 3);
        assert_eq!(echo.outcomes[&Outcome::Answered], 2);
        assert_eq!(
            echo.classes.iter().sum::<u64>(),
            2,
            "one took longer than all classes"
        );
        assert_eq!(echo.classes[0], 1);
        assert_eq!(echo.classes[7], 1);
        assert!((echo.seconds - 90.020_08).abs() < 1e-9);
        assert_eq!(numbers[UNKNOWN].calls(), 1);
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
