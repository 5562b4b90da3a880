//! `windlass delete`: shows what goes and what depends on it, and asks.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{ArgMatches, Command};
use serde_json::{Value as Json, json};
use windlass_core::Result;
use windlass_ops::{AnyOutput as _, Span, Style, View};

use super::several;
use crate::surface::cli::caller::Caller;
use crate::surface::cli::confirm;
use crate::surface::cli::own_command::OwnCommand;
use crate::surface::cli::tree::{YES, yes_argument};

/// How many relations of an entity the question shows.
const MOST_RELATIONS: usize = 10;

pub const COMMANDS: &[OwnCommand] = &[OwnCommand::new(&["delete"], build, run)
    .operations(&["entity_delete", "delete_task", "work_delete"])
    .examples(&[
        ("One, after a question", &["delete", "4"]),
        ("Several, without one", &["delete", "4", "5", "--yes"]),
    ])];

fn build(command: Command, _: &[OsString]) -> Command {
    command
        .long_about(
            "Delete entities. Their relations are removed too; their numbers are never given again. On a \
             terminal the title and everything that depends on it is shown first, and it asks.",
        )
        .arg(several::argument())
        .arg(yes_argument())
}

fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    if !matches.get_flag(YES) && confirm::can_ask() {
        let ids = several::ids(matches);
        for id in &ids {
            caller.output.show(&what_goes(id, caller)?);
        }
        let question = match ids.as_slice() {
            [_] => "Delete it? [y/N] ".to_owned(),
            _ => format!("Delete these {}? [y/N] ", ids.len()),
        };
        if !confirm::ask(&question) {
            return Ok(caller.declined());
        }
    }
    several::each(matches, caller, |id| {
        caller.call("entity_delete", json!({ "id": id }))
    })
}

/// The title, and what is related to the entity.
fn what_goes(id: &str, caller: &Caller) -> Result<View> {
    let entity = caller.call("entity_get", json!({ "id": id }))?.to_json();
    let number = entity["sequence_number"].as_i64().unwrap_or_default();
    let related = json!({ "id": id, "direction": "both", "limit": 100 });
    let related = caller.call("graph_relations", related)?.to_json();
    let relations = related["relations"].as_array().cloned().unwrap_or_default();
    let mut view = View::default().line([
        Span::new(format!("#{number}"), Style::Id),
        Span::from(" "),
        Span::new(entity["title"].as_str().unwrap_or_default(), Style::Strong),
        Span::new(
            format!("  {}", entity["type"].as_str().unwrap_or_default()),
            Style::Dim,
        ),
    ]);
    for relation in relations.iter().take(MOST_RELATIONS) {
        view = view.line([Span::from(format!("    {}", sentence(number, relation)))]);
    }
    if relations.len() > MOST_RELATIONS {
        let more = relations.len() - MOST_RELATIONS;
        view = view.line([Span::new(format!("    … {more} more"), Style::Dim)]);
    }
    Ok(view)
}

/// A relation as it is seen from the entity.
fn sentence(number: i64, relation: &Json) -> String {
    let from_here = relation["source_number"].as_i64() == Some(number);
    let (other, title) = if from_here {
        ("target_number", "target_title")
    } else {
        ("source_number", "source_title")
    };
    let other = relation[other].as_i64().unwrap_or_default();
    let title = relation[title].as_str().unwrap_or_default();
    let kind = relation["relation_type"].as_str().unwrap_or_default();
    let verb = match (kind, from_here) {
        ("blocks", true) => "blocks".to_owned(),
        ("blocks", false) => "is blocked by".to_owned(),
        ("parent", true) => "is part of".to_owned(),
        ("parent", false) => "has the child".to_owned(),
        (kind, true) => kind.replace('_', " "),
        (kind, false) => format!("is at the other end of {} from", kind.replace('_', " ")),
    };
    format!("{verb} #{other} {title}")
}
