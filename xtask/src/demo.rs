//! A demo in one command: a new project, filled by an MCP client, read on the command line.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value as Json, json};

use crate::cargo;

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
    let mut agent = Agent::start(&binary, &folder)?;
    for (tool, arguments) in work() {
        println!("tools/call {tool} {arguments}");
        let response =
            agent.request("tools/call", json!({"name": tool, "arguments": arguments}))?;
        if response.get("error").is_some() || response["result"]["isError"] == true {
            return Err(format!("{tool} returned {response}"));
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

/// A minimal MCP client.
struct Agent {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next_id: u64,
}

impl Agent {
    fn start(binary: &Path, folder: &Path) -> Result<Self, String> {
        let mut child = Command::new(binary)
            .arg("mcp")
            .current_dir(folder)
            .env("WINDLASS_LOG_LEVEL", "warn")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("windlass mcp: {error}"))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or("windlass mcp has no pipes")?;
        let mut agent = Self {
            child,
            input,
            output: BufReader::new(output),
            next_id: 0,
        };
        agent.request(
            "initialize",
            json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "demo", "version": env!("CARGO_PKG_VERSION")},
            }),
        )?;
        agent.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(agent)
    }

    fn send(&mut self, message: &Json) -> Result<(), String> {
        writeln!(self.input, "{message}").map_err(|error| format!("windlass mcp: {error}"))
    }

    fn request(&mut self, method: &str, params: Json) -> Result<Json, String> {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        let mut line = String::new();
        loop {
            line.clear();
            match self.output.read_line(&mut line) {
                Ok(0) => return Err("windlass mcp exited without a response".to_owned()),
                Ok(_) => {}
                Err(error) => return Err(format!("windlass mcp: {error}")),
            }
            let message: Json = serde_json::from_str(&line).map_err(|error| error.to_string())?;
            if message["id"] == id {
                return Ok(message);
            }
        }
    }

    /// Closes the server's input, which makes it exit.
    fn stop(mut self) -> Result<(), String> {
        drop(self.input);
        let status = self.child.wait().map_err(|error| error.to_string())?;
        if status.success() {
            return Ok(());
        }
        Err(format!("windlass mcp exited with {status}"))
    }
}
