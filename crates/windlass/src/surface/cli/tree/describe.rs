//! Descriptions and examples of the commands, for the help.

use std::fmt::Write;

use clap::Command;
use windlass_ops::Entry;

use super::groups;
use crate::surface::cli::own_command::OwnCommand;
use crate::surface::cli::{quote, text};

/// The description of an operation is that of its input.
pub fn operation(command: Command, entry: &Entry) -> Command {
    let description = text::in_typed_words(&entry.description());
    let about = match entry.declaration.cli {
        [word] => groups::short_about(word).map(str::to_owned),
        _ => None,
    };
    let command = command
        .about(about.unwrap_or_else(|| text::first_sentence(&description)))
        .long_about(text::reflow(&description))
        .mut_args(
            |argument| match argument.get_help().map(ToString::to_string) {
                Some(help) => argument.help(text::in_typed_words(&help)),
                None => argument,
            },
        );
    let examples = entry.declaration.examples.iter();
    with_examples(
        command,
        examples.map(|example| (example.about, example.cli)),
    )
}

pub fn own(command: Command, own: &OwnCommand) -> Command {
    let command = match (own.words, command.get_about()) {
        ([word], None) => command.about(groups::short_about(word).unwrap_or_default()),
        _ => command,
    };
    with_examples(command, own.examples.iter().copied())
}

fn with_examples<'a>(
    command: Command,
    examples: impl Iterator<Item = (&'a str, &'a [&'a str])>,
) -> Command {
    let header = *command.get_styles().get_header();
    let mut text = String::new();
    for (about, words) in examples {
        if text.is_empty() {
            text = format!("{header}Examples:{header:#}");
        }
        let line = quote::command_line(words);
        let _ = write!(text, "\n  # {about}\n  {line}");
    }
    if text.is_empty() {
        return command;
    }
    command.after_help(text)
}
