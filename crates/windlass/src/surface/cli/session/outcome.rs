//! How a launched session ended, and the exit code that says so.

use std::process::ExitCode;

use serde::Serialize;

use crate::surface::cli::exit_codes::{CLIENT_FAILED, PARTLY_DONE, PERSON_NEEDED, STUCK};
use crate::surface::signals::Signal;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The work is done, or handed in.
    Done,
    /// A session of a kind that closes no task, and whose client succeeded.
    Ended,
    /// A person was asked, and the task waits for the answer.
    Asked,
    Partial,
    Stuck,
    /// The client never connected, or failed before it called anything, or failed in a session that
    /// closes no task.
    ClientFailed,
    /// A person ended the session.
    Stopped,
    /// A signal ended the launcher.
    Interrupted,
}

impl Outcome {
    pub fn exit_code(self, signal: Option<Signal>) -> ExitCode {
        match self {
            Self::Done | Self::Ended => ExitCode::SUCCESS,
            Self::Asked => ExitCode::from(PERSON_NEEDED),
            Self::Partial => ExitCode::from(PARTLY_DONE),
            Self::Stuck => ExitCode::from(STUCK),
            Self::ClientFailed | Self::Stopped => ExitCode::from(CLIENT_FAILED),
            Self::Interrupted => signal.unwrap_or(Signal::Interrupt).exit_code(),
        }
    }

    /// Whether taking another task makes sense after it.
    pub fn goes_on(self) -> bool {
        matches!(self, Self::Done | Self::Ended | Self::Partial | Self::Stuck)
    }

    pub fn is_success(self) -> bool {
        matches!(self, Self::Done | Self::Ended)
    }

    pub fn words(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Ended => "ended",
            Self::Asked => "a person was asked",
            Self::Partial => "partly done",
            Self::Stuck => "stuck",
            Self::ClientFailed => "the client failed",
            Self::Stopped => "stopped by a person",
            Self::Interrupted => "interrupted",
        }
    }
}
