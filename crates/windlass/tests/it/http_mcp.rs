//! MCP over HTTP by hand: sessions, sockets and streams.

use serde_json::{Value as Json, json};

use crate::http_server::{Answer, EventStream, HttpServer, MCP_HEADERS, head, initialize};
use crate::sample;

const MODERN: [(&str, &str); 4] = [
    MCP_HEADERS[0],
    MCP_HEADERS[1],
    MCP_HEADERS[2],
    ("mcp-protocol-version", "2026-07-28"),
];

pub fn call(tool: &str, arguments: Json) -> Json {
    let params = json!({"name": tool, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params})
}

/// The text of a request since 2026-07-28.
fn modern(method: &str, mut params: Json) -> (Vec<(&'static str, String)>, String) {
    let named = params["name"].as_str().or(params["taskId"].as_str());
    let name = named.map(str::to_owned);
    let key = "io.modelcontextprotocol/clientCapabilities";
    let capabilities = match &params["_meta"][key] {
        Json::Null => json!({}),
        given => given.clone(),
    };
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        key: capabilities,
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

pub fn stream_modern(server: &HttpServer, path: &str, method: &str, params: Json) -> EventStream {
    let (headers, body) = modern(method, params);
    let headers: Vec<(&str, &str)> = headers.iter().map(|(a, b)| (*a, b.as_str())).collect();
    EventStream::open(server, &head("POST", path, &headers, &body, "keep-alive"))
}

/// A session on record has its own tools by its own URL, in both eras, and none once it has ended.
#[test]
fn a_session_on_record_sees_its_own_tools() {
    let sample = sample::filled();
    let server = HttpServer::start(sample.folder.path());
    let path = "/mcp/session/focus-2-sample";
    let listing = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/list"});
    let names = |listed: &Json| -> Vec<String> {
        let tools = listed["result"]["tools"].as_array().expect("tools").iter();
        tools
            .map(|tool| tool["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    let words = [
        "begin", "done", "partial", "stuck", "ask", "flag", "learned", "suggest", "blocked",
    ];
    let session = server.initialize(path);
    let listed = server.legacy(path, Some(&session), &listing).json();
    assert_eq!(names(&listed), words);
    let modern = ask_modern(&server, path, "tools/list", json!({})).json();
    assert_eq!(names(&modern), words);
    let params = json!({"name": "entity_create", "arguments": {"type": "note", "title": "x"}});
    let refused = ask_modern(&server, path, "tools/call", params).json();
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let params = json!({"name": "stuck", "arguments": {"reason": "No key"}});
    let said = ask_modern(&server, path, "tools/call", params).json();
    assert_eq!(said["result"]["structuredContent"]["task_id"], 2, "{said}");
    // The socket of everyone else is not narrowed by it.
    let everyone = ask_modern(&server, "/mcp", "tools/list", json!({})).json();
    assert!(names(&everyone).contains(&"entity_create".to_owned()));
    let ended = server.call("session_end", json!({"id": "focus-2-sample"}));
    assert_eq!(
        ended["result"]["structuredContent"]["closing"], "stuck",
        "{ended}"
    );
    let gone = ask_modern(&server, path, "tools/list", json!({}));
    assert_eq!(gone.status, 410);
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

/// Metadata of the protocol that nobody knows sends a call through the library; other reads are
/// answered before it.
#[test]
fn both_ways_of_a_call_answer_the_same() {
    let sample = sample::filled();
    let server = HttpServer::start(sample.folder.path());
    let session = server.initialize("/mcp");
    let unknown = "io.modelcontextprotocol/unknown";
    for (tool, id) in [("entity_get", "1"), ("entity_get", "4711")] {
        let params = json!({"name": tool, "arguments": {"id": id}});
        let mut message = call(tool, params["arguments"].clone());
        let quick = server.legacy("/mcp", Some(&session), &message);
        message["params"]["_meta"] = json!({ unknown: 1 });
        let usual = server.legacy("/mcp", Some(&session), &message);
        alike(&quick, &usual);

        let (headers, body) = modern("tools/call", params);
        let headers: Vec<(&str, &str)> = headers.iter().map(|(a, b)| (*a, b.as_str())).collect();
        let mut message: Json = serde_json::from_str(&body).expect("JSON");
        let quick = server.ask("POST", "/mcp", &headers, &body);
        message["params"]["_meta"][unknown] = json!(1);
        let usual = server.ask("POST", "/mcp", &headers, &message.to_string());
        alike(&quick, &usual);
    }
    // What the library refuses is still refused by it.
    let (headers, body) = modern("tools/call", json!({"name": "entity_get", "arguments": {}}));
    let wrong: Vec<(&str, &str)> = headers
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .map(|(name, value)| {
            (
                name,
                if name == "mcp-name" {
                    "task_next"
                } else {
                    value
                },
            )
        })
        .collect();
    assert_eq!(server.ask("POST", "/mcp", &wrong, &body).status, 400);
}

fn alike(quick: &Answer, usual: &Answer) {
    assert_eq!(quick.status, usual.status);
    assert_eq!(quick.json(), usual.json());
    for name in ["content-type", "cache-control", "x-accel-buffering"] {
        assert_eq!(quick.header(name), usual.header(name), "{name}");
    }
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
    // A session that is not on record serves nothing, in either era.
    for path in ["/mcp/session/anyone", "/mcp/session/focus-2-sampl"] {
        assert_eq!(
            ask_modern(&server, path, "tools/list", json!({})).status,
            404
        );
        let answer = server.legacy(path, None, &initialize());
        assert_eq!(answer.status, 404);
        let error = answer.json()["error"].clone();
        assert_eq!(error["error_type"], "SessionNotFound", "{error}");
        assert!(
            error["hint"].as_str().is_some_and(|hint| !hint.is_empty()),
            "{error}"
        );
    }
    assert!(names("/mcp/all").contains(&json!("run_create")));
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
    let (refused, claim) = owner("/mcp", &first, "6");
    assert!(!refused, "{claim}");
    let (renewed, again) = owner("/mcp", &first, "6");
    assert!(
        !renewed && again["renewed"] == true,
        "the same client: {again}"
    );
    let (refused, other) = owner("/mcp", &second, "6");
    assert!(refused && other["error_type"] == "TaskClaimed", "{other}");

    // Since 2026-07-28 the URL is what tells clients apart.
    let session = "focus-2-sample";
    let path = format!("/mcp/session/{session}");
    let params = json!({"name": "stuck", "arguments": {"reason": "It is night"}});
    let made = ask_modern(&server, &path, "tools/call", params);
    assert_eq!(made.status, 200, "{made:?}");
    let events = server.call("event_list", json!({}));
    let events = events["result"]["structuredContent"]["events"].clone();
    let by_night = events.as_array().expect("events").iter();
    let count = by_night.filter(|event| event["session"] == session).count();
    assert!(count > 0, "{events}");
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

/// News that no one reads pile up until nothing more fits. The others must not wait for that.
#[test]
fn a_client_that_does_not_read_its_news_is_forgotten() {
    let sample = sample::empty();
    let server = HttpServer::start(sample.folder.path());
    let long = "x".repeat(1500);
    let uris: Vec<String> = (0..2000)
        .map(|at| format!("windlass://entities/note?tag={at}-{long}"))
        .collect();
    let wanted = json!({"notifications": {"resourceSubscriptions": uris}});
    let mut stuck = stream_modern(&server, "/mcp", "subscriptions/listen", wanted);
    let first = stuck.next().expect("the beginning");
    let accepted = &first["params"]["notifications"]["resourceSubscriptions"];
    assert_eq!(accepted.as_array().map(Vec::len), Some(2000));

    let uri = "windlass://entities/note";
    let wanted = json!({"notifications": {"resourceSubscriptions": [uri]}});
    let mut healthy = stream_modern(&server, "/mcp", "subscriptions/listen", wanted);
    healthy.next().expect("the beginning");
    for at in 0..8 {
        server.call(
            "entity_create",
            json!({"type": "note", "title": format!("News {at}")}),
        );
        assert_eq!(healthy.next().expect("news")["params"]["uri"], uri, "{at}");
    }
    server.wait_for_log("a client does not read its notifications");
}

/// A client that declares the extension is answered with a task.
#[test]
fn a_run_is_a_task_for_clients_that_know_tasks() {
    let sample = sample::filled();
    let server = HttpServer::start(sample.folder.path());
    let declared = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let ask = |method: &str, mut params: Json| {
        params["_meta"] = json!({"io.modelcontextprotocol/clientCapabilities": declared});
        let answer = ask_modern(&server, "/mcp/all", method, params).json();
        assert!(answer["result"].is_object(), "{answer}");
        answer["result"].clone()
    };
    let call = json!({"name": "run_execute", "arguments": {"runId": "run-2"}});
    let task = ask("tools/call", call);
    assert_eq!(task["resultType"], "task", "{task}");
    let id = task["taskId"].as_str().expect("an id").to_owned();
    let begin = std::time::Instant::now();
    let done = loop {
        let state = ask("tasks/get", json!({"taskId": id}));
        if state["status"] != "working" {
            break state;
        }
        assert!(begin.elapsed() < crate::http_server::LIMIT, "{state}");
    };
    assert_eq!(done["status"], "completed", "{done}");
    let result = &done["result"]["structuredContent"];
    assert_eq!(result["status"], "success", "{done}");
    let plain = ask_modern(
        &server,
        "/mcp/all",
        "tools/call",
        json!({"name": "playbook_run", "arguments": {"id": "hello-world"}}),
    );
    let plain = &plain.json()["result"];
    assert_eq!(plain["structuredContent"]["status"], "success", "{plain}");
}

#[cfg(not(feature = "conformance"))]
#[test]
fn what_only_the_conformance_suite_calls_is_not_shipped() {
    let suite = include_str!("../../src/surface/http/fixture/conformance.json");
    let tool = "test_error_handling";
    assert!(suite.contains(tool));
    let binary = std::fs::read(env!("CARGO_BIN_EXE_windlass")).expect("the binary");
    assert!(memchr::memmem::find(&binary, b"entity_create").is_some());
    assert!(memchr::memmem::find(&binary, tool.as_bytes()).is_none());
}
