//! `windlass help`: the overview, a group, or a command.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use windlass_core::{Error, Result};
use windlass_ops::OPERATIONS;

use crate::surface::cli::caller::Caller;
use crate::surface::cli::own_command::OwnCommand;
use crate::surface::cli::tree::{self, groups, guesses, overview};

const TOPIC: &str = "topic";

pub const COMMANDS: &[OwnCommand] = &[OwnCommand::new(&["help"], build, run).examples(&[
    ("All commands", &["help"]),
    ("The commands of a group", &["help", "review"]),
    ("A command, with examples", &["help", "tasks", "create"]),
])];

fn build(command: Command, _: &[OsString]) -> Command {
    command.arg(
        Arg::new(TOPIC)
            .value_name("GROUP|COMMAND")
            .num_args(0..)
            .help("A group of commands, or the words of a command"),
    )
}

fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let topic: Vec<&str> = matches
        .get_many::<String>(TOPIC)
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect();
    let mut tree = tree::full_for(OPERATIONS, &caller.words);
    if topic.is_empty() {
        caller.output.help(&overview::overview(tree.get_styles()))?;
        return Ok(ExitCode::SUCCESS);
    }
    tree.build();
    let as_group = groups::group(&topic.join(" "));
    if let (Some(group), None) = (as_group, find(&mut tree, &topic)) {
        caller.output.help(&overview::of_group(group, &tree))?;
        return Ok(ExitCode::SUCCESS);
    }
    if find(&mut tree, &topic).is_none() {
        return Err(unknown(&topic));
    }
    // The same text as `windlass COMMAND --help`, by the same way.
    let words = [&["windlass"], topic.as_slice(), &["--help"]].concat();
    match tree.try_get_matches_from(words) {
        Err(help) => caller.output.help(&help.render())?,
        Ok(_) => return Err(unknown(&topic)),
    }
    Ok(ExitCode::SUCCESS)
}

fn find<'a>(tree: &'a mut Command, words: &[&str]) -> Option<&'a mut Command> {
    words
        .iter()
        .try_fold(tree, |command, word| command.find_subcommand_mut(word))
}

fn unknown(topic: &[&str]) -> Error {
    let typed = topic.join(" ");
    let error = Error::invalid_params(format!("There is no group or command \"{typed}\""));
    match topic.first().and_then(|word| guesses::suggestion(word)) {
        Some(instead) => error.with_hint(format!("Did you mean `windlass {instead}`?")),
        None => error.with_hint("`windlass help` lists all commands."),
    }
}
