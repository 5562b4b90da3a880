//! `windlass mcp` as a process: raw lines in, raw lines out, and how it ends.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use serde_json::{Value as Json, json};

/// A server on a project of its own.
struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next_id: u64,
}

impl Server {
    fn start(folder: &Path, options: &[&str]) -> Self {
        let mut child = windlass(folder)
            .arg("mcp")
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
            next_id: 0,
        }
    }

    fn initialized(folder: &Path, options: &[&str]) -> Self {
        let mut server = Self::start(folder, options);
        let answer = server.request(
            "initialize",
            json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": { "name": "test", "version": "1" },
            }),
        );
        assert_eq!(answer["result"]["serverInfo"]["name"], "windlass");
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        server
    }

    fn send(&mut self, message: &Json) {
        self.send_line(&message.to_string());
    }

    fn send_line(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    fn next(&mut self) -> Json {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// The answer to a request. News that comes before it is passed over.
    fn request(&mut self, method: &str, params: Json) -> Json {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.next();
            if message["id"] == id {
                return message;
            }
        }
    }

    fn call(&mut self, tool: &str, arguments: Json) -> Json {
        self.request(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        )
    }

    /// Ends the input. What was written to standard error comes back with the exit status.
    fn end(mut self) -> (ExitStatus, String) {
        self.input = None;
        self.wait()
    }

    fn wait(mut self) -> (ExitStatus, String) {
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "", "nothing more was expected");
        let mut log = String::new();
        let mut stderr = self.child.stderr.take().unwrap();
        stderr.read_to_string(&mut log).unwrap();
        (self.child.wait().unwrap(), log)
    }
}

fn windlass(folder: &Path) -> Command {
    let mut command = crate::sample::windlass();
    command.current_dir(folder).stdin(Stdio::null());
    for name in ["RUST_LOG", "WINDLASS_LOG_LEVEL", "WINDLASS_SESSION"] {
        command.env_remove(name);
    }
    command
}

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let status = windlass(folder.path())
        .arg("init")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    folder
}

#[test]
fn a_session_from_beginning_to_end() {
    let folder = project();
    let mut server = Server::initialized(folder.path(), &[]);
    let answer = server.call("entity_create", json!({ "type": "note", "title": "Kept" }));
    let result = &answer["result"];
    assert_eq!(result["isError"], false, "{answer}");
    let text = result["content"][0]["text"].as_str().unwrap();
    assert_eq!(
        serde_json::from_str::<Json>(text).unwrap(),
        result["structuredContent"]
    );
    let answer = server.call("entity_get", json!({ "id": "nonexistent-id" }));
    assert_eq!(answer["error"]["code"], -32001, "{answer}");
    let message = answer["error"]["message"].as_str().unwrap_or_default();
    assert!(message.starts_with("Entity not found. Use "), "{message}");
    assert_eq!(answer["error"]["data"]["error_type"], "EntityNotFound");

    let (status, log) = server.end();
    assert!(status.success());
    for expected in [
        r#"INFO windlass::mcp request{id=2 method="tools/call" tool="entity_create"} started"#,
        r#"INFO windlass::mcp request{id=2 method="tools/call" tool="entity_create"} completed duration_ms="#,
        r#"WARN windlass::mcp request{id=3 method="tools/call" tool="entity_get"} completed duration_ms="#,
        "INFO windlass::mcp Shutting down...",
    ] {
        assert!(log.contains(expected), "{expected}\n{log}");
    }
}

#[test]
fn garbage_does_not_end_a_session() {
    let folder = project();
    let mut server = Server::start(folder.path(), &[]);
    for (line, code) in [
        ("garbage", -32700),
        ("[]", -32600),
        (r#"{"id":1,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#, -32602),
    ] {
        server.send_line(line);
        assert_eq!(server.next()["error"]["code"], code, "{line}");
    }
    server.send_line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    let answer = server.request("ping", json!({}));
    assert_eq!(answer["result"], json!({}));
    assert!(server.end().0.success());
}

#[test]
fn another_process_is_heard_of() {
    let folder = project();
    let mut server = Server::initialized(folder.path(), &[]);
    let uri = "windlass://entities/task";
    let answer = server.request("resources/subscribe", json!({ "uri": uri }));
    assert_eq!(answer["result"], json!({}), "{answer}");
    let mut other = Server::initialized(folder.path(), &[]);
    other.call(
        "entity_create",
        json!({ "type": "note", "title": "Not a task" }),
    );
    other.call(
        "entity_create",
        json!({ "type": "task", "title": "A task" }),
    );
    let news = server.next();
    assert_eq!(news["method"], "notifications/resources/updated");
    assert_eq!(news["params"], json!({ "uri": uri }));

    let answer = server.request("resources/unsubscribe", json!({ "uri": uri }));
    assert_eq!(answer["result"], json!({}));
    other.call(
        "entity_create",
        json!({ "type": "task", "title": "Unheard" }),
    );
    assert!(other.end().0.success());
    let (status, _) = server.end();
    assert!(status.success());
}

#[test]
fn a_change_of_a_definition_is_reported() {
    let folder = project();
    let makefile = folder.path().join("Makefile");
    std::fs::write(&makefile, "build:\n\techo\n").unwrap();
    let mut server = Server::initialized(folder.path(), &[]);
    let uri = "windlass://commands";
    let answer = server.request("resources/read", json!({ "uri": uri }));
    let text = answer["result"]["contents"][0]["text"].as_str().unwrap();
    assert!(text.contains("\"build\""), "{text}");
    let answer = server.request("resources/subscribe", json!({ "uri": uri }));
    assert_eq!(answer["result"], json!({}), "{answer}");
    std::fs::write(&makefile, "build:\n\techo\nlint:\n\techo\n").unwrap();
    let news = server.next();
    assert_eq!(news["method"], "notifications/resources/updated");
    assert_eq!(news["params"], json!({ "uri": uri }));
    assert!(server.end().0.success());
}

#[test]
fn a_session_of_the_new_kind() {
    let folder = project();
    let mut server = Server::start(folder.path(), &[]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let answer = server.request("server/discover", json!({ "_meta": meta }));
    let versions = answer["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")));
    let answer = server.request("tools/list", json!({ "_meta": meta }));
    assert_eq!(answer["result"]["resultType"], "complete");
    assert!(answer["result"]["ttlMs"].is_number());

    let uri = "windlass://entities/task";
    server.send(&json!({
        "jsonrpc": "2.0",
        "id": "news",
        "method": "subscriptions/listen",
        "params": {
            "_meta": meta,
            "notifications": { "resourceSubscriptions": [uri, "nonsense:"] },
        },
    }));
    let accepted = server.next();
    assert_eq!(
        accepted["params"]["notifications"],
        json!({ "resourceSubscriptions": [uri] })
    );
    let arguments = json!({ "type": "task", "title": "A task" });
    let params = json!({ "_meta": meta, "name": "entity_create", "arguments": arguments });
    server.send(&json!({ "jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": params }));
    let (first, second) = (server.next(), server.next());
    let news = if first["id"] == 9 { second } else { first };
    assert_eq!(news["params"]["uri"], uri);
    assert_eq!(
        news["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"],
        "news"
    );
    server.input = None;
    assert_eq!(server.next()["id"], "news");
    assert!(server.wait().0.success());
}

#[test]
fn reading_only_offers_only_reading() {
    let folder = project();
    let mut server = Server::initialized(folder.path(), &["--read-only"]);
    let answer = server.request("tools/list", json!({}));
    let tools = answer["result"]["tools"].as_array().unwrap();
    assert!(!tools.is_empty());
    for tool in tools {
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
    }
    let answer = server.call("entity_create", json!({ "type": "note", "title": "x" }));
    assert_eq!(answer["error"]["code"], -32602);
    assert!(server.end().0.success());
}

#[test]
fn without_a_project_there_is_no_server() {
    let folder = tempfile::tempdir().unwrap();
    let output = windlass(folder.path()).arg("mcp").output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(output.stdout.is_empty());
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("windlass init"), "{text}");
}

#[cfg(unix)]
#[test]
fn signals_end_a_session_in_order() {
    use rustix::process::{Pid, Signal, kill_process};
    let folder = project();
    for signal in [Signal::TERM, Signal::INT] {
        let server = Server::initialized(folder.path(), &[]);
        let pid = Pid::from_child(&server.child);
        kill_process(pid, signal).unwrap();
        let (status, log) = server.wait();
        assert_eq!(status.code(), Some(0));
        assert!(log.contains("Shutting down..."), "{log}");
    }
}
