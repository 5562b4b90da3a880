//! Who is let in, and what a client can do to the others.

use std::fmt::Write as _;
use std::io::Write as _;

use serde_json::json;

use crate::http_server::{HttpServer, JSON_HEADERS, MCP_HEADERS, command, initialize};
use crate::sample;

const MIB: usize = 1024 * 1024;

#[test]
fn names_and_web_pages_are_checked_on_every_path() {
    let sample = sample::empty();
    let options = [
        "--allow-host",
        "box.example",
        "--allow-origin",
        "https://tools.example",
    ];
    let server = HttpServer::start_with(sample.folder.path(), &options, &[]);
    for path in [
        "/health",
        "/ready",
        "/metrics",
        "/mcp",
        "/mcp/knowledge",
        "/nothing",
    ] {
        let evil = server.ask("GET", path, &[("host", "evil.example")], "");
        assert_eq!(evil.status, 403, "{path}");
        assert_eq!(evil.json()["error"]["error_type"], "HostNotAllowed");
        let headers = [("host", "localhost"), ("origin", "http://evil.example")];
        let evil = server.ask("GET", path, &headers, "");
        assert_eq!(evil.status, 403, "{path}");
        assert_eq!(evil.json()["error"]["error_type"], "OriginNotAllowed");
    }
    for headers in [
        &[("host", "localhost:3002")][..],
        &[("host", "[::1]")],
        &[("host", "box.example:80")],
        &[("host", "127.0.0.1"), ("origin", "http://localhost:6274")],
        &[("host", "127.0.0.1"), ("origin", "https://tools.example")],
    ] {
        assert_eq!(
            server.ask("GET", "/health", headers, "").status,
            200,
            "{headers:?}"
        );
    }
    assert_ne!(
        server.raw(b"GET /health HTTP/1.0\r\n\r\n").status,
        200,
        "no name at all"
    );
    let absolute =
        b"GET http://evil.example/health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    assert_eq!(server.raw(absolute).status, 403);
}

#[test]
fn a_token_is_asked_for_and_never_logged() {
    let sample = sample::filled();
    let variables = [
        ("WINDLASS_HTTP_TOKEN", "correct-horse"),
        ("WINDLASS_LOG_LEVEL", "trace"),
    ];
    let mut server = HttpServer::start_with(sample.folder.path(), &[], &variables);
    assert_eq!(server.get("/health").status, 200, "life is no secret");
    for path in ["/ready", "/metrics", "/mcp"] {
        let answer = server.get(path);
        assert_eq!(answer.status, 401, "{path}");
        assert_eq!(
            answer.header("www-authenticate"),
            Some("Bearer realm=\"windlass\"")
        );
    }
    let with = |token: &str| {
        let headers = [("host", "localhost"), ("authorization", token)];
        server.ask("GET", "/ready?token=in-the-query", &headers, "")
    };
    let wrong = with("Bearer wrong-horse");
    assert_eq!(wrong.status, 401);
    assert!(
        wrong
            .header("www-authenticate")
            .expect("a challenge")
            .contains("invalid_token")
    );
    assert_eq!(with("Bearer correct-horse").status, 200);
    let mut headers = MCP_HEADERS.to_vec();
    headers.push(("authorization", "Bearer correct-horse"));
    let answer = server.ask("POST", "/mcp", &headers, &initialize().to_string());
    assert_eq!(answer.status, 200);
    server.terminate();
    assert_eq!(server.wait(), Some(0));
    let log = server.log();
    assert!(log.contains("path=\"/ready\" status=401"), "{log}");
    for secret in ["horse", "in-the-query"] {
        assert!(!log.contains(secret), "{log}");
    }
}

#[test]
fn where_others_can_reach_it_nothing_starts_without_a_token() {
    let sample = sample::empty();
    let project = sample.folder.path();
    let output = command(project)
        .args(["serve", "--http", "0.0.0.0:0"])
        .output()
        .expect("run");
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("no token is set"), "{said}");
    assert!(said.contains("WINDLASS_HTTP_TOKEN"), "{said}");

    std::fs::write(project.join("token"), "from-a-file\n").expect("written");
    let options = ["--http", "0.0.0.0:0", "--token-file", "token"];
    let server = HttpServer::start_with(project, &options, &[]);
    let ask = |headers: &[(&str, &str)]| server.ask("GET", "/ready", headers, "").status;
    assert_eq!(ask(&[("host", "any.name.example")]), 401);
    let token = ("authorization", "Bearer from-a-file");
    assert_eq!(ask(&[("host", "any.name.example"), token]), 200);
    let page = ("origin", "http://evil.example");
    assert_eq!(ask(&[("host", "any.name.example"), token, page]), 403);
}

#[test]
fn an_address_that_cannot_be_had_is_an_error_with_a_hint() {
    let sample = sample::empty();
    let server = HttpServer::start(sample.folder.path());
    let taken = server.address.to_string();
    for (address, message, hint) in [
        (taken.as_str(), "the port is in use", "another port"),
        ("nonsense", "is not an address", "127.0.0.1:3002"),
        ("192.0.2.1:80", "no interface of this machine", "127.0.0.1"),
    ] {
        let output = command(sample.folder.path())
            .args(["serve", "--http", address])
            .output()
            .expect("run");
        assert_eq!(output.status.code(), Some(3), "{address}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(message) && said.contains(hint), "{said}");
    }
}

#[test]
fn bodies_have_a_limit_however_they_come() {
    let sample = sample::empty();
    let server = HttpServer::start(sample.folder.path());
    let too_long = " ".repeat(4 * MIB + 1);
    for (path, headers) in [("/", &JSON_HEADERS[..]), ("/mcp", &MCP_HEADERS[..])] {
        let answer = server.ask("POST", path, headers, &too_long);
        assert_eq!(answer.status, 413, "{path}");
        assert_eq!(answer.json()["error"]["error_type"], "PayloadTooLarge");
        let mut request =
            format!("POST {path} HTTP/1.1\r\nconnection: close\r\ntransfer-encoding: chunked\r\n");
        for (name, value) in headers {
            let _ = write!(request, "{name}: {value}\r\n");
        }
        let _ = write!(
            request,
            "\r\n{:x}\r\n{too_long}\r\n0\r\n\r\n",
            too_long.len()
        );
        assert_eq!(
            server.raw(request.as_bytes()).status,
            413,
            "{path} in chunks"
        );
    }
    let title = "x".repeat(500);
    let padded = format!(
        "{}{}",
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"tool": "entity_create", "arguments": {"type": "note", "title": title}}}),
        " ".repeat(3 * MIB)
    );
    assert_eq!(server.ask("POST", "/", &JSON_HEADERS, &padded).status, 200);
}

#[test]
fn clients_that_dawdle_hold_up_no_one() {
    let sample = sample::filled();
    let server = HttpServer::start(sample.folder.path());
    let mut slow = Vec::new();
    for index in 0..100 {
        let mut stream = server.connect();
        let begun: &[u8] = match index % 3 {
            0 => b"",
            1 => b"POST /mcp HTTP/1.1\r\nhost: local",
            _ => b"POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{",
        };
        stream.write_all(begun).expect("sent");
        slow.push(stream);
    }
    let answer = server.call("entity_get", json!({"id": "1"}));
    assert_eq!(
        answer["result"]["structuredContent"]["title"],
        "Use PostgreSQL"
    );
    drop(slow);
    assert_eq!(server.get("/ready").status, 200);
}

#[test]
fn garbage_is_answered_or_closed() {
    let sample = sample::empty();
    let server = HttpServer::start(sample.folder.path());
    for garbage in [
        &b"\x16\x03\x01\x02\x00"[..],
        b"nonsense\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
    ] {
        let answer = server.raw(garbage);
        assert!([0, 400, 505].contains(&answer.status), "{answer:?}");
    }
    let head = format!(
        "GET /health HTTP/1.1\r\nhost: localhost\r\nx: {}\r\n\r\n",
        "y".repeat(MIB)
    );
    assert_ne!(server.raw(head.as_bytes()).status, 200);
    assert_eq!(server.get("/health").status, 200);
}
