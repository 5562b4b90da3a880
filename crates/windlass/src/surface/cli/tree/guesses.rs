//! Commands that people try because other programs have them, and what to use here instead.
//!
//! A typo is found by similarity. `finish` is not similar to `done`, so it needs a table.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use windlass_core::nearest;

use super::groups::{ALIASES, GROUPS};
use crate::surface::cli::global::first_word;

/// A guess, and what to type after `windlass` instead, with placeholders in capitals.
pub const GUESSES: &[(&str, &str)] = &[
    ("kanban", "board"),
    ("quickstart", "init"),
    ("stop", "jobs stop PID"),
    ("kill", "jobs stop PID"),
    ("finish", "done N"),
    ("close", "done N"),
    ("complete", "done N"),
    ("open", "show N"),
    ("view", "show N"),
    ("cat", "show N"),
    ("reopen", "tasks status N pending"),
    ("assign", "tasks update N --assignee NAME"),
    ("claim", "tasks claim N"),
    ("release", "tasks release N"),
    ("submit", "tasks submit N"),
    ("cancel", "tasks cancel N"),
    ("comment", "tasks comment N TEXT"),
    ("tree", "tasks tree"),
    ("tag", "tasks update N --add-tag TAG"),
    ("untag", "tasks update N --remove-tag TAG"),
    ("note", "add note TITLE"),
    ("decide", "add decision TITLE"),
    ("decision", "add decision TITLE"),
    ("learn", "learnings add N TEXT"),
    ("learning", "learnings add N TEXT"),
    ("todo", "ready"),
    ("task", "tasks"),
    ("issue", "tasks"),
    ("issues", "tasks"),
    ("epic", "tasks create TITLE --kind milestone"),
    ("milestone", "tasks create TITLE --kind milestone"),
    ("feature", "features"),
    ("deps", "show N"),
    ("dependencies", "show N"),
    ("block", "tasks block N BLOCKER"),
    ("unblock", "tasks unblock N BLOCKER"),
    ("blocked", "tasks blocked"),
    ("why", "tasks blocked N"),
    ("web", "dashboard"),
    ("ui", "dashboard"),
    ("server", "serve"),
    ("history", "log"),
    ("events", "log"),
    ("diff", "reviews show N"),
    ("review", "reviews"),
    ("approve", "reviews approve N"),
    ("reject", "reviews request-changes N"),
    ("gate", "gates"),
    ("check", "gates"),
    ("test", "run test"),
    ("build", "run build"),
    ("lint", "run lint"),
    ("ask", "questions ask N CATEGORY TEXT"),
    ("answer", "questions answer N TEXT"),
    ("question", "questions"),
    ("help-requests", "questions"),
    ("work", "tasks"),
    ("project", "status"),
    ("info", "status"),
    ("remove", "delete N"),
    ("find", "search TEXT"),
    ("settings", "config list"),
    ("script", "exec FILE"),
    ("tools", "call --list"),
    ("repos", "call repo_list"),
    ("focus", "session start"),
    ("undelete", "restore N"),
    ("revert", "undo"),
    ("push", "sync"),
    ("pull", "sync"),
    ("hooks", "hook status"),
];

/// What to type instead of a name that is not a command.
pub fn suggestion(word: &str) -> Option<String> {
    let lower = word.to_lowercase();
    let known = GUESSES.iter().find(|(guess, _)| *guess == lower);
    if let Some((_, instead)) = known {
        return Some((*instead).to_owned());
    }
    let words = GROUPS
        .iter()
        .flat_map(|group| group.commands)
        .map(|(command, _)| *command)
        .chain(ALIASES.iter().map(|(alias, _)| *alias));
    let near = nearest(&lower, words);
    near.map(str::to_owned).or_else(|| {
        let guesses = GUESSES.iter().map(|(guess, _)| *guess);
        nearest(&lower, guesses).and_then(suggestion)
    })
}

/// Adds the right suggestion to an error about an unknown command. For subcommands, similarity is
/// enough.
pub fn improve(mut error: Error, words: &[OsString]) -> Error {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return error;
    }
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return error;
    };
    let instead = match first_word(words).and_then(|first| first.to_str()) {
        Some(first) if first == word => suggestion(word),
        _ => return error,
    };
    error.remove(ContextKind::SuggestedSubcommand);
    error.remove(ContextKind::Suggested);
    if let Some(instead) = instead {
        let tip = format!("did you mean 'windlass {instead}'?");
        let tips = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tips);
    }
    error
}
