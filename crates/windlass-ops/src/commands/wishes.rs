//! What agents wanted to run and nobody allowed: kept in the history, for a person to look at.

use std::collections::BTreeMap;

use serde_json::json;
use windlass_commands::Command;
use windlass_core::{Actor, Event, EventType, Result, Timestamp};
use windlass_store::{EventFilter, Reader};

use super::start::Wish;
use crate::context::Context;

/// How far back wishes are read, in events of any kind.
const LOOK_BACK: i64 = 20_000;

/// The most wishes that are read. One that is refused again within the look-back is not kept again,
/// so that an agent that tries for hours fills neither the history nor the list.
const MOST: u32 = 200;

/// A command that was refused, with the newest attempt.
pub struct Refused {
    pub unique_name: String,
    pub fingerprint: String,
    pub args: Vec<String>,
    pub session: String,
    pub at: Timestamp,
}

/// Keeps what an agent wanted. A person sees the refusal and needs no record; a record that cannot be
/// written changes nothing about the refusal.
pub fn keep(context: &Context, command: &Command, wish: &Wish) {
    if context.origin.actor != Actor::Agent {
        return;
    }
    let known = context.read(recent).unwrap_or_default();
    let same = |refused: &Refused| refused.fingerprint == command.fingerprint;
    if known.get(&command.unique_name).is_some_and(same) || known.len() >= MOST as usize {
        return;
    }
    let payload = json!({
        "unique_name": command.unique_name,
        "fingerprint": command.fingerprint,
        "args": wish.args,
    });
    let _ = context.write(|writer| writer.command_refused(&payload));
}

/// The refused commands of late by name, each with its newest refusal.
pub fn recent(reader: &Reader<'_>) -> Result<BTreeMap<String, Refused>> {
    let newest = EventFilter {
        newest_first: true,
        limit: 1,
        ..EventFilter::default()
    };
    let newest = reader.events(&newest)?.first().map_or(0, |event| event.seq);
    let filter = EventFilter {
        after: (newest - LOOK_BACK).max(0),
        kind: Some(EventType::CommandRefused.name().to_owned()),
        newest_first: true,
        limit: MOST,
        ..EventFilter::default()
    };
    let mut found = BTreeMap::new();
    for event in reader.events(&filter)? {
        if let Some(refused) = parse(event) {
            found.entry(refused.unique_name.clone()).or_insert(refused);
        }
    }
    Ok(found)
}

fn parse(event: Event) -> Option<Refused> {
    let text = |name: &str| event.payload[name].as_str().map(str::to_owned);
    let args = event.payload["args"].as_array();
    let args = args.into_iter().flatten().filter_map(|arg| arg.as_str());
    Some(Refused {
        unique_name: text("unique_name")?,
        fingerprint: text("fingerprint")?,
        args: args.map(str::to_owned).collect(),
        session: event.session.clone(),
        at: event.at.clone(),
    })
}
