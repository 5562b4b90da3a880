//! Reports errors to a person or to a program.

use std::process::ExitCode;

use clap::error::ErrorKind as UsageKind;
use serde_json::{Value as Json, json};
use windlass_core::{Error, ErrorKind};

use super::output::{self, Output};
use super::text;

/// Reports a domain error.
pub fn failure(error: &Error, output: &Output) -> ExitCode {
    let message = error.message();
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let hint = hint_of(error);
    if output.is_json() {
        output::error_json(&as_json(error));
    } else {
        output.error("error", message, hint.as_deref());
    }
    ExitCode::from(error.kind().exit_code())
}

/// An error as programs read it.
pub fn as_json(error: &Error) -> Json {
    let message = error.message();
    let message = message.strip_prefix("error: ").unwrap_or(message);
    json_of(error, message, hint_of(error).as_deref())
}

/// The hint, with commands that can be typed, and with what the data adds to a contract's hint.
fn hint_of(error: &Error) -> Option<String> {
    let typed = error.hint().map(|hint| text::naming().render(hint));
    let data = error.data();
    let more = match (data["did_you_mean"].as_str(), data["reason"].as_str()) {
        (Some(near), _) => format!("Did you mean '{near}'?"),
        (None, Some(reason)) => format!("The reason: {reason}."),
        (None, None) => return typed,
    };
    Some(match typed {
        Some(typed) => format!("{more} {typed}"),
        None => more,
    })
}

/// Reports what clap returns: help and the version to standard output, errors to standard error.
pub fn usage(problem: &clap::Error, output: &Output) -> ExitCode {
    let asked_for = matches!(
        problem.kind(),
        UsageKind::DisplayHelp | UsageKind::DisplayVersion
    );
    if asked_for {
        // A reader that has closed the pipe is not an error.
        let _ = problem.print();
        return ExitCode::SUCCESS;
    }
    if output.is_json() {
        let error = match problem.kind() {
            // clap returns the whole help here, which is not an error message.
            UsageKind::DisplayHelpOnMissingArgumentOrSubcommand => {
                usage_error("A command is missing")
            }
            _ => usage_error(&problem.to_string()),
        };
        output::error_json(&json_of(&error, error.message(), error.hint()));
    } else {
        let _ = problem.print();
    }
    ExitCode::from(ErrorKind::InvalidParams.exit_code())
}

fn json_of(error: &Error, message: &str, hint: Option<&str>) -> Json {
    let mut fields = error.data();
    let kind = fields["error_type"].take();
    let mut ordered = json!({ "error_type": kind, "message": message });
    if let (Some(ordered), Some(fields)) = (ordered.as_object_mut(), fields.as_object_mut()) {
        fields.remove("error_type");
        fields.remove("hint");
        ordered.append(fields);
        if let Some(hint) = hint {
            ordered.insert("hint".into(), hint.into());
        }
    }
    json!({ "error": ordered })
}

/// clap's text, split into the message and the tips.
fn usage_error(text: &str) -> Error {
    let mut message = Vec::new();
    let mut tips = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(tip) = line.strip_prefix("tip: ") {
            tips.push(tip.to_owned());
        } else if line.starts_with("Usage:") || line.starts_with("For more information") {
            break;
        } else if !line.is_empty() {
            message.push(line);
        }
    }
    let message = message.join(" ");
    let message = message.strip_prefix("error: ").unwrap_or(&message);
    if tips.is_empty() {
        tips.push("Add --help to see the usage of the command.".to_owned());
    }
    Error::invalid_params(message).with_hint(tips.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_starts_with_type_and_message_and_ends_with_the_hint() {
        let error = Error::entity_not_found("9").with_hint("Look.");
        insta::assert_snapshot!(
            json_of(&error, error.message(), error.hint()),
            @r#"{"error":{"error_type":"EntityNotFound","message":"Entity 9 not found","id":"9","hint":"Look."}}"#
        );
    }

    #[test]
    fn the_hint_says_all_that_is_known() {
        let error = Error::new(ErrorKind::TaskNotFound, "Task 'buidl' not found")
            .with("did_you_mean", "build")
            .with_hint("Use '[[commands.list_tasks]]' to see available tasks");
        assert_eq!(
            hint_of(&error).as_deref(),
            Some("Did you mean 'build'? Use `windlass commands` to see available tasks")
        );
        let error = Error::new(ErrorKind::NotAllowlisted, "no")
            .with("reason", "no entry allows it")
            .with_hint("Ask a human");
        assert_eq!(
            hint_of(&error).as_deref(),
            Some("The reason: no entry allows it. Ask a human")
        );
    }

    #[test]
    fn what_clap_says_is_taken_apart() {
        let error = usage_error(
            "error: unrecognized subcommand 'lst'\n\n  tip: a similar subcommand exists: 'list'\n\n\
             Usage: windlass <COMMAND>\n\nFor more information, try '--help'.\n",
        );
        assert_eq!(error.message(), "unrecognized subcommand 'lst'");
        assert_eq!(error.hint(), Some("a similar subcommand exists: 'list'"));
    }
}
