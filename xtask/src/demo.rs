//! A demo in one command: a new project, filled by an MCP client, read on the command line.

use std::path::Path;
use std::process::Command;

use serde_json::{Value as Json, json};

use crate::cargo;
use crate::client::{Client, refusal};

/// The calls of the agent: the tool and its arguments.
fn work() -> Vec<(&'static str, Json)> {
    let create = |input: Json| ("entity_create", input);
    vec![
        create(json!({
            "type": "decision", "title": "Keep state in SQLite", "tags": ["storage"],
            "content": "One file, no server to set up.", "properties": {"status": "accepted"}
        })),
        create(
            json!({"type": "task", "title": "Write the parser", "properties": {"priority": "high"}}),
        ),
        create(json!({"type": "task", "title": "Ship the first release"})),
        (
            "relation_create",
            json!({"source_id": "2", "relation_type": "blocks", "target_id": "3"}),
        ),
        (
            "relation_create",
            json!({"source_id": "2", "relation_type": "implements", "target_id": "1"}),
        ),
    ]
}

/// Builds the binary and demonstrates it in a fresh folder.
#[expect(clippy::print_stdout, reason = "the demo is shown to a person")]
pub fn run(root: &Path) -> Result<String, String> {
    let binary = cargo::build_windlass(root)?;
    let folder = root.join("target").join("demo");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)
            .map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    show(&binary, root, &["init", "target/demo"])?;
    println!("\n# An agent, over MCP:");
    let mut server = Command::new(&binary);
    server
        .arg("mcp")
        .current_dir(&folder)
        .env("WINDLASS_LOG_LEVEL", "warn");
    let mut agent = Client::start(server, "demo")?;
    for (tool, arguments) in work() {
        println!("tools/call {tool} {arguments}");
        let response = agent.call(tool, arguments, Json::Null)?;
        if let Some(why) = refusal(&response) {
            return Err(format!("{tool} returned {why}"));
        }
    }
    agent.stop()?;
    println!("\n# A person, on the command line:");
    for words in [
        &["list"][..],
        &["tasks", "next"],
        &["tasks", "blocked"],
        &["search", "sqlite"],
    ] {
        show(&binary, &folder, words)?;
    }
    Ok(format!(
        "\nThe project is in target/demo; the binary is {}.",
        binary.strip_prefix(root).unwrap_or(&binary).display()
    ))
}

/// Shows a command and its output.
#[expect(clippy::print_stdout, reason = "the demo is shown to a person")]
fn show(binary: &Path, folder: &Path, words: &[&str]) -> Result<(), String> {
    println!("\n$ windlass {}", words.join(" "));
    let status = Command::new(binary)
        .args(words)
        .current_dir(folder)
        .status()
        .map_err(|error| format!("windlass: {error}"))?;
    if status.success() {
        return Ok(());
    }
    Err(format!("windlass {} failed: {status}", words.join(" ")))
}
