//! The calls that agents and people make all the time, in projects of several sizes.

use serde_json::{Value as Json, json};
use windlass_bench::{Operations, Outcome, Places, Random, text, word};

use crate::Extent;
use crate::curve::{Curve, Unit};
use crate::timing::{in_rounds, median_of};

/// One kind of call.
pub struct Call {
    pub name: &'static str,
    pub operation: &'static str,
    pub limit: Option<f64>,
    /// The input, by the number of entities and a number that is different for each call.
    pub input: fn(usize, u64) -> Json,
}

/// The most that a call may cost at the last size, compared to the first.
pub const LIMIT: f64 = 1.5;

const fn call(name: &'static str, operation: &'static str, input: fn(usize, u64) -> Json) -> Call {
    Call {
        name,
        operation,
        limit: Some(LIMIT),
        input,
    }
}

/// A word that the generator never writes.
const RARE: &str = "quixotry";
/// How many texts of each project have it.
const WITH_RARE: u64 = 20;
/// A word of the generated texts, which more of them have the more there are.
const COMMON_RANK: u32 = 15_000;

pub const CALLS: &[Call] = &[
    call("ready: 20 tasks", "task_ready", |_, _| json!({"limit": 20})),
    call("next", "task_next", |_, _| json!({})),
    call(
        "get",
        "entity_get",
        |size, _| json!({"id": (size / 2).to_string()}),
    ),
    call(
        "list: first page",
        "entity_list",
        |_, _| json!({"type": "task", "limit": 50}),
    ),
    call(
        "list: last page",
        "entity_list",
        |size, _| json!({"type": "task", "limit": 50, "offset": size - 50}),
    ),
    call(
        "tasks list: first page",
        "board_list",
        |_, _| json!({"limit": 50}),
    ),
    call("status", "board_status", |_, _| json!({})),
    call(
        "search: a word of 20 texts",
        "search_fulltext",
        |_, _| json!({"query": RARE, "limit": 20}),
    ),
    Call {
        limit: None,
        ..call(
            "search: a word of more and more",
            "search_fulltext",
            |_, _| json!({"query": word(COMMON_RANK), "limit": 20}),
        )
    },
    call(
        "log: last 20 events",
        "event_list",
        |_, _| json!({"limit": 20}),
    ),
    call(
        "log: 100 events in the middle",
        "event_list",
        |size, _| json!({"limit": 100, "after": size * 3 / 2}),
    ),
    call(
        "log: of one entity",
        "event_list",
        |size, _| json!({"limit": 20, "entity": (size / 2).to_string()}),
    ),
    call("create", "entity_create", |_, turn| {
        draft(&text(&mut Random::new(turn), 60))
    }),
    call("update", "entity_update", |size, turn| {
        let priority = ["low", "normal", "high"][usize::try_from(turn % 3).unwrap_or(0)];
        json!({"id": (size / 2).to_string(), "properties": {"priority": priority}})
    }),
];

fn draft(content: &str) -> Json {
    json!({"type": "task", "title": "A task that was made while measuring", "content": content,
        "tags": ["area-1"], "properties": {"priority": "low"}})
}

pub fn measure(places: &Places, extent: &Extent) -> Outcome<Vec<Curve>> {
    let mut projects = Vec::new();
    for size in &extent.sizes {
        let operations = Operations::on(&places.copy(&format!("calls-{size}"), *size)?)?;
        for turn in 0..WITH_RARE {
            let content = text(&mut Random::new(turn), 60);
            operations.call("entity_create", &draft(&format!("{content} {RARE}")))?;
        }
        projects.push(operations);
    }
    let mut curves = Vec::new();
    for call in CALLS {
        let measured = in_rounds(extent.rounds, projects.len(), |at, round| {
            let first = u64::try_from(round)? * extent.calls;
            median_of(extent.calls, |turn| {
                let input = (call.input)(extent.sizes[at], first + turn);
                projects[at].call(call.operation, &input).map(drop)
            })
        });
        let (values, ratio) = measured.map_err(|problem| format!("{}: {problem}", call.name))?;
        curves.push(Curve {
            name: call.name,
            unit: Unit::Seconds,
            limit: call.limit,
            points: extent.sizes.iter().copied().zip(values).collect(),
            ratio,
        });
    }
    Ok(curves)
}
