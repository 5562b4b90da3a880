//! `windlass memory review`: walks a person through what is remembered and may not hold any more.

use std::ffi::OsString;
use std::io::BufRead as _;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use serde_json::{Value as Json, json};
use windlass_core::{Error, Result};
use windlass_ops::{AnyOutput as _, Span, Style, View};

use crate::surface::cli::caller::Caller;
use crate::surface::cli::confirm;
use crate::surface::cli::output;
use crate::surface::cli::own_command::OwnCommand;

const REASON: &str = "reason";
const MOST: u64 = 100;

pub const COMMANDS: &[OwnCommand] = &[OwnCommand::new(&["memory", "review"], build, run)
    .operations(&["memory_list", "memory_confirm", "memory_retire"])
    .examples(&[("Walk through all of it", &["memory", "review"])])];

fn build(command: Command, _: &[OsString]) -> Command {
    command
        .about("Look through what is remembered and may not hold any more")
        .long_about(
            "Walk through notes and learnings that somebody should look at: those that nobody has \
             confirmed for 90 days, those that say the same as another, those that no agent was ever \
             given, and those that were contradicted. For each you say whether it still holds. Without a \
             terminal they are listed.",
        )
        .arg(
            Arg::new(REASON)
                .long(REASON)
                .value_name("REASON")
                .value_parser(["any", "stale", "contradicted", "duplicate", "unused"])
                .default_value("any")
                .help("Only these"),
        )
}

fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let reason = matches
        .get_one::<String>(REASON)
        .map_or("any", String::as_str);
    let input = json!({"reason": reason, "limit": MOST});
    if caller.output.is_json() || !confirm::can_ask() {
        return caller.answer_call("memory_list", input);
    }
    let listed = caller.call("memory_list", input)?.to_json();
    let items = listed["items"].as_array().cloned().unwrap_or_default();
    if items.is_empty() {
        return caller.answer_call("memory_list", json!({"reason": reason}));
    }
    let mut changed = 0;
    for (place, item) in items.iter().enumerate() {
        caller.output.show(&shown(item, place + 1, items.len()));
        match decide(item, caller)? {
            Decision::Changed => changed += 1,
            Decision::Skipped => {}
            Decision::Quit => break,
        }
    }
    output::note(&format!("{changed} of {} were decided.", items.len()));
    Ok(ExitCode::SUCCESS)
}

enum Decision {
    Changed,
    Skipped,
    Quit,
}

fn text<'j>(item: &'j Json, field: &str) -> &'j str {
    item[field].as_str().unwrap_or_default()
}

fn shown(item: &Json, place: usize, count: usize) -> View {
    let reasons: Vec<&str> = item["reasons"]
        .as_array()
        .map_or_else(Vec::new, |it| it.iter().filter_map(Json::as_str).collect());
    let mut view = View::default()
        .blank()
        .line([
            Span::new(format!("{place} of {count}  "), Style::Dim),
            Span::new(text(item, "id"), Style::Id),
            Span::new(
                format!("  {} {}", text(item, "kind"), text(item, "of")),
                Style::Dim,
            ),
            Span::from(format!("  {}", reasons.join(", "))),
        ])
        .text(text(item, "text"));
    for (name, field) in [
        ("written", "created_at"),
        ("confirmed", "confirmed_at"),
        ("by", "confirmed_by"),
        ("retired", "retired_at"),
        ("instead", "replaced_by"),
    ] {
        if let Some(value) = item[field].as_str() {
            view = view.line([Span::new(format!("{name}: {value}"), Style::Dim)]);
        }
    }
    if let Some(same) = item["same_as"].as_str() {
        view = view.line([
            Span::new("nearly the same: ", Style::Dim),
            Span::new(format!("{same} "), Style::Id),
            Span::from(text(item, "same_text").to_owned()),
        ]);
    }
    let uses = match item["uses"].as_u64().unwrap_or(0) {
        0 => "never given to an agent".to_owned(),
        1 => "given to an agent once".to_owned(),
        count => format!("given to agents {count} times"),
    };
    let learned = match item["hits"].as_u64().unwrap_or(0) {
        0 | 1 => String::new(),
        count => format!("learned {count} times, "),
    };
    view.line([Span::new(format!("{learned}{uses}"), Style::Dim)])
}

fn decide(item: &Json, caller: &Caller) -> Result<Decision> {
    let id = text(item, "id");
    let same = item["same_as"].as_str();
    let merge = same.map_or(String::new(), |same| format!(", [m]erge into {same}"));
    loop {
        output::ask(&format!("[c]onfirm, [r]etire{merge}, [s]kip, [q]uit? "));
        let mut answer = String::new();
        let read = std::io::stdin().lock().read_line(&mut answer);
        let read = read.map_err(|problem| Error::internal(format!("The terminal: {problem}")))?;
        if read == 0 {
            return Ok(Decision::Quit);
        }
        let (operation, input) = match (answer.trim(), same) {
            ("c" | "confirm", _) => ("memory_confirm", json!({"id": id})),
            ("r" | "retire", _) => ("memory_retire", json!({"id": id})),
            ("m" | "merge", Some(same)) => {
                ("memory_retire", json!({"id": id, "replaced_by": same}))
            }
            ("s" | "skip" | "", _) => return Ok(Decision::Skipped),
            ("q" | "quit", _) => return Ok(Decision::Quit),
            _ => continue,
        };
        let done = caller.call(operation, input)?;
        caller.output.show(&done.view());
        return Ok(Decision::Changed);
    }
}
