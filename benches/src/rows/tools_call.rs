//! A small read over stdio, against an echo server.

use serde_json::{Value as Json, json};

use crate::client::{Client, tool_call};
use crate::harness::{Measured, Outcome, Rounds, Row};
use crate::places::Places;
use crate::rows::operations::Operations;

pub const GET: Row = Row {
    name: "tools_call",
    about: "entity_get of a small entity over stdio, against a bare rmcp echo server",
    limit: 1.3,
    measure: |places, rounds| measure(places, rounds, "entity_get", json!({"id": "1001"})),
};

pub const NEXT: Row = Row {
    name: "tools_call_next",
    about: "task_next over stdio, against a bare rmcp echo server",
    limit: 1.5,
    measure: |places, rounds| measure(places, rounds, "task_next", json!({})),
};

fn measure(places: &Places, rounds: Rounds, tool: &str, arguments: Json) -> Outcome<Measured> {
    let project = places.copy(tool, 1_000)?;
    let small = json!({
        "type": "task",
        "title": "Small",
        "content": "A short text.",
        "properties": {"priority": "urgent", "due_date": "2026-01-01"},
    });
    Operations::on(&project)?.call("entity_create", &small)?;
    let ours = tool_call(tool, &arguments);
    let theirs = tool_call("echo", &json!({"text": "A short text."}));
    let folder = project.root();
    let mut server = Client::start(&places.windlass, &["mcp"], folder)?.initialized()?;
    let mut echo = Client::start(&places.bare_echo, &[], folder)?.initialized()?;
    server.call(&ours)?;
    if !server.last_response().contains("A short text.") {
        return Err("the response does not contain the small entity".into());
    }
    rounds.compare(20, 500, || server.call(&ours), || echo.call(&theirs))
}
