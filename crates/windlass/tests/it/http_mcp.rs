//! MCP over HTTP by hand: sessions, doors, streams, and the end of the server.

use std::io::Write as _;
use std::sync::mpsc::channel;
use std::thread;

use serde_json::{Value as Json, json};

use crate::http_server::{Answer, EventStream, HttpServer, MCP_HEADERS, head, initialize};
use crate::sample::{self, Sample};

const MODERN: [(&str, &str); 4] = [
    MCP_HEADERS[0],
    MCP_HEADERS[1],
    MCP_HEADERS[2],
    ("mcp-protocol-version", "2026-07-28"),
];

fn call(tool: &str, arguments: Json) -> Json {
    let params = json!({"name": tool, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params})
}

/// The text of a request since 2026-07-28.
fn modern(method: &str, mut params: Json) -> (Vec<(&'static str, String)>, String) {
    let name = params["name"].as_str().map(str::to_owned);
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let mut headers: Vec<(&str, String)> = MODERN
        .iter()
        .map(|(name, value)| (*name, (*value).to_owned()))
        .collect();
    headers.push(("mcp-method", method.to_owned()));
    headers.extend(name.map(|name| ("mcp-name", name)));
    let body = json!({"jsonrpc": "2.0", "id": 9, "method": method, "params": params});
    (headers, body.to_string())
}

fn ask_modern(server: &HttpServer, path: &str, method: &str, params: Json) -> Answer {
    let (headers, body) = modern(method, params);
    let headers: Vec<(&str, &str)> = headers.iter().map(|(a, b)| (*a, b.as_str())).collect();
    server.ask("POST", path, &headers, &body)
}

fn stream_modern(server: &HttpServer, path: &str, method: &str, params: Json) -> EventStream {
    let (headers, body) = modern(method, params);
    let headers: Vec<(&str, &str)> = headers.iter().map(|(a, b)| (*a, b.as_str())).collect();
    EventStream::open(server, &head("POST", path, &headers, &body, "keep-alive"))
}

#[test]
fn a_session_from_its_beginning_to_its_end() {
    let sample = sample::filled();
    let server = HttpServer::start(sample.folder.path());
    let session = server.initialize("/mcp");
    let answer = server.legacy(
        "/mcp",
        Some(&session),
        &call("entity_get", json!({"id": "1"})),
    );
    assert_eq!(
        answer.json()["result"]["structuredContent"]["title"],
        "Use PostgreSQL"
    );
    let listing = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/list"});
    assert_eq!(
        server.legacy("/mcp", None, &listing).status,
        400,
        "no session"
    );
    assert_eq!(server.legacy("/mcp", Some("made-up"), &listing).status, 404);
    let headers = [("host", "localhost"), ("mcp-session-id", session.as_str())];
    assert_eq!(server.ask("DELETE", "/mcp", &headers, "").status, 204);
    assert_eq!(server.legacy("/mcp", Some(&session), &listing).status, 404);
}

#[test]
fn what_is_no_message_is_answered_in_the_words_of_json_rpc() {
    let sample = sample::empty();
    let server = HttpServer::start(sample.folder.path());
    for (body, code) in [
        ("{", -32700),
        ("[]", -32600),
        (r#"[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]"#, -32600),
        (r#"{"method": "ping"}"#, -32600),
    ] {
        let answer = server.ask("POST", "/mcp", &MCP_HEADERS, body);
        assert_eq!(answer.status, 400, "{body}");
        assert_eq!(answer.json()["error"]["code"], code, "{body}: {answer:?}");
    }
    let text = [
        ("host", "localhost"),
        ("content-type", "text/plain"),
        MCP_HEADERS[2],
    ];
    assert_eq!(server.ask("POST", "/mcp", &text, "{}").status, 415);
}

#[test]
fn each_door_has_its_tools() {
    let sample = sample::empty();
    let server = HttpServer::start(sample.folder.path());
    let names = |path: &str| -> Vec<Json> {
        let listed = ask_modern(&server, path, "tools/list", json!({})).json();
        let tools = listed["result"]["tools"].as_array().expect("tools");
        tools.iter().map(|tool| tool["name"].clone()).collect()
    };
    let all = names("/mcp");
    assert!(all.contains(&json!("entity_create")));
    assert_eq!(names("/mcp/all"), names("/mcp/session/anyone"));
    let some = names("/mcp/knowledge");
    assert!(some.contains(&json!("entity_create")) && some.len() <= all.len());
    assert_eq!(names("/mcp/knowledge,all").len(), names("/mcp/all").len());
    let slip = server.legacy("/mcp/knowlege", None, &initialize());
    assert_eq!(slip.status, 404);
    let hint = slip.json()["error"]["hint"]
        .as_str()
        .expect("a hint")
        .to_owned();
    assert!(hint.contains("\"knowledge\""), "{hint}");
    let long = format!("/mcp/session/{}", "x".repeat(200));
    assert_eq!(server.legacy(&long, None, &initialize()).status, 404);
}

#[test]
fn every_client_works_under_a_name_of_its_own() {
    let sample = sample::filled();
    let server = HttpServer::start(sample.folder.path());
    let owner = |path: &str, session: &str, id: &str| {
        let answer = server.legacy(path, Some(session), &call("task_claim", json!({"id": id})));
        let result = answer.json()["result"].clone();
        (
            result["isError"] == true,
            result["structuredContent"].clone(),
        )
    };
    let (first, second) = (server.initialize("/mcp"), server.initialize("/mcp"));
    let (refused, claim) = owner("/mcp", &first, "2");
    assert!(!refused, "{claim}");
    let (renewed, again) = owner("/mcp", &first, "2");
    assert!(
        !renewed && again["renewed"] == true,
        "the same client: {again}"
    );
    let (refused, other) = owner("/mcp", &second, "2");
    assert!(refused && other["error_type"] == "TaskClaimed", "{other}");

    // Since 2026-07-28 the URL is what tells clients apart.
    let params =
        json!({"name": "entity_create", "arguments": {"type": "note", "title": "By night"}});
    let made = ask_modern(&server, "/mcp/session/night-shift", "tools/call", params);
    assert_eq!(made.status, 200, "{made:?}");
    let events = server.call("event_list", json!({}));
    let events = events["result"]["structuredContent"]["events"].clone();
    let by_night = events.as_array().expect("events").iter();
    let count = by_night
        .filter(|event| event["session"] == "night-shift")
        .count();
    assert_eq!(count, 1, "{events}");
}

#[test]
fn news_come_over_the_streams_of_both_eras() {
    let sample = sample::filled();
    let server = HttpServer::start(sample.folder.path());
    let uri = "windlass://entities/note";

    let session = server.initialize("/mcp");
    let subscribe =
        json!({"jsonrpc": "2.0", "id": 5, "method": "resources/subscribe", "params": {"uri": uri}});
    assert_eq!(
        server.legacy("/mcp", Some(&session), &subscribe).status,
        200
    );
    let headers = [
        ("host", "localhost"),
        ("accept", "text/event-stream"),
        ("mcp-session-id", session.as_str()),
    ];
    let mut old = EventStream::open(&server, &head("GET", "/mcp", &headers, "", "keep-alive"));

    let wanted = json!({"notifications": {"resourceSubscriptions": [uri]}});
    let mut new = stream_modern(&server, "/mcp", "subscriptions/listen", wanted);
    let first = new.next().expect("the beginning");
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged");

    server.call("entity_create", json!({"type": "note", "title": "News"}));
    for stream in [&mut old, &mut new] {
        let news = stream.next().expect("news");
        assert_eq!(news["method"], "notifications/resources/updated");
        assert_eq!(news["params"]["uri"], uri);
    }
    // A change of another process, through the file alone.
    let status = crate::http_server::command(sample.folder.path())
        .args(["add", "note", "From elsewhere"])
        .output()
        .expect("run")
        .status;
    assert!(status.success());
    for stream in [&mut old, &mut new] {
        assert_eq!(stream.next().expect("news")["params"]["uri"], uri);
    }
}

/// Holds the right to write, so that a write of the server cannot end before this does.
fn busy(sample: &Sample) -> impl FnOnce() {
    let (release, held) = channel::<()>();
    let (locked, is_locked) = channel();
    let store = sample.store();
    let holder = thread::spawn(move || {
        store.write(&sample::origin(), |_| {
            locked.send(()).expect("heard");
            let _ = held.recv();
            Ok(())
        })
    });
    is_locked.recv().expect("locked");
    move || {
        drop(release);
        holder.join().expect("no panic").expect("written");
    }
}

#[test]
fn the_end_lets_requests_finish_and_ends_streams() {
    let sample = sample::filled();
    let mut server = HttpServer::start(sample.folder.path());
    let session = server.initialize("/mcp");
    let headers = [
        ("host", "localhost"),
        ("accept", "text/event-stream"),
        ("mcp-session-id", session.as_str()),
    ];
    let mut old = EventStream::open(&server, &head("GET", "/mcp", &headers, "", "keep-alive"));
    let wanted = json!({"notifications": {"promptsListChanged": true}});
    let mut new = stream_modern(&server, "/mcp", "subscriptions/listen", wanted);
    new.next().expect("the beginning");

    let release = busy(&sample);
    let create = call(
        "entity_create",
        json!({"type": "note", "title": "In flight"}),
    );
    let mut in_flight = server.connect();
    let mut with_session = MCP_HEADERS.to_vec();
    with_session.push(("mcp-session-id", &session));
    let text = head(
        "POST",
        "/mcp",
        &with_session,
        &create.to_string(),
        "keep-alive",
    );
    in_flight.write_all(text.as_bytes()).expect("sent");
    server.wait_for_log("tool=\"entity_create\"} started");

    server.terminate();
    server.wait_for_log("Shutting down...");
    let end = new.next().expect("an orderly end");
    assert_eq!(end["id"], 9, "the request has its result: {end}");
    assert_eq!(new.next(), None);
    assert!(
        std::net::TcpStream::connect(server.address).is_err(),
        "no one new"
    );
    release();
    let answer = Answer::read(in_flight).json();
    assert_eq!(answer["result"]["structuredContent"]["title"], "In flight");
    assert_eq!(old.next(), None);
    assert_eq!(server.wait(), Some(0));
    assert!(!server.log().contains("ERROR"), "{}", server.log());
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let sample = sample::filled();
    let mut server = HttpServer::start(sample.folder.path());
    let release = busy(&sample);
    let create = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"tool": "entity_create", "arguments": {"type": "note", "title": "Too late"}}});
    let mut in_flight = server.connect();
    let text = head(
        "POST",
        "/",
        &crate::http_server::JSON_HEADERS,
        &create.to_string(),
        "close",
    );
    in_flight.write_all(text.as_bytes()).expect("sent");
    server.wait_for_log("tool=\"entity_create\"} started");
    server.terminate();
    server.wait_for_log("Shutting down...");
    server.terminate();
    assert_eq!(server.wait(), Some(0));
    assert!(server.log().contains("ended at once"), "{}", server.log());
    assert_eq!(Answer::read(in_flight).status, 0, "no answer");
    release();
    let (_, total) = sample
        .store()
        .read(None, |reader| {
            let page = windlass_core::Page {
                limit: 1,
                offset: 0,
            };
            reader.entities(&windlass_store::EntityFilter::default(), page)
        })
        .expect("read");
    assert_eq!(total, 5, "what was cut off never happened");
}

#[test]
fn jobs_end_with_the_server_and_who_waits_for_them_is_told() {
    let sample = sample::empty();
    let folder = sample.folder.path().canonicalize().expect("a folder");
    let makefile = folder.join("Makefile");
    std::fs::write(&makefile, "long:\n\t@sleep 600\n").expect("written");
    let allowlist = sample.config.path().join("windlass/allowlist.toml");
    std::fs::create_dir_all(allowlist.parent().expect("a folder")).expect("made");
    let entry = format!("[[entries]]\npath = {makefile:?}\nscope = \"File\"\n");
    std::fs::write(&allowlist, entry).expect("written");
    let config = sample.config.path().to_str().expect("a path");
    let mut server = HttpServer::start_with(&folder, &[], &[("XDG_CONFIG_HOME", config)]);
    let started = server.call("task_start", json!({"unique_name": "long"}));
    let pid = started["result"]["structuredContent"]["pid"].clone();
    assert!(pid.is_number(), "{started}");
    assert!(
        server
            .get("/metrics")
            .body
            .contains("windlass_jobs{state=\"running\"} 1")
    );

    let wait = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"tool": "task_wait", "arguments": {"pid": pid}}});
    let mut waiting = server.connect();
    let text = head(
        "POST",
        "/",
        &crate::http_server::JSON_HEADERS,
        &wait.to_string(),
        "close",
    );
    waiting.write_all(text.as_bytes()).expect("sent");
    server.wait_for_log("tool=\"task_wait\"} started");
    server.terminate();
    let answer = Answer::read(waiting).json();
    assert!(answer["result"].is_object(), "{answer}");
    assert_eq!(server.wait(), Some(0), "{}", server.log());
    let process = std::path::PathBuf::from(format!("/proc/{pid}"));
    assert!(!process.exists(), "{pid} still runs");
}
