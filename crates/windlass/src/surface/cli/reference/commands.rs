//! `cli.md`: every command, from the tree that parses the command line.

use std::fmt::Write;

use clap::{Arg, ArgAction, Command};
use windlass_ops::{Entry, OPERATIONS};

use super::super::quote::command_line;
use super::super::tree;
use super::markdown::{block, code, paragraph, table};
use crate::surface::environment::VARIABLES;

pub fn document() -> String {
    let mut tree = tree::full(OPERATIONS);
    tree.build();
    let mut out = paragraph("# Command line");
    out += &paragraph(
        "Every operation of Windlass is a command. It prints text for people, or JSON with \
         `--json`; it takes its arguments as options, or as one JSON object with `--input`. \
         A command that deletes asks for confirmation on a terminal, unless `--yes` is given.",
    );
    out += &paragraph("## Global options");
    out += &options(&tree, Arg::is_global_set);
    out += &paragraph("## Environment");
    out += &environment();
    for command in tree.get_subcommands_mut() {
        write(&mut out, command, &mut Vec::new());
    }
    out
}

/// A command and all below it, in the order of the help.
fn write(out: &mut String, command: &mut Command, path: &mut Vec<String>) {
    if command.is_hide_set() || command.get_name() == "help" {
        return;
    }
    path.push(command.get_name().to_owned());
    *out += &paragraph(&format!("## windlass {}", path.join(" ")));
    let about = command.get_long_about().or_else(|| command.get_about());
    *out += &paragraph(&sentence(
        about.map(ToString::to_string).unwrap_or_default(),
    ));
    let usage = command.render_usage().to_string();
    *out += &block("text", usage.trim_start_matches("Usage: "));
    *out += &arguments(command);
    *out += &options(command, |option| !option.is_global_set());
    *out += &examples(path);
    for below in command.get_subcommands_mut() {
        write(out, below, path);
    }
    path.pop();
}

fn arguments(command: &Command) -> String {
    let rows: Vec<_> = command
        .get_positionals()
        .map(|argument| vec![code(&argument.to_string()), meaning(argument)])
        .collect();
    table(&["argument", "meaning"], &rows)
}

fn options(command: &Command, wanted: impl Fn(&Arg) -> bool) -> String {
    let rows: Vec<_> = command
        .get_opts()
        .chain(command.get_arguments().filter(|argument| is_flag(argument)))
        .filter(|option| wanted(option) && !option.is_hide_set())
        .map(|option| vec![spelling(option), meaning(option)])
        .collect();
    table(&["option", "meaning"], &rows)
}

/// Flags that every command has (`--help`, `--version`) are not listed.
fn is_flag(argument: &Arg) -> bool {
    !argument.is_positional()
        && !argument.get_action().takes_values()
        && !matches!(argument.get_id().as_str(), "help" | "version")
}

fn spelling(option: &Arg) -> String {
    let long = code(&option.to_string());
    match option.get_short() {
        Some(short) => format!("{}, {long}", code(&format!("-{short}"))),
        None => long,
    }
}

fn meaning(argument: &Arg) -> String {
    let help = argument.get_long_help().or_else(|| argument.get_help());
    let mut text = sentence(help.map(ToString::to_string).unwrap_or_default());
    if !argument.is_hide_possible_values_set() && argument.get_action().takes_values() {
        let values: Vec<_> = argument
            .get_possible_values()
            .iter()
            .filter(|value| !value.is_hide_set())
            .map(|value| code(value.get_name()))
            .collect();
        if !values.is_empty() {
            let _ = write!(text, " One of: {}.", values.join(", "));
        }
    }
    if matches!(argument.get_action(), ArgAction::Append)
        && argument
            .get_num_args()
            .is_none_or(|range| range.max_values() == 1)
        && !argument.is_positional()
    {
        text += " May be given more than once.";
    }
    let defaults: Vec<_> = argument
        .get_default_values()
        .iter()
        .map(|value| code(&value.to_string_lossy()))
        .collect();
    if !defaults.is_empty() && argument.get_action().takes_values() {
        let _ = write!(text, " Default: {}.", defaults.join(", "));
    }
    text
}

/// Help texts have no full stop; here they need one, among other sentences.
fn sentence(mut text: String) -> String {
    if text.ends_with(|letter: char| letter.is_alphanumeric() || letter == ')') {
        text.push('.');
    }
    text
}

fn examples(path: &[String]) -> String {
    let is_here = |entry: &&Entry| entry.declaration.cli.iter().eq(path.iter());
    let Some(entry) = OPERATIONS.iter().find(is_here) else {
        return String::new();
    };
    let lines: Vec<_> = entry
        .declaration
        .examples
        .iter()
        .map(|example| format!("# {}\n{}", example.about, command_line(example.cli)))
        .collect();
    if lines.is_empty() {
        return String::new();
    }
    block("sh", &lines.join("\n"))
}

fn environment() -> String {
    let rows: Vec<_> = VARIABLES
        .iter()
        .map(|(name, default, meaning)| {
            vec![code(name), (*default).to_owned(), (*meaning).to_owned()]
        })
        .collect();
    table(&["variable", "default", "meaning"], &rows)
}
