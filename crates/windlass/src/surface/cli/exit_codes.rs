//! The exit codes of the process, in one table.

use std::ffi::OsString;
use std::fmt::Write;
use std::process::ExitCode;

use clap::{ArgMatches, Command};
use serde::Serialize;
use serde_json::{Value as Json, json};
use windlass_core::Result;
use windlass_ops::{Column, Render, Span, Style, View};

use super::caller::Caller;
use super::own_command::OwnCommand;

/// The exit code when a person declined a confirmation.
pub const DECLINED: u8 = 9;

/// The exit code of a run or a script that failed, took too long or was cancelled.
pub const NOT_SUCCESSFUL: u8 = 11;

/// The exit code when a person must do something.
pub const PERSON_NEEDED: u8 = 6;

/// The exit codes of `windlass session launch`, by how the session ended.
pub const PARTLY_DONE: u8 = 12;
pub const STUCK: u8 = 13;
pub const CLIENT_FAILED: u8 = 14;

/// The exit code when `windlass doctor` found an error.
pub const UNWELL: u8 = 1;

/// Every exit code and its meaning.
pub const EXIT_CODES: &[(u8, &str)] = &[
    (0, "Done."),
    (
        UNWELL,
        "An internal error of windlass, or an error that windlass doctor found.",
    ),
    (2, "The command or one of its values is wrong."),
    (3, "No usable project here, or a setting is wrong."),
    (
        4,
        "The requested object does not exist, or its name is ambiguous.",
    ),
    (
        5,
        "Busy: another session has claimed the task, or the limit of running jobs is reached.",
    ),
    (
        PERSON_NEEDED,
        "A person must do or allow this, or was asked by the session.",
    ),
    (7, "The project's state could not be read or written."),
    (8, "The time limit was exceeded."),
    (
        DECLINED,
        "A person declined the confirmation; nothing was changed.",
    ),
    (10, "The command cannot be started on this machine."),
    (
        NOT_SUCCESSFUL,
        "The run, the script or the gate ended without success, or a part of a batch failed.",
    ),
    (PARTLY_DONE, "The session ended with its task partly done."),
    (STUCK, "The session got stuck."),
    (
        CLIENT_FAILED,
        "The client of the session failed: it never connected, called nothing, or was stopped.",
    ),
];

pub const COMMANDS: &[OwnCommand] = &[OwnCommand::new(&["exit-codes"], build, run)];

fn build(command: Command, _: &[OsString]) -> Command {
    let mut table = String::from("What the exit code of each command means:\n");
    for (code, meaning) in EXIT_CODES {
        let _ = write!(table, "\n    {code}  {meaning}");
    }
    command.long_about(table)
}

fn run(_: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    caller.answer(&ExitCodes)
}

/// The output of `windlass exit-codes`.
pub struct ExitCodes;

impl Serialize for ExitCodes {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let codes: Vec<Json> = EXIT_CODES
            .iter()
            .map(|(code, meaning)| json!({ "code": code, "meaning": meaning }))
            .collect();
        json!({ "exit_codes": codes }).serialize(serializer)
    }
}

impl Render for ExitCodes {
    fn view(&self) -> View {
        let rows = EXIT_CODES
            .iter()
            .map(|(code, meaning)| vec![Span::new(code.to_string(), Style::Id), (*meaning).into()])
            .collect();
        View::default().table(vec![Column::new("").right(), Column::new("")], rows)
    }
}

#[cfg(test)]
mod tests {
    use windlass_core::ErrorKind;

    use super::*;

    #[test]
    fn every_kind_of_error_has_its_exit_code_in_the_table() {
        for kind in ErrorKind::ALL {
            let code = kind.exit_code();
            assert_ne!(code, 0, "{}", kind.name());
            assert!(
                EXIT_CODES.iter().any(|(known, _)| *known == code),
                "{} exits with {code}, which the table does not explain",
                kind.name()
            );
        }
    }
}
