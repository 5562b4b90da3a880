//! The states of runs and steps, and their transitions.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The state of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RunStatus {
    /// It was created and has not started.
    Created,
    /// Its steps are being executed.
    Running,
    /// All steps succeeded.
    Success,
    /// A step failed, or the run could not continue.
    Failed,
    /// A step took too long.
    Timeout,
    /// It was cancelled.
    Cancelled,
}

impl RunStatus {
    /// All states.
    pub const ALL: [Self; 6] = [
        Self::Created,
        Self::Running,
        Self::Success,
        Self::Failed,
        Self::Timeout,
        Self::Cancelled,
    ];

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Running => "running",
            Self::Success => "success",
            Self::Failed => "failed",
            Self::Timeout => "timeout",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether no other state can follow.
    pub const fn is_terminal(self) -> bool {
        !matches!(self, Self::Created | Self::Running)
    }

    /// Whether `next` may follow.
    pub const fn may_become(self, next: Self) -> bool {
        match self {
            Self::Created => matches!(next, Self::Running),
            Self::Running => next.is_terminal(),
            _ => false,
        }
    }
}

impl fmt::Display for RunStatus {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// The state of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StepStatus {
    /// It waits for its turn.
    Pending,
    /// It is being executed.
    Running,
    /// It ended as expected.
    Success,
    /// It did not end as expected.
    Failed,
    /// It took too long and was stopped.
    Timeout,
    /// It was not executed, because the run ended before.
    Skipped,
}

impl StepStatus {
    /// All states.
    pub const ALL: [Self; 6] = [
        Self::Pending,
        Self::Running,
        Self::Success,
        Self::Failed,
        Self::Timeout,
        Self::Skipped,
    ];

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Success => "success",
            Self::Failed => "failed",
            Self::Timeout => "timeout",
            Self::Skipped => "skipped",
        }
    }

    /// Whether no other state can follow.
    pub const fn is_terminal(self) -> bool {
        !matches!(self, Self::Pending | Self::Running)
    }

    /// Whether `next` may follow. A step that never started can only be skipped.
    pub const fn may_become(self, next: Self) -> bool {
        match self {
            Self::Pending => matches!(next, Self::Running | Self::Skipped),
            Self::Running => matches!(next, Self::Success | Self::Failed | Self::Timeout),
            _ => false,
        }
    }
}

impl fmt::Display for StepStatus {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_run_states() {
        use RunStatus::{Cancelled, Created, Failed, Running, Success, Timeout};
        let allowed = [
            (Created, Running),
            (Running, Success),
            (Running, Failed),
            (Running, Timeout),
            (Running, Cancelled),
        ];
        for from in RunStatus::ALL {
            for to in RunStatus::ALL {
                let expected = allowed.contains(&(from, to));
                assert_eq!(from.may_become(to), expected, "{from} -> {to}");
            }
            assert_eq!(serde_json::to_value(from).unwrap(), from.name());
        }
    }

    #[test]
    fn the_table_of_step_states() {
        use StepStatus::{Failed, Pending, Running, Skipped, Success, Timeout};
        let allowed = [
            (Pending, Running),
            (Pending, Skipped),
            (Running, Success),
            (Running, Failed),
            (Running, Timeout),
        ];
        for from in StepStatus::ALL {
            for to in StepStatus::ALL {
                let expected = allowed.contains(&(from, to));
                assert_eq!(from.may_become(to), expected, "{from} -> {to}");
            }
            assert_eq!(serde_json::to_value(from).unwrap(), from.name());
        }
    }
}
