//! `windlass edit N`: all fields of an entity and its text in the user's editor. Only what differs is
//! changed.

mod document;
mod entity;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use windlass_core::{Error, Result};

use crate::surface::cli::caller::Caller;
use crate::surface::cli::own_command::OwnCommand;
use crate::surface::cli::{confirm, editor, output};

use document::Document;
use entity::Editable;

const ID: &str = "id";

pub const COMMANDS: &[OwnCommand] = &[OwnCommand::new(&["edit"], build, run)
    .operations(&["board_update", "update_task", "work_update"])
    .examples(&[("Task 2", &["edit", "2"])])];

fn build(command: Command, _: &[OsString]) -> Command {
    command
        .long_about(
            "Edit an entity in your editor (VISUAL, EDITOR, else vi): its fields as TOML between two lines of \
             +++, then its text. Only what you change is written. Where a value does not fit, your text is kept \
             and you can edit it again.",
        )
        .arg(
            Arg::new(ID)
                .value_name("N")
                .required(true)
                .help("Its number, or at least 4 hex digits of its id"),
        )
}

fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let id = matches.get_one::<String>(ID).cloned().unwrap_or_default();
    let editable = Editable::read(&id, caller)?;
    let text = editable.document();
    let before = Document::parse(&text)?;
    let file = editor::temporary("windlass-edit-", &text)?;
    loop {
        editor::open(file.path(), &caller.environment)?;
        let edited = std::fs::read_to_string(file.path())
            .map_err(|problem| Error::internal(problem.to_string()))?;
        if edited == text {
            output::note("Nothing changed.");
            return Ok(ExitCode::SUCCESS);
        }
        let applied = Document::parse(&edited).and_then(|after| {
            let changes = after.changes_since(&before);
            if changes.is_empty() {
                return Ok(None);
            }
            editable.apply(changes, caller).map(Some)
        });
        match applied {
            Ok(Some(changed)) => return caller.answer(&changed),
            Ok(None) => {
                output::note("Nothing changed.");
                return Ok(ExitCode::SUCCESS);
            }
            Err(error) => {
                if confirm::can_ask() {
                    caller.output.error("error", error.message(), error.hint());
                    if confirm::ask("Edit it again? [y/N] ") {
                        continue;
                    }
                }
                let kept = file.into_temp_path().keep();
                let kept = kept.map(|path| path.display().to_string());
                let kept = kept.map_or_else(
                    |problem| problem.to_string(),
                    |path| format!("Your text is kept in {path}."),
                );
                let hint = match error.hint() {
                    Some(hint) => format!("{hint} {kept}"),
                    None => kept,
                };
                return Err(error.with_hint(hint));
            }
        }
    }
}
