//! The commands `board` and `watch`.

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};
use serde_json::{Value as Json, json};
use windlass_core::Result;

use super::html;
use super::live::{self, Start};
use super::once::Board;
use super::source::{LIST, Source};
use crate::surface::cli::caller::{Caller, operation};
use crate::surface::cli::execute;
use crate::surface::cli::own_command::OwnCommand;

const ONCE: &str = "once";
const LIMIT: &str = "limit";
pub const HTML: &str = "html";

/// How many tasks of each column are printed.
const PRINTED: usize = 20;
/// How many tasks of each column a page has: all of most projects, and no page that a browser cannot
/// open.
const ON_PAGE: usize = 5_000;

/// What the columns decide by themselves.
const NOT_FOR_BOARDS: &[&str] = &["status", "ready", "blocked", "sort", "offset"];

pub const COMMANDS: &[OwnCommand] = &[
    OwnCommand::new(&["board"], build_board, run_board).examples(&[
        ("The board as text", &["board", "--once"]),
        (
            "One feature as JSON",
            &["board", "--feature", "auth", "--json"],
        ),
    ]),
    OwnCommand::new(&["watch"], build_watch, run_watch)
        .examples(&[("What waits and what happened last", &["watch", "--once"])]),
];

fn once() -> Arg {
    Arg::new(ONCE)
        .long(ONCE)
        .action(ArgAction::SetTrue)
        .help("Print it once and end; so it does without a terminal")
}

/// The option that names the file for a page.
pub fn html_file() -> Arg {
    Arg::new(HTML)
        .long(HTML)
        .value_name("FILE")
        .value_parser(clap::value_parser!(PathBuf))
        .value_hint(ValueHint::FilePath)
        .help("Write one page that needs no network to FILE; - prints it")
}

fn build_board(command: Command, _: &[OsString]) -> Command {
    let Ok(entry) = operation(LIST) else {
        return command;
    };
    let mut command = entry
        .augment(command)
        .about("The tasks in columns, live; with keys to work on them")
        .long_about(
            "The tasks in columns: Draft, Ready, In progress, In review, Blocked, Done. On a terminal \
             it stays open and follows every change; ? shows the keys. With --once, --json or without \
             a terminal it is printed once. --html writes a page that works offline.",
        )
        .arg(once())
        .arg(html_file());
    for name in NOT_FOR_BOARDS {
        command = command.mut_arg(*name, |argument| argument.hide(true));
    }
    command.mut_arg(LIMIT, |argument| {
        argument.help("How many tasks of each column are printed, 1 to 100; 20 if absent")
    })
}

/// The filters that a person chose.
fn filters(matches: &ArgMatches) -> Result<Json> {
    let mut filters = operation(LIST)?.input_of_matches(matches)?;
    if let Some(filters) = filters.as_object_mut() {
        for name in NOT_FOR_BOARDS {
            filters.remove(*name);
        }
    }
    Ok(filters)
}

fn run_board(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let filters = filters(matches)?;
    let given = matches.value_source(LIMIT) == Some(clap::parser::ValueSource::CommandLine);
    let most = filters[LIMIT].as_u64().filter(|_| given);
    let most = most.and_then(|it| usize::try_from(it).ok());
    if let Some(file) = matches.get_one::<PathBuf>(HTML) {
        let columns = columns(caller, &filters, most.unwrap_or(ON_PAGE))?;
        let page = html::board(&Board { columns }, caller)?;
        return html::write(caller, file, &page);
    }
    if is_once(matches, caller) {
        let columns = columns(caller, &filters, most.unwrap_or(PRINTED))?;
        return caller.answer(&Board { columns });
    }
    live::run(caller, Start::Board, filters)
}

fn columns(
    caller: &Caller,
    filters: &Json,
    most: usize,
) -> Result<Vec<super::source::Part<super::card::Card>>> {
    let source = Source::new(caller.context()?);
    execute::runtime()?.block_on(source.columns(filters, most))
}

fn is_once(matches: &ArgMatches, caller: &Caller) -> bool {
    let on_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    matches.get_flag(ONCE) || caller.output.is_json() || !on_terminal
}

fn build_watch(command: Command, _: &[OsString]) -> Command {
    command
        .about("What waits for you and what happens, live")
        .long_about(
            "What waits for a person (reviews, questions, gates) and what happens, with who did it, \
             live. The keys are those of the board; ? shows them. With --once, --json or without a \
             terminal, what waits and the last events are printed once.",
        )
        .arg(once())
}

fn run_watch(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    if is_once(matches, caller) {
        return caller.answer(&super::once::Watch {
            status: caller.call("board_status", json!({}))?,
            events: caller.call("event_list", json!({}))?,
        });
    }
    live::run(caller, Start::Watch, json!({}))
}
