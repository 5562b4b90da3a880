//! A minimal MCP client: writes a line, reads a line.

use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value as Json, json};

use crate::harness::Outcome;
use crate::places::state_home;

pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    line: String,
}

impl Client {
    /// Starts a server and waits for its response to `initialize`.
    pub fn start(program: &Path, arguments: &[&str], folder: &Path) -> Outcome<Self> {
        let mut child = Command::new(program)
            .args(arguments)
            .current_dir(folder)
            .env("XDG_STATE_HOME", state_home())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let input = child.stdin.take();
        let output = child.stdout.take().ok_or("the server has no output")?;
        let mut client = Self {
            child,
            input,
            output: BufReader::new(output),
            line: String::new(),
        };
        client.call(&line(
            "initialize",
            json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "windlass-bench", "version": "0"},
            }),
        ))?;
        Ok(client)
    }

    /// Completes the handshake, which the protocol requires before other requests.
    pub fn initialized(mut self) -> Outcome<Self> {
        self.write("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")?;
        Ok(self)
    }

    /// Sends a request and waits for its response.
    pub fn call(&mut self, request: &str) -> Outcome {
        self.write(request)?;
        self.line.clear();
        self.output.read_line(&mut self.line)?;
        // Only searches the text: parsing it would be measured too.
        if !self.line.contains("\"result\"") || self.line.contains("\"isError\":true") {
            return Err(format!(
                "{} responded with {:?} to {request}",
                self.name(),
                self.line
            )
            .into());
        }
        Ok(())
    }

    /// The response to the last request.
    pub fn last_response(&self) -> &str {
        &self.line
    }

    /// The id of the server's process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    fn name(&self) -> String {
        format!("server {}", self.child.id())
    }

    fn write(&mut self, text: &str) -> Outcome {
        let input = self.input.as_mut().ok_or("the server was stopped")?;
        input.write_all(text.as_bytes())?;
        Ok(())
    }
}

/// Closes the server's input and waits until it exits.
impl Drop for Client {
    fn drop(&mut self) {
        drop(self.input.take());
        // Nothing more can be done about a server that does not exit.
        let _ = self.child.wait();
    }
}

fn line(method: &str, params: Json) -> String {
    let mut text =
        json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    text.push('\n');
    text
}

/// A `tools/call` request, ready to be sent.
pub fn tool_call(name: &str, arguments: &Json) -> String {
    line("tools/call", json!({"name": name, "arguments": arguments}))
}
