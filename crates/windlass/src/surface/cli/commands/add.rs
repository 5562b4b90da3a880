//! `windlass add`: a task, or with a word for it any other entity.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{ArgMatches, Command};
use serde::Serialize;
use serde_json::{Value as Json, json};
use windlass_core::{EntityType, Result};
use windlass_ops::{AnyOutput as _, Render, Response, Span, Style, View};

use crate::surface::cli::caller::{Caller, operation};
use crate::surface::cli::own_command::OwnCommand;
use crate::surface::cli::tree::{self, input_argument};
use crate::surface::cli::{input, long_text};

const CREATE_TASK: &str = "board_create";
const CREATE: &str = "entity_create";
const TYPE: &str = "type";

pub const COMMANDS: &[OwnCommand] = &[
    OwnCommand::new(&["add"], build, run)
        .operations(&[CREATE])
        .examples(&[
            ("A task", &["add", "Write the README"]),
            (
                "A task with a priority and a due date",
                &[
                    "add",
                    "Implement auth",
                    "--priority",
                    "high",
                    "--due",
                    "2026-02-01",
                ],
            ),
            (
                "A decision, its text from a file",
                &[
                    "add",
                    "decision",
                    "Use SQLite",
                    "--content",
                    "@decision.md",
                    "--tag",
                    "storage,database",
                ],
            ),
            ("What a link takes", &["add", "link", "--help"]),
        ]),
    OwnCommand::new(&["tasks", "create"], build_task, run_task)
        .operations(&[CREATE_TASK, "create_task", "work_create"])
        .examples(&[
            (
                "A task of a feature",
                &["tasks", "create", "Rate-limit logins", "--feature", "auth"],
            ),
            (
                "A task that waits for another one",
                &["tasks", "create", "Announce it", "--blocked-by", "3"],
            ),
        ]),
];

/// The arguments of a task, and below it a command for each type.
fn build(command: Command, _: &[OsString]) -> Command {
    let types = EntityType::ALL.iter().map(|kind| of_type(*kind));
    build_task(command, &[])
        .long_about(
            "Add a task. With a type before the title, add any other entity: `windlass add note TITLE`; \
             `windlass add note --help` says what a note takes.",
        )
        .subcommand_value_name("TYPE")
        .subcommand_help_heading("Types")
        .args_conflicts_with_subcommands(true)
        .subcommands(types)
}

fn build_task(command: Command, _: &[OsString]) -> Command {
    let Ok(entry) = operation(CREATE_TASK) else {
        return command;
    };
    let command = entry.augment(command).about("Create a task");
    with_input(command)
}

/// A type as a command of its own, with the fields of the type.
fn of_type(kind: EntityType) -> Command {
    let command = Command::new(kind.name()).about(kind.declaration().doc);
    if kind == EntityType::Task {
        return build_task(command, &[]).about(kind.declaration().doc);
    }
    let Ok(entry) = operation(CREATE) else {
        return command;
    };
    let fields: Vec<&str> = kind.declaration().fields.iter().map(|it| it.name).collect();
    let general = ["title", "content", "tags"];
    let command = entry
        .augment(command)
        .mut_args(|argument| {
            let name = argument.get_id().as_str();
            if general.contains(&name) || fields.contains(&name) {
                return argument;
            }
            argument.hide(true)
        })
        // The word that was typed says it already.
        .mut_arg(TYPE, |argument| {
            argument
                .long("type")
                .required(false)
                .default_value(kind.name())
                .hide(true)
        });
    with_input(command)
}

fn with_input(command: Command) -> Command {
    let fields: Vec<_> = command
        .get_arguments()
        .map(|argument| argument.get_id().clone())
        .filter(|id| id.as_str() != TYPE)
        .collect();
    command.arg(input_argument().conflicts_with_all(fields))
}

fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    match matches.subcommand() {
        Some(("task", matches)) => run_task(matches, caller),
        Some((kind, matches)) => {
            let input = read(CREATE, matches, caller)?;
            add(CREATE, with_type(input, kind), caller)
        }
        None => run_task(matches, caller),
    }
}

fn with_type(mut input: Json, kind: &str) -> Json {
    input[TYPE] = json!(kind);
    input
}

fn run_task(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let input = read(CREATE_TASK, matches, caller)?;
    // An object that names a type is for the operation that takes one.
    match input.get(TYPE) {
        Some(_) => add(CREATE, input, caller),
        None => add(CREATE_TASK, input, caller),
    }
}

fn read(name: &str, matches: &ArgMatches, caller: &Caller) -> Result<Json> {
    let cwd = &caller.global.cwd;
    match matches.get_one::<String>(tree::INPUT) {
        Some(value) => input::read(value, cwd),
        None => long_text::read(operation(name)?.input_of_matches(matches)?, cwd),
    }
}

fn add(name: &str, input: Json, caller: &Caller) -> Result<ExitCode> {
    let response = caller.call(name, input)?;
    caller.answer(&Added { response })
}

/// What was added: one line for a person, everything for a program.
struct Added {
    response: Response,
}

impl Serialize for Added {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.response.to_json().serialize(serializer)
    }
}

impl Render for Added {
    fn view(&self) -> View {
        let json = self.response.to_json();
        let number = json["number"].as_i64().or(json["sequence_number"].as_i64());
        let (Some(number), Some(title)) = (number, json["title"].as_str()) else {
            return self.response.view();
        };
        let kind = json[TYPE].as_str().unwrap_or("task");
        let view = View::default().line([
            Span::new("Added ", Style::Good),
            Span::new(format!("#{number}"), Style::Id),
            Span::from(format!(" {title}")),
            Span::new(format!("  {kind}"), Style::Dim),
        ]);
        let similar = json["similar"].as_array().cloned().unwrap_or_default();
        similar.iter().fold(view, |view, it| {
            let text = |field: &str| it[field].as_str().unwrap_or_default().to_owned();
            view.line([
                Span::new("Says nearly the same: ", Style::Dim),
                Span::new(text("reference"), Style::Id),
                Span::from(format!(" {}", text("text"))),
            ])
        })
    }
}
