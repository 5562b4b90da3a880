//! A minimal MCP client: one server, lines of JSON.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value as Json, json};

pub struct Client {
    pub child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next_id: u64,
}

impl Client {
    /// Starts the server that the command describes, and shakes hands with it.
    pub fn start(mut command: Command, name: &str) -> Result<Self, String> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("windlass mcp: {error}"))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or("windlass mcp has no pipes")?;
        let mut client = Self {
            child,
            input,
            output: BufReader::new(output),
            next_id: 0,
        };
        client.request(
            "initialize",
            json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": name, "version": env!("CARGO_PKG_VERSION")},
            }),
        )?;
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(client)
    }

    fn send(&mut self, message: &Json) -> Result<(), String> {
        writeln!(self.input, "{message}").map_err(|error| format!("windlass mcp: {error}"))
    }

    pub fn request(&mut self, method: &str, params: Json) -> Result<Json, String> {
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

    /// Calls a tool. The params may carry `_meta`.
    pub fn call(&mut self, tool: &str, arguments: Json, meta: Json) -> Result<Json, String> {
        let mut params = json!({"name": tool, "arguments": arguments});
        if meta.is_object() {
            params["_meta"] = meta;
        }
        self.request("tools/call", params)
    }

    /// Closes the server's input, which makes it exit.
    pub fn stop(mut self) -> Result<(), String> {
        drop(self.input);
        let status = self.child.wait().map_err(|error| error.to_string())?;
        if status.success() {
            return Ok(());
        }
        Err(format!("windlass mcp exited with {status}"))
    }

    /// Kills the server and waits for its end.
    pub fn kill(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Why a call was refused, if it was.
pub fn refusal(answer: &Json) -> Option<String> {
    let error = &answer["error"];
    if error.is_object() {
        return Some(error.to_string());
    }
    let result = &answer["result"];
    (result["isError"] == true).then(|| result.to_string())
}
