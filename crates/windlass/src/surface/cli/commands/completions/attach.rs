//! Which values complete which argument.

use std::ffi::OsStr;
use std::path::Path;

use clap::{Arg, Command};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use windlass_ops::OPERATIONS;

use super::values::{Source, Values};
use crate::surface::cli::caller::{call_name, find_operation};
use crate::surface::cli::text;

/// The tree with a source of values for each argument that has one, and with all tools below `call`.
pub fn to_tree(tree: Command, folder: &Path) -> Command {
    let tree = tree.mut_subcommand("call", with_tools);
    attach(tree, &mut Vec::new(), folder)
}

fn with_tools(call: Command) -> Command {
    let mut call = call.args_conflicts_with_subcommands(false);
    for entry in OPERATIONS {
        let name = call_name(entry);
        if call.find_subcommand(&name).is_none() {
            let about = text::first_sentence(&entry.description());
            call = call.subcommand(Command::new(name).about(about));
        }
    }
    call
}

fn attach(command: Command, path: &mut Vec<String>, folder: &Path) -> Command {
    let here = path.clone();
    let command = command.mut_args(|argument| with_values(argument, &here, folder));
    command.mut_subcommands(|below| {
        path.push(below.get_name().to_owned());
        let below = attach(below, path, folder);
        path.pop();
        below
    })
}

fn with_values(argument: Arg, path: &[String], folder: &Path) -> Arg {
    let words: Vec<&str> = path.iter().map(String::as_str).collect();
    let Some(source) = source_of(&words, argument.get_id().as_str()) else {
        return argument;
    };
    let values = Values::new(source, folder);
    argument.add(ArgValueCompleter::new(move |typed: &OsStr| {
        candidates(&values, typed)
    }))
}

/// Of a list with commas, the last item is completed.
fn candidates(values: &Values, typed: &OsStr) -> Vec<CompletionCandidate> {
    let Some(typed) = typed.to_str() else {
        return Vec::new();
    };
    let (before, last) = match typed.rfind(',') {
        Some(at) => typed.split_at(at + 1),
        None => ("", typed),
    };
    values
        .beginning(last)
        .into_iter()
        .map(|(value, about)| {
            let help = (!about.is_empty()).then(|| about.into());
            CompletionCandidate::new(format!("{before}{value}")).help(help)
        })
        .collect()
}

/// Arguments are known by their names; the same name means something else below some nouns.
fn source_of(path: &[&str], argument: &str) -> Option<Source> {
    let below_call = path.first() == Some(&"call");
    let noun = match path {
        ["call", tool, ..] => {
            let entry = find_operation(tool)?;
            entry.declaration.cli.first().copied().unwrap_or(tool)
        }
        [noun, ..] => noun,
        [] => return None,
    };
    Some(match (noun, argument) {
        ("session", "id") | ("mcp", "session") => Source::Sessions,
        ("playbooks", "id") => Source::Playbooks,
        ("runs", "runId" | "run_id") => Source::Runs,
        ("jobs", "pid") => Source::Jobs,
        (_, "review_id") | ("reviews", "id") => Source::Reviews,
        ("gates", "gate" | "id") => Source::Gates,
        ("recipes", "name") | (_, "recipe") => Source::Recipes,
        ("features", "name") | (_, "feature") => Source::Features,
        ("disciplines", "name") | (_, "discipline") => Source::Disciplines,
        ("config", "key") => Source::Settings,
        ("help" | "man", "topic" | "command") => Source::Commands,
        ("add", "type") if !below_call => return None,
        (_, "unique_name") => Source::RepositoryCommands,
        (_, "type") => Source::Types,
        (_, "status") => Source::Statuses,
        (_, "priority") => Source::Priorities,
        (_, "tag" | "tags" | "add_tags" | "remove_tags") => Source::Tags,
        (
            _,
            "id" | "task" | "task_id" | "parent" | "blocked_by" | "blocks" | "blocker" | "source"
            | "target" | "source_id" | "target_id" | "from" | "to" | "entity" | "depends_on",
        ) => Source::Numbers,
        _ => return None,
    })
}
