//! Who is served over HTTP: the user who runs the server, and with which session.

use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};

use crate::http_server::{HttpServer, JSON_HEADERS, initialize};
use crate::sample;

/// A user who exists on every system and runs nothing.
const NOBODY: &str = "65534";

const LISTING: &str = r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}"#;

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().expect("id");
    id.stdout == b"0\n"
}

/// What bash reads from the server after it wrote a request, as another user. With `leave`, it is gone
/// before the server can look who it was.
fn as_another_user(server: &HttpServer, method: &str, path: &str, leave: bool) -> String {
    let port = server.address.port();
    let body = if method == "POST" { LISTING } else { "" };
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\nconnection: close\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    let then = if leave { "exec 3>&-" } else { "cat <&3" };
    let text = format!("exec 3<>/dev/tcp/127.0.0.1/{port}; printf %s \"$REQUEST\" >&3; {then}");
    let output = Command::new("setpriv")
        .args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"])
        .args(["bash", "-c", &text])
        .env("REQUEST", request)
        .stdin(Stdio::null())
        .output()
        .expect("setpriv");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn another_user_of_the_machine_is_not_served() {
    if !is_root() {
        // Only root can become another user.
        return;
    }
    let sample = sample::filled();
    let server = HttpServer::start(sample.folder.path());
    for (method, path) in [
        ("POST", "/"),
        ("POST", "/mcp"),
        ("POST", "/mcp/all"),
        ("POST", "/mcp/session/focus-2-sample"),
        ("GET", "/mcp"),
        ("GET", "/metrics"),
        ("GET", "/ready"),
    ] {
        let answer = as_another_user(&server, method, path, false);
        assert!(answer.starts_with("HTTP/1.1 403"), "{path}: {answer}");
        let body = answer.split("\r\n\r\n").nth(1).unwrap_or_default();
        let error: Json = serde_json::from_str(body).expect("JSON");
        assert_eq!(error["error"]["error_type"], "UserNotAllowed", "{answer}");
        assert!(error["error"]["hint"].is_string(), "{answer}");
    }
    let health = as_another_user(&server, "GET", "/health", false);
    assert!(health.starts_with("HTTP/1.1 200"), "{health}");
    // A client that leaves before it is looked at is nobody, and nothing happens for it.
    for _ in 0..20 {
        as_another_user(&server, "POST", "/", true);
    }
    let metrics = server.get("/metrics").body;
    let served = |line: &&str| {
        line.starts_with("windlass_http_requests_total") && line.contains("route=\"/\"")
    };
    for line in metrics.lines().filter(served) {
        assert!(line.contains("status=\"403\""), "{line}");
    }
    // The user who runs it is served, on one connection as often as wanted.
    let answer = server.ask("POST", "/", &JSON_HEADERS, LISTING);
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[test]
fn with_a_token_other_users_are_served_too() {
    if !is_root() {
        return;
    }
    let sample = sample::empty();
    let variables = [("WINDLASS_HTTP_TOKEN", "secret")];
    let server = HttpServer::start_with(sample.folder.path(), &[], &variables);
    let answer = as_another_user(&server, "POST", "/", false);
    assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
}

/// Where the table of connections cannot be read, the server makes a token.
#[test]
fn without_a_view_of_users_a_token_is_made() {
    let hide = "mount -t tmpfs none /proc";
    let possible = Command::new("unshare")
        .args(["--mount", "sh", "-c", hide])
        .stderr(Stdio::null())
        .status();
    if !possible.is_ok_and(|status| status.success()) {
        // Only root can hide it.
        return;
    }
    let sample = sample::empty();
    let runtime = sample.config.path().join("runtime");
    let mut hidden = Command::new("unshare");
    hidden
        .args(["--mount", "sh", "-c"])
        .arg(format!("{hide} && exec \"$0\" \"$@\""))
        .arg(env!("CARGO_BIN_EXE_windlass"))
        .arg("--cwd")
        .arg(sample.folder.path())
        .env("XDG_RUNTIME_DIR", &runtime);
    let server = HttpServer::of(hidden, &[], &[]);
    let file = runtime.join(format!("windlass/http-{}.token", server.address.port()));
    assert_eq!(server.started["token_file"], json!(file));
    let token = std::fs::read_to_string(&file).expect("a token");
    let refused = server.ask("POST", "/", &JSON_HEADERS, LISTING);
    assert_eq!(refused.status, 401, "{refused:?}");
    let bearer = format!("Bearer {}", token.trim());
    let mut headers = JSON_HEADERS.to_vec();
    headers.push(("authorization", &bearer));
    assert_eq!(server.ask("POST", "/", &headers, LISTING).status, 200);
    drop(server);
}

#[test]
fn a_session_id_works_only_where_it_began() {
    let sample = sample::filled();
    let server = HttpServer::start(sample.folder.path());
    let listing: Json = serde_json::from_str(LISTING).expect("JSON");
    let paths = [
        "/mcp",
        "/mcp/all",
        "/mcp/knowledge",
        "/mcp/session/focus-2-sample",
    ];
    let sessions = paths.map(|path| (path, server.initialize(path)));
    for (began, session) in &sessions {
        for path in paths {
            let status = server.legacy(path, Some(session), &listing).status;
            let expected = if path == *began { 200 } else { 404 };
            assert_eq!(status, expected, "a session of {began} at {path}");
            if path != *began {
                let headers = [("host", "localhost"), ("mcp-session-id", session.as_str())];
                let ended = server.ask("DELETE", path, &headers, "").status;
                assert_eq!(ended, 404, "a session of {began} ended at {path}");
                let mut headers = headers.to_vec();
                headers.push(("accept", "text/event-stream"));
                assert_eq!(server.ask("GET", path, &headers, "").status, 404);
            }
        }
        assert_eq!(server.legacy(began, Some(session), &listing).status, 200);
    }
    // The order of toolsets makes no other endpoint.
    let both = server.initialize("/mcp/knowledge,plan");
    let answer = server.legacy("/mcp/plan,knowledge", Some(&both), &listing);
    assert_eq!(answer.status, 200);
    assert_eq!(server.legacy("/mcp", None, &initialize()).status, 200);
}

/// Resources are readable under every session, but nothing secret is among them.
#[test]
fn resources_of_a_session_hold_no_secrets() {
    let sample = sample::filled();
    sample
        .store()
        .write(&sample::origin(), |writer| {
            let discipline =
                writer.by_name("name", windlass_core::EntityType::Discipline, "backend")?;
            let servers = json!({"mcp_servers": [{"name": "ui", "command": "npx",
                "env": {"UI_KEY": "s3cr3t-value"}}]});
            let patch = windlass_core::Patch {
                properties: servers.as_object().cloned().unwrap_or_default(),
                ..windlass_core::Patch::default()
            };
            writer.update(&discipline.id, &patch, windlass_core::Dialect::Plan)
        })
        .expect("updated");
    let server = HttpServer::start(sample.folder.path());
    let path = "/mcp/session/focus-2-sample";
    let session = server.initialize(path);
    for uri in [
        "windlass://disciplines/backend",
        "windlass://disciplines",
        "windlass://entities",
        "windlass://entities/discipline",
        "windlass://entity/10",
        "windlass://graph",
    ] {
        let read =
            json!({"jsonrpc": "2.0", "id": 5, "method": "resources/read", "params": {"uri": uri}});
        let answer = server.legacy(path, Some(&session), &read).json();
        let text = answer["result"]["contents"][0]["text"].as_str();
        let text = text.unwrap_or_else(|| panic!("{uri}: {answer}"));
        assert!(!text.contains("s3cr3t"), "{uri}: {text}");
        serde_json::from_str::<Json>(text).expect("JSON");
    }
    let read = json!({"jsonrpc": "2.0", "id": 5, "method": "resources/read",
        "params": {"uri": "windlass://disciplines/backend"}});
    let answer = server
        .legacy(path, Some(&session), &read)
        .json()
        .to_string();
    assert!(
        answer.contains("UI_KEY") && answer.contains("(hidden)"),
        "{answer}"
    );
}
