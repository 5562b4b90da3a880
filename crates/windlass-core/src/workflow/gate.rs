//! Gates: their definition, what an exit code means, and the combined result of all gates of a
//! review.

use crate::{Error, Result};

/// How much of each output stream of a gate is stored.
pub const MAX_GATE_OUTPUT_BYTES: usize = 64 * 1024;

const MAX_NAME_CHARS: usize = 100;
const MAX_COMMAND_BYTES: usize = 10 * 1024;
/// A week: a gate that waits longer was probably forgotten.
const MAX_SECONDS: u32 = 7 * 24 * 60 * 60;
const MAX_RETRIES: u32 = 100;

/// The exit code for "not ready yet, try again later" (`EX_TEMPFAIL`).
const TRY_AGAIN: i32 = 75;

/// A check that submitted work must pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateDefinition {
    pub name: String,
    pub command: String,
    /// How long one execution may take.
    pub timeout_secs: u32,
    /// After this many failed attempts a person decides.
    pub max_retries: u32,
    /// How long to wait before a gate that is not ready runs again.
    pub poll_interval_secs: u32,
    /// How long a gate may stay not ready.
    pub max_pending_secs: u32,
}

/// What a gate executes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateCommand<'a> {
    Shell(&'a str),
    /// A command of the repository, by its unique name.
    Command(&'a str),
    Playbook(&'a str),
}

impl GateDefinition {
    pub const DEFAULT_TIMEOUT_SECS: u32 = 300;
    pub const DEFAULT_MAX_RETRIES: u32 = 3;
    pub const DEFAULT_POLL_INTERVAL_SECS: u32 = 30;
    pub const DEFAULT_MAX_PENDING_SECS: u32 = 86_400;

    /// A gate with the default limits.
    pub fn new(name: &str, command: &str) -> Self {
        Self {
            name: name.trim().to_owned(),
            command: command.trim().to_owned(),
            timeout_secs: Self::DEFAULT_TIMEOUT_SECS,
            max_retries: Self::DEFAULT_MAX_RETRIES,
            poll_interval_secs: Self::DEFAULT_POLL_INTERVAL_SECS,
            max_pending_secs: Self::DEFAULT_MAX_PENDING_SECS,
        }
    }

    /// Refuses an invalid definition.
    pub fn check(&self) -> Result<()> {
        let letters = self.name.chars().count();
        if letters == 0 || letters > MAX_NAME_CHARS || self.name.chars().any(char::is_control) {
            return Err(Error::validation(
                "name",
                format!("must have 1 to {MAX_NAME_CHARS} printable characters"),
            ));
        }
        if self.command.len() > MAX_COMMAND_BYTES || self.command.contains('\0') {
            return Err(Error::validation(
                "command",
                format!("must have at most {MAX_COMMAND_BYTES} bytes and no zero byte"),
            ));
        }
        let what = match self.parsed() {
            GateCommand::Shell(text) | GateCommand::Command(text) | GateCommand::Playbook(text) => {
                text
            }
        };
        if what.is_empty() {
            return Err(Error::validation("command", "is empty")
                .with_hint("Give shell text, command:NAME or playbook:NAME."));
        }
        for (field, value, most) in [
            ("timeout_secs", self.timeout_secs, MAX_SECONDS),
            ("max_retries", self.max_retries, MAX_RETRIES),
            ("poll_interval_secs", self.poll_interval_secs, MAX_SECONDS),
            ("max_pending_secs", self.max_pending_secs, MAX_SECONDS),
        ] {
            if !(1..=most).contains(&value) {
                return Err(Error::validation(
                    field,
                    format!("{value} is outside 1 to {most}"),
                ));
            }
        }
        Ok(())
    }

    pub fn parsed(&self) -> GateCommand<'_> {
        let text = self.command.trim();
        if let Some(name) = text.strip_prefix("command:") {
            return GateCommand::Command(name.trim());
        }
        match text.strip_prefix("playbook:") {
            Some(name) => GateCommand::Playbook(name.trim()),
            None => GateCommand::Shell(text),
        }
    }
}

/// The state of one attempt of a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GateStatus {
    /// No process has started it.
    Queued,
    Running,
    /// It was not ready yet (exit code 75). It will run again.
    Pending,
    /// A person must allow the command before it can run.
    Waiting,
    Passed,
    Failed,
    Timeout,
    /// The review ended, or the work was submitted again, before the attempt finished.
    Cancelled,
}

impl GateStatus {
    pub const ALL: [Self; 8] = [
        Self::Queued,
        Self::Running,
        Self::Pending,
        Self::Waiting,
        Self::Passed,
        Self::Failed,
        Self::Timeout,
        Self::Cancelled,
    ];

    pub const NAMES: [&'static str; 8] = [
        "queued",
        "running",
        "pending",
        "waiting",
        "passed",
        "failed",
        "timeout",
        "cancelled",
    ];

    pub const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == text)
    }

    pub const fn is_open(self) -> bool {
        matches!(
            self,
            Self::Queued | Self::Running | Self::Pending | Self::Waiting
        )
    }

    pub const fn is_failure(self) -> bool {
        matches!(self, Self::Failed | Self::Timeout)
    }
}

/// How one execution of a gate ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateExit {
    Code(i32),
    TimedOut,
    /// It could not be started, or its process was lost.
    Lost,
}

impl GateExit {
    /// The status of the attempt after this exit. `waited_secs` is the time since the attempt
    /// began.
    pub const fn status(self, waited_secs: i64, gate: &GateDefinition) -> GateStatus {
        match self {
            Self::Code(0) => GateStatus::Passed,
            Self::Code(TRY_AGAIN) if waited_secs >= gate.max_pending_secs as i64 => {
                GateStatus::Timeout
            }
            Self::Code(TRY_AGAIN) => GateStatus::Pending,
            Self::Code(_) | Self::Lost => GateStatus::Failed,
            Self::TimedOut => GateStatus::Timeout,
        }
    }
}

/// The state of one gate within a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// The status of the last attempt.
    pub status: GateStatus,
    /// The number of failed attempts in this review.
    pub failed_attempts: u32,
    pub max_retries: u32,
}

impl Verdict {
    /// Whether the gate has no attempts left.
    pub const fn is_exhausted(self) -> bool {
        self.status.is_failure() && self.failed_attempts >= self.max_retries
    }
}

/// The combined result of all gates of a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GatesOutcome {
    /// Some have not finished.
    Open,
    Passed,
    /// Some failed, and have attempts left.
    Failed,
    /// Some failed and have no attempts left.
    Escalated,
}

impl GatesOutcome {
    /// Nothing is decided while a gate is open, so that the result names all failed gates at once.
    pub fn of(verdicts: &[Verdict]) -> Self {
        let any = |fits: fn(&Verdict) -> bool| verdicts.iter().any(fits);
        if any(|verdict| verdict.status.is_open()) {
            Self::Open
        } else if any(|verdict| verdict.is_exhausted()) {
            Self::Escalated
        } else if any(|verdict| verdict.status != GateStatus::Passed) {
            Self::Failed
        } else {
            Self::Passed
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_decide_the_status() {
        let gate = GateDefinition::new("g", "true");
        for (exit, waited, status) in [
            (GateExit::Code(0), 0, GateStatus::Passed),
            (GateExit::Code(0), 100_000, GateStatus::Passed),
            (GateExit::Code(75), 0, GateStatus::Pending),
            (GateExit::Code(75), 86_399, GateStatus::Pending),
            (GateExit::Code(75), 86_400, GateStatus::Timeout),
            (GateExit::Code(1), 0, GateStatus::Failed),
            (GateExit::Code(137), 0, GateStatus::Failed),
            (GateExit::TimedOut, 0, GateStatus::Timeout),
            (GateExit::Lost, 0, GateStatus::Failed),
        ] {
            assert_eq!(exit.status(waited, &gate), status, "{exit:?} {waited}");
        }
    }

    #[test]
    fn the_outcome_combines_all_gates() {
        let verdict = |status, failed_attempts| Verdict {
            status,
            failed_attempts,
            max_retries: 3,
        };
        let (passed, failed, last) = (
            verdict(GateStatus::Passed, 2),
            verdict(GateStatus::Failed, 2),
            verdict(GateStatus::Timeout, 3),
        );
        for (verdicts, outcome) in [
            (&[][..], GatesOutcome::Passed),
            (&[passed, passed], GatesOutcome::Passed),
            (&[passed, failed], GatesOutcome::Failed),
            (&[failed, last], GatesOutcome::Escalated),
            (&[last, verdict(GateStatus::Pending, 0)], GatesOutcome::Open),
            (&[verdict(GateStatus::Waiting, 0)], GatesOutcome::Open),
            (
                &[verdict(GateStatus::Queued, 0), failed],
                GatesOutcome::Open,
            ),
            (&[verdict(GateStatus::Cancelled, 0)], GatesOutcome::Failed),
        ] {
            assert_eq!(GatesOutcome::of(verdicts), outcome, "{verdicts:?}");
        }
    }

    #[test]
    fn invalid_definitions_are_refused() {
        let gate = |change: fn(&mut GateDefinition)| {
            let mut gate = GateDefinition::new(" tests ", " cargo test ");
            change(&mut gate);
            gate.check().map_err(|error| error.data()["field"].clone())
        };
        assert_eq!(gate(|_| {}), Ok(()));
        for (field, result) in [
            ("name", gate(|it| it.name = String::new())),
            ("name", gate(|it| it.name = "é".repeat(101))),
            ("name", gate(|it| it.name = "a\nb".into())),
            ("command", gate(|it| it.command = "  ".into())),
            ("command", gate(|it| it.command = "command: ".into())),
            ("command", gate(|it| it.command = "a\0".into())),
            ("command", gate(|it| it.command = "a".repeat(10_241))),
            ("timeout_secs", gate(|it| it.timeout_secs = 0)),
            ("timeout_secs", gate(|it| it.timeout_secs = 604_801)),
            ("max_retries", gate(|it| it.max_retries = 0)),
            ("poll_interval_secs", gate(|it| it.poll_interval_secs = 0)),
            ("max_pending_secs", gate(|it| it.max_pending_secs = 0)),
        ] {
            assert_eq!(result, Err(serde_json::json!(field)));
        }
        assert_eq!(gate(|it| it.name = "é".repeat(100)), Ok(()));
        assert_eq!(gate(|it| it.max_retries = 1), Ok(()));
    }

    #[test]
    fn commands_are_shell_text_a_command_or_a_playbook() {
        for (text, parsed) in [
            ("exit 0", GateCommand::Shell("exit 0")),
            ("command:test-m", GateCommand::Command("test-m")),
            ("playbook: ci", GateCommand::Playbook("ci")),
            ("commander", GateCommand::Shell("commander")),
        ] {
            assert_eq!(GateDefinition::new("g", text).parsed(), parsed);
        }
    }
}
