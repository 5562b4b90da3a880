//! The size of the tool list for a model: characters, and a quarter of that as tokens.

use std::fmt::Write as _;

use serde_json::json;

use crate::client::{Client, tool_call};
use crate::harness::Outcome;
use crate::places::Places;

/// A question that a model might ask before it writes a script.
const QUESTION: &str = "create a task and claim it";

/// Creates the table.
pub fn tokens(places: &Places) -> Outcome<String> {
    let all = listed(places, &["--toolsets", "all"])?;
    let usual = listed(places, &[])?;
    let code = listed(places, &["--toolsets", "code"])?;
    let project = places.project(1_000)?;
    let mut server = Client::start(&places.windlass, &["mcp"], project.root())?.initialized()?;
    server.call(&tool_call("describe", &json!({ "query": QUESTION })))?;
    // The response contains the result twice, for programs and for models.
    let described = server.last_response().len() / 2;
    let mut table = format!("{:<48} {:>10} {:>8}\n", "what", "characters", "tokens");
    for (what, characters) in [
        ("all toolsets as plain tools", all),
        ("the default toolsets", usual),
        ("execute and describe", code),
        (
            "execute, describe and one result of describe",
            code + described,
        ),
    ] {
        let _ = writeln!(table, "{what:<48} {characters:>10} {:>8}", characters / 4);
    }
    table += "Tokens are characters divided by four.\n";
    Ok(table)
}

/// The number of characters of the tool list.
fn listed(places: &Places, options: &[&str]) -> Outcome<usize> {
    let project = places.project(1_000)?;
    let arguments = [&["mcp"], options].concat();
    let mut server = Client::start(&places.windlass, &arguments, project.root())?.initialized()?;
    server.call("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}\n")?;
    Ok(server.last_response().len())
}
