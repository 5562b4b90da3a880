//! The tree of commands, made from the list of operations.
//!
//! A process runs one command, so parsing builds the arguments of that one only: descriptions come
//! from JSON schemas, which are not free, and a command line is judged by its start-up time. Help,
//! completions and errors are rare and use the full tree.

use std::ffi::{OsStr, OsString};
use std::fmt::Write;

use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};
use windlass_ops::{Effect, Entry};

use super::exit_codes::EXIT_CODES;
use super::global::{self, Global};
use super::{doctor, exec, init, quote, serve, serve_http, session, setup, text};

/// The ids of arguments that are added to operations. The prefix keeps them apart from the fields.
pub const INPUT: &str = "cli-input";
pub const YES: &str = "cli-yes";

/// What the nouns that hold several commands are about.
const NOUNS: &[(&str, &str)] = &[
    ("tasks", "Tasks: the plan, the queue, and who works on what"),
    ("jobs", "Jobs: what runs, what ran, its output, its end"),
    (
        "runs",
        "Runs of several steps: what they did, and what was kept of them",
    ),
    ("playbooks", "Stored runs, by name and with variables"),
    (
        "features",
        "Features: the parts of the product that tasks belong to",
    ),
    ("disciplines", "Disciplines: the crafts that tasks need"),
    (
        "journal",
        "The two state files: learnings.txt and progress.txt",
    ),
    ("recipes", "Recipes: which tools a kind of session gets"),
    (
        "session",
        "Sessions of agents: started, launched, looked at, ended",
    ),
    (
        "focus",
        "Eight words by which an agent answers for the task of its session",
    ),
    ("graph", "How entities relate: neighbours, paths, orphans"),
    ("relation", "Join entities, or part them"),
    ("decisions", "Decisions and what replaces them"),
    (
        "work",
        "The work lifecycle: create, start, submit, what comes next",
    ),
    (
        "reviews",
        "Reviews of submitted work: gates, comments, the change, approval",
    ),
    (
        "gates",
        "Checks that work has to pass, and what they came to",
    ),
    (
        "help-requests",
        "Questions that agents have, and their answers",
    ),
    ("learnings", "What was learnt in a task and below it"),
    ("repos", "Places where work is checked"),
    ("sdk", "What scripts of windlass exec can call"),
];

const FOOTER: &str = "\
Every command that calls an operation also takes its arguments as JSON (--input).
Examples: windlass help <command>. Exit codes: windlass exit-codes.";

/// How much of the tree is built.
#[derive(Clone, Copy)]
enum Detail<'a> {
    /// All arguments and all help.
    Full,
    /// The arguments of the operations whose words are all on the command line, and no help.
    Named(&'a [OsString]),
}

impl Detail<'_> {
    fn includes(self, entry: &Entry) -> bool {
        match self {
            Self::Full => true,
            Self::Named(words) => {
                let given = |part: &&str| words.iter().any(|word| word == OsStr::new(part));
                entry.declaration.cli.iter().all(given)
            }
        }
    }

    fn is_full(self) -> bool {
        matches!(self, Self::Full)
    }
}

/// Parses the words of the process, the program's own name first.
pub fn parse(operations: &'static [Entry], words: &[OsString]) -> clap::error::Result<ArgMatches> {
    if let Ok(matches) = build(operations, Detail::Named(words)).try_get_matches_from(words) {
        return Ok(matches);
    }
    // Help, or a complaint: both are told with everything there is to tell.
    full(operations)
        .color(Global::guess(words).color)
        .try_get_matches_from(words)
}

/// The whole tree, with all arguments and all help.
pub fn full(operations: &'static [Entry]) -> Command {
    build(operations, Detail::Full)
}

fn build(operations: &'static [Entry], detail: Detail<'_>) -> Command {
    let entries: Vec<&'static Entry> = operations.iter().collect();
    let root = Command::new("windlass")
        .bin_name("windlass")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Makes a repository workable by coding agents: one plan and memory for people and agents")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .max_term_width(100)
        .after_help(FOOTER);
    global::augment(root)
        .subcommand(init::command())
        .subcommands(
            nouns(&entries, 0, detail)
                .into_iter()
                .map(with_launch)
                .map(exec::add_types),
        )
        .subcommand(serve::command())
        .subcommand(serve_http::command())
        .subcommand(setup::command())
        .subcommand(doctor::command())
        .subcommand(completions())
        .subcommand(exit_codes())
}

/// What is no operation stands beside the operations of its noun.
fn with_launch(noun: Command) -> Command {
    if noun.get_name() == "session" {
        return noun.subcommand(session::command());
    }
    noun
}

/// The commands at one depth, in the order of the list.
fn nouns(entries: &[&'static Entry], depth: usize, detail: Detail<'_>) -> Vec<Command> {
    let mut groups: Vec<(&'static str, Vec<&'static Entry>)> = Vec::new();
    for entry in entries {
        let Some(word) = entry.declaration.cli.get(depth).copied() else {
            continue;
        };
        match groups.iter_mut().find(|(name, _)| *name == word) {
            Some((_, members)) => members.push(entry),
            None => groups.push((word, vec![entry])),
        }
    }
    groups
        .into_iter()
        .map(|(name, members)| noun(name, &members, depth, detail))
        .collect()
}

fn noun(
    name: &'static str,
    members: &[&'static Entry],
    depth: usize,
    detail: Detail<'_>,
) -> Command {
    let below = nouns(members, depth + 1, detail);
    let own = members
        .iter()
        .find(|entry| entry.declaration.cli.len() == depth + 1);
    let command = Command::new(name);
    let command = match own {
        Some(entry) => operation(command, entry, detail).subcommand_negates_reqs(true),
        None => command
            .about(about_noun(name))
            .disable_help_subcommand(true)
            .subcommand_required(true)
            .arg_required_else_help(true),
    };
    command.subcommands(below)
}

fn about_noun(name: &str) -> &'static str {
    let known = NOUNS.iter().find(|(noun, _)| *noun == name);
    known.map_or("", |(_, about)| about)
}

/// One operation: its own arguments, `--input` in their stead, and the question of `--yes`.
fn operation(command: Command, entry: &Entry, detail: Detail<'_>) -> Command {
    if !detail.includes(entry) {
        return command;
    }
    let command = entry.augment(command);
    let fields: Vec<_> = command
        .get_arguments()
        .map(|argument| argument.get_id().clone())
        .collect();
    // An argument that conflicts with one that was given is not missed, so this also makes the
    // required ones optional beside `--input`.
    let mut command = command.arg(input_argument().conflicts_with_all(fields));
    if exec::is_script(entry) {
        command = command.arg(exec::file_argument());
    }
    if entry.declaration.effect == Effect::Destructive {
        command = command.arg(yes_argument());
    }
    if detail.is_full() {
        command = describe(command, entry);
    }
    command
}

fn describe(command: Command, entry: &Entry) -> Command {
    let description = text::in_typed_words(&entry.description());
    let header = *command.get_styles().get_header();
    let command = command
        .about(text::first_sentence(&description))
        .long_about(text::reflow(&description))
        .mut_args(
            |argument| match argument.get_help().map(ToString::to_string) {
                Some(help) => argument.help(text::in_typed_words(&help)),
                None => argument,
            },
        );
    if entry.declaration.examples.is_empty() {
        return command;
    }
    let mut examples = format!("{header}Examples:{header:#}");
    for example in entry.declaration.examples {
        let line = quote::command_line(example.cli);
        let _ = write!(examples, "\n  # {}\n  {line}", example.about);
    }
    command.after_help(examples)
}

fn input_argument() -> Arg {
    Arg::new(INPUT)
        .long("input")
        .value_name("JSON|@FILE|-")
        .value_hint(ValueHint::Other)
        .help("All arguments as one JSON object: inline, @FILE, or - for standard input")
}

fn yes_argument() -> Arg {
    Arg::new(YES)
        .long("yes")
        .short('y')
        .action(ArgAction::SetTrue)
        .help("Do not ask on a terminal; elsewhere nothing is asked")
}

fn completions() -> Command {
    Command::new("completions")
        .about("Print the completion script of a shell")
        .after_help("For example: windlass completions bash > ~/.local/share/bash-completion/completions/windlass")
        .arg(
            Arg::new("shell")
                .value_name("SHELL")
                .required(true)
                .value_parser(clap::value_parser!(clap_complete::Shell))
                .help("The shell"),
        )
}

fn exit_codes() -> Command {
    let mut table = String::from("What the exit code of each command means:\n");
    for (code, meaning) in EXIT_CODES {
        let _ = write!(table, "\n    {code}  {meaning}");
    }
    Command::new("exit-codes")
        .about("Explain the exit codes")
        .long_about(table)
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
