//! The size of what a model reads before it does anything: characters, and a quarter of that as
//! tokens.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use crate::client::{Client, tool_call};
use crate::harness::Outcome;
use crate::places::Places;

/// A question that a model might ask before it writes a script.
const QUESTION: &str = "create a task and claim it";

/// How many entities a typical list holds.
const LISTED: usize = 50;

/// Creates the table.
pub fn tokens(places: &Places) -> Outcome<String> {
    let all = Lists::read(places, &["--toolsets", "all"])?;
    let usual = Lists::read(places, &[])?;
    let code = Lists::read(places, &["--toolsets", "code"])?;
    let described = answer(places, "describe", &json!({ "query": QUESTION }))?;
    let entities = answer(places, "entity_list", &json!({ "limit": LISTED }))?;
    let mut table = format!("{:<48} {:>10} {:>8}\n", "what", "characters", "tokens");
    for (what, characters) in [
        ("all toolsets as plain tools", all.whole),
        ("the default toolsets", usual.whole),
        ("  name, description and input schema alone", usual.read),
        ("  instructions", usual.instructions),
        ("execute and describe", code.whole),
        ("  name, description and input schema alone", code.read),
        (
            "  the same with instructions",
            code.read + code.instructions,
        ),
        ("one result of describe", described),
        ("a result of entity_list with 50 entities", entities),
    ] {
        let _ = writeln!(table, "{what:<48} {characters:>10} {:>8}", characters / 4);
    }
    table += "Tokens are characters divided by four.\n";
    Ok(table)
}

/// What a server tells a model at the start, in characters.
struct Lists {
    /// The whole response to `tools/list`.
    whole: usize,
    /// The part of it that clients pass on to the model.
    read: usize,
    instructions: usize,
}

impl Lists {
    fn read(places: &Places, options: &[&str]) -> Outcome<Self> {
        let project = places.project(1_000)?;
        let arguments = [&["mcp"], options].concat();
        let server = Client::start(&places.windlass, &arguments, project.root())?;
        let started: Json = serde_json::from_str(server.last_response())?;
        let instructions = started["result"]["instructions"].as_str();
        let instructions = instructions.unwrap_or_default().chars().count();
        let mut server = server.initialized()?;
        server.call("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}\n")?;
        let listed: Json = serde_json::from_str(server.last_response())?;
        let tools = listed["result"]["tools"].as_array().ok_or("no tools")?;
        let read = tools.iter().map(|tool| {
            json!({
                "name": tool["name"],
                "description": tool["description"],
                "inputSchema": tool["inputSchema"],
            })
        });
        Ok(Self {
            whole: server.last_response().chars().count(),
            read: Json::Array(read.collect()).to_string().chars().count(),
            instructions,
        })
    }
}

/// The number of characters that a model reads of an answer: its text.
fn answer(places: &Places, tool: &str, arguments: &Json) -> Outcome<usize> {
    let project = places.project(1_000)?;
    let mut server = Client::start(&places.windlass, &["mcp"], project.root())?.initialized()?;
    server.call(&tool_call(tool, arguments))?;
    let answer: Json = serde_json::from_str(server.last_response())?;
    let text = answer["result"]["content"][0]["text"].as_str();
    Ok(text.ok_or("no text")?.chars().count())
}
