//! A `windlass mcp` process and a client that speaks plain JSON lines to it.

use std::io::{BufRead as _, BufReader, ErrorKind, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value as Json, json};

use crate::sample;

/// Where the programs are that a process started by a test may need.
#[expect(
    clippy::disallowed_methods,
    reason = "a test passes its own search path on"
)]
pub fn search_path() -> String {
    std::env::var("PATH").unwrap_or_default()
}

pub struct Server {
    pub child: Child,
    /// None once the client has hung up.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next_id: u64,
}

impl Server {
    /// Starts a server on the project and shakes hands with it.
    pub fn start(project: &Path) -> Self {
        Self::serving(project, &["--toolsets", "all"])
    }

    /// Starts the server of a session on record.
    pub fn of_session(project: &Path, id: &str) -> Self {
        Self::serving(project, &["--session", id])
    }

    /// Starts a server with the toolsets that it has by default.
    pub fn usual(project: &Path) -> Self {
        Self::serving(project, &[])
    }

    /// Starts a server with these options.
    pub fn with(project: &Path, options: &[&str]) -> Self {
        Self::serving(project, options)
    }

    fn serving(project: &Path, options: &[&str]) -> Self {
        let mut command = sample::windlass();
        command
            .arg("--cwd")
            .arg(project)
            .arg("mcp")
            .args(options)
            .env("WINDLASS_LOG_LEVEL", "error")
            .env("XDG_CONFIG_HOME", sample::config_of(project))
            .env("HOME", sample::config_of(project));
        Self::of(command)
    }

    /// Starts the server that the command describes, and shakes hands with it.
    pub fn of(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("started");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut server = Self {
            child,
            input,
            output,
            next_id: 0,
        };
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        });
        let answer = server.request("initialize", hello).expect("an answer");
        assert_eq!(answer["result"]["serverInfo"]["name"], "windlass");
        server
            .send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
            .expect("sent");
        server
    }

    fn send(&mut self, message: &Json) -> std::io::Result<()> {
        let input = self.input.as_mut().ok_or(ErrorKind::BrokenPipe)?;
        input.write_all(format!("{message}\n").as_bytes())
    }

    /// Sends a call and does not wait for its answer, which the next request passes over.
    pub fn begin(&mut self, tool: &str, arguments: &Json) {
        self.next_id += 1;
        let params = json!({"name": tool, "arguments": arguments});
        let id = self.next_id;
        let message = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        self.send(&message).expect("sent");
    }

    /// The answer to a request; none if the server died first.
    pub fn request(&mut self, method: &str, params: Json) -> Option<Json> {
        self.next_id += 1;
        let id = self.next_id;
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(&message).ok()?;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).ok()? == 0 || !line.ends_with('\n') {
                return None;
            }
            let answer: Json = serde_json::from_str(&line).expect("JSON");
            if answer["id"] == id {
                return Some(answer);
            }
        }
    }

    pub fn call(&mut self, tool: &str, arguments: Json) -> Option<Json> {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// The structured answer of a call that must go well.
    pub fn ok(&mut self, tool: &str, arguments: Json) -> Json {
        let answer = self.call(tool, arguments).expect("an answer");
        let result = &answer["result"];
        assert!(result["structuredContent"].is_object(), "{tool}: {answer}");
        assert_ne!(result["isError"], true, "{tool}: {answer}");
        result["structuredContent"].clone()
    }

    /// The error of a call that must be refused.
    pub fn refused(&mut self, tool: &str, arguments: Json) -> Json {
        let answer = self.call(tool, arguments).expect("an answer");
        assert!(answer["error"].is_object(), "{tool}: {answer}");
        answer["error"].clone()
    }

    /// The PID of a job that goes on.
    pub fn start_job(&mut self, name: &str) -> i64 {
        let started = self.ok(
            "task_start",
            json!({"unique_name": name, "wait_seconds": 0}),
        );
        started["pid"].as_i64().expect("a PID")
    }

    /// Ends the conversation, as a client does that quits.
    pub fn hang_up(&mut self) {
        self.input = None;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
