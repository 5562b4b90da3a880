//! Messages that are almost right, to the real server: it answers or passes over them, and goes on.

#[path = "../../../windlass-core/tests/shared/mutate.rs"]
mod mutate;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::Value as Json;

use crate::project::{Place, config_of, windlass};

const LINES: &[&str] = &[
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"entity_create","arguments":{"type":"note","title":"x"}}}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search_query","arguments":{"query":"type:task x","limit":5}}}"#,
    r#"{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"x"}}"#,
    r#"{"jsonrpc":"2.0","id":"a","method":"resources/read","params":{"uri":"windlass://status"}}"#,
    r#"{"jsonrpc":"2.0","id":4,"method":"prompts/get","params":{"name":"work","arguments":{}}}"#,
    r#"{"jsonrpc":"2.0","id":5,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"a","value":"b"}}}"#,
    r#"[{"jsonrpc":"2.0","id":6,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}]"#,
];
/// How many messages are sent before the server is asked whether it still lives.
const AT_ONCE: usize = 20;

fn command(place: &Place, words: &[&str]) -> Command {
    let mut command = windlass();
    command
        .arg("--cwd")
        .arg(&place.root)
        .args(words)
        .env("WINDLASS_LOG_LEVEL", "off")
        .env("XDG_CONFIG_HOME", config_of(&place.root))
        .env("HOME", config_of(&place.root));
    command
}

struct Conversation {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Conversation {
    fn start(place: &Place) -> Self {
        let mut child = command(place, &["mcp", "--toolsets", "all"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("started");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut server = Self {
            child,
            input,
            output,
        };
        server.send(br#"{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#);
        server.until("hello");
        server.send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        server
    }

    fn send(&mut self, line: &[u8]) {
        let mut line: Vec<u8> = line.iter().copied().filter(|byte| *byte != b'\n').collect();
        line.push(b'\n');
        self.input.write_all(&line).expect("the server reads");
    }

    /// Reads answers until the one with this id. Each is a line of JSON.
    fn until(&mut self, id: &str) {
        loop {
            let mut line = String::new();
            let read = self.output.read_line(&mut line).expect("a line");
            assert!(read > 0, "the server ended");
            let answer: Json = serde_json::from_str(&line).expect("JSON");
            if answer["id"] == id {
                return;
            }
        }
    }
}

#[test]
fn fuzz_lines_of_json_rpc() {
    let place = Place::new();
    drop(place.store());
    let mut server = Conversation::start(&place);
    let mut number = 0;
    mutate::fuzz("JSON-RPC lines (20 each)", 60, |mutator| {
        for _ in 0..AT_ONCE {
            let lines: Vec<&[u8]> = LINES.iter().map(|line| line.as_bytes()).collect();
            let line = mutator.bytes(&lines);
            // A handshake would begin a new conversation.
            if !line.windows(10).any(|part| part == b"initialize") {
                server.send(&line);
            }
        }
        number += 1;
        let id = format!("alive{number}");
        server.send(format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"ping"}}"#).as_bytes());
        server.until(&id);
    });
    drop(server.input);
    assert_eq!(server.child.wait().expect("ended").code(), Some(0));
}

#[test]
fn fuzz_bodies_of_http() {
    let place = Place::new();
    drop(place.store());
    let mut child = command(&place, &["--json", "serve", "--http", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("started");
    let mut said = BufReader::new(child.stdout.take().expect("a pipe"));
    let address = loop {
        let mut line = String::new();
        assert!(said.read_line(&mut line).expect("a line") > 0, "it ended");
        if let Some((_, rest)) = line.split_once("http://") {
            let end = rest.find(|it: char| !(it.is_ascii_digit() || ".:".contains(it)));
            break rest[..end.unwrap_or(rest.len())].to_owned();
        }
    };
    mutate::fuzz("HTTP bodies", 300, |mutator| {
        let body = mutator.text(LINES).into_bytes();
        for path in ["/mcp", "/"] {
            let answer = post(&address, path, &body);
            assert!(answer.starts_with("HTTP/1.1 "), "{path}: {answer:?}");
            assert!(!answer.starts_with("HTTP/1.1 500"), "{path}: {answer}");
        }
    });
    assert!(child.try_wait().expect("asked").is_none(), "it lives");
    child.kill().expect("killed");
    child.wait().expect("ended");
}

fn post(address: &str, path: &str, body: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).expect("connected");
    let limit = Some(Duration::from_secs(30));
    stream.set_read_timeout(limit).expect("set");
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).expect("sent");
    stream.write_all(body).expect("sent");
    let mut answer = Vec::new();
    // A stream of events may stay open; its beginning is enough.
    let mut piece = [0; 4096];
    while answer.len() < 64 * 1024 {
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => break,
            Ok(count) => answer.extend_from_slice(&piece[..count]),
        }
    }
    String::from_utf8_lossy(&answer).into_owned()
}
