//! The tree of commands: operations with their own arguments, and the commands that the command
//! line defines by itself, in the groups of the help.
//!
//! A process runs one command, so parsing builds that one only: there are hundreds, descriptions
//! come from JSON schemas, which are not free, and a command line is judged by its start-up time.
//! Help, completions and errors are rare and use the full tree.

mod describe;
pub mod groups;
pub mod guesses;
mod operation_arguments;
pub mod overview;

use std::ffi::{OsStr, OsString};

use clap::error::ErrorKind;
use clap::{ArgMatches, Command};
use windlass_ops::Entry;

use super::global::{self, Global};
use super::own_command::{OwnCommand, own_commands};

pub use operation_arguments::{INPUT, YES, input_argument, yes_argument};

/// What a command of the tree runs.
#[derive(Clone, Copy)]
pub enum Leaf {
    Operation(&'static Entry),
    Own(&'static OwnCommand),
}

impl Leaf {
    pub fn words(self) -> &'static [&'static str] {
        match self {
            Self::Operation(entry) => entry.declaration.cli,
            Self::Own(command) => command.words,
        }
    }
}

/// How much of the tree is built.
#[derive(Clone, Copy)]
enum Detail<'a> {
    /// All arguments and all help. The command line names the tool of `windlass call`.
    Full(&'a [OsString]),
    /// The commands whose names are all on the command line, and no help.
    Named(&'a [OsString]),
}

impl<'a> Detail<'a> {
    fn includes(self, leaf: Leaf) -> bool {
        match self {
            Self::Full(_) => true,
            Self::Named(words) => leaf.words().iter().all(|part| {
                let given = |part: &str| words.iter().any(|word| word == OsStr::new(part));
                given(part) || groups::aliases_of(part).any(given)
            }),
        }
    }

    fn is_full(self) -> bool {
        matches!(self, Self::Full(_))
    }

    fn words(self) -> &'a [OsString] {
        match self {
            Self::Full(words) | Self::Named(words) => words,
        }
    }
}

/// Parses the arguments of the process, including the program's name.
pub fn parse(operations: &'static [Entry], words: &[OsString]) -> clap::error::Result<ArgMatches> {
    match build(operations, Detail::Named(words)).try_get_matches_from(words) {
        Ok(matches) => return Ok(matches),
        Err(version) if version.kind() == ErrorKind::DisplayVersion => return Err(version),
        // Help or an error: both need the full tree.
        Err(_) => {}
    }
    full_for(operations, words)
        .color(Global::guess(words).color)
        .try_get_matches_from(words)
        .map_err(|problem| guesses::improve(problem, words))
}

/// The whole tree, with all arguments and all help.
pub fn full(operations: &'static [Entry]) -> Command {
    full_for(operations, &[])
}

/// The whole tree, with the arguments of the tool that is named after `call`.
pub fn full_for(operations: &'static [Entry], words: &[OsString]) -> Command {
    build(operations, Detail::Full(words))
}

/// The command that a parsed command line names, and its arguments.
pub fn find<'a>(
    operations: &'static [Entry],
    root: &'a ArgMatches,
) -> Option<(Leaf, &'a ArgMatches)> {
    let mut path = Vec::new();
    let mut matches = root;
    let mut found = None;
    while let Some((name, below)) = matches.subcommand() {
        path.push(name);
        matches = below;
        // The longest match wins; the rest (`add note`, `call TOOL`) belongs to the command itself.
        if let Some(leaf) = leaf_of(operations, &path) {
            found = Some((leaf, matches));
        }
    }
    found
}

/// An own command with the same name as an operation takes the operation's arguments, and more.
fn leaf_of(operations: &'static [Entry], words: &[&str]) -> Option<Leaf> {
    let own = own_commands().find(|own| own.words == words);
    own.map(Leaf::Own).or_else(|| {
        let mut entries = operations.iter();
        let entry = entries.find(|entry| entry.declaration.cli == words)?;
        (!words.is_empty()).then_some(Leaf::Operation(entry))
    })
}

/// The commands to build, for the full tree in the order of the help.
fn leaves(operations: &'static [Entry], detail: Detail<'_>) -> Vec<Leaf> {
    let has_own = |words: &[&str]| own_commands().any(|own| own.words == words);
    let mut leaves: Vec<Leaf> = operations
        .iter()
        .filter(|entry| !entry.declaration.cli.is_empty())
        .map(Leaf::Operation)
        .filter(|leaf| detail.includes(*leaf) && !has_own(leaf.words()))
        .chain(
            own_commands()
                .map(Leaf::Own)
                .filter(|leaf| detail.includes(*leaf)),
        )
        .collect();
    if detail.is_full() {
        leaves.sort_by_cached_key(|leaf| groups::rank(leaf.words()));
    }
    leaves
}

fn build(operations: &'static [Entry], detail: Detail<'_>) -> Command {
    let root = Command::new("windlass")
        .bin_name("windlass")
        .version(env!("CARGO_PKG_VERSION"))
        .about("One plan and memory for a repository, its people and its coding agents")
        .disable_help_subcommand(true)
        .max_term_width(100);
    let root = global::augment(root).subcommands(nouns(&leaves(operations, detail), 0, detail));
    if !detail.is_full() {
        return root;
    }
    let overview = overview::overview(root.get_styles());
    root.override_help(overview)
}

/// The commands at one depth, in the order of the help.
fn nouns(leaves: &[Leaf], depth: usize, detail: Detail<'_>) -> Vec<Command> {
    let mut names: Vec<(&'static str, Vec<Leaf>)> = Vec::new();
    for leaf in leaves {
        let Some(word) = leaf.words().get(depth).copied() else {
            continue;
        };
        match names.iter_mut().find(|(name, _)| *name == word) {
            Some((_, members)) => members.push(*leaf),
            None => names.push((word, vec![*leaf])),
        }
    }
    names
        .into_iter()
        .map(|(name, members)| noun(name, &members, depth, detail))
        .collect()
}

fn noun(name: &'static str, members: &[Leaf], depth: usize, detail: Detail<'_>) -> Command {
    let below = nouns(members, depth + 1, detail);
    let own = members.iter().find(|leaf| leaf.words().len() == depth + 1);
    let mut command = Command::new(name);
    if depth == 0 {
        command = command.aliases(groups::aliases_of(name));
    }
    let has_more = !below.is_empty();
    let command = match own {
        Some(leaf) => {
            let command = leaf_command(command, *leaf, detail);
            if has_more {
                command.subcommand_negates_reqs(true)
            } else {
                command
            }
        }
        None => command
            .about(groups::short_about(name).unwrap_or_default())
            .subcommand_required(true)
            .arg_required_else_help(true),
    };
    command.disable_help_subcommand(true).subcommands(below)
}

fn leaf_command(command: Command, leaf: Leaf, detail: Detail<'_>) -> Command {
    match leaf {
        Leaf::Operation(entry) => {
            let command = operation_arguments::augment(command, entry);
            if detail.is_full() {
                return describe::operation(command, entry);
            }
            command
        }
        Leaf::Own(own) => {
            let command = (own.build)(command, detail.words());
            if detail.is_full() {
                return describe::own(command, own);
            }
            command
        }
    }
}

#[cfg(test)]
mod tests;
