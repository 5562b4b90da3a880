//! The plain JSON-RPC endpoint of the runs contract, and what monitors ask.

use std::sync::mpsc::channel;

use serde_json::{Value as Json, json};
use windlass_ops::{Audience, OPERATIONS};

use crate::http_server::{HttpServer, JSON_HEADERS};
use crate::sample;

#[test]
fn tools_are_listed_and_called_as_the_seed_says() {
    let sample = sample::filled();
    let server = HttpServer::start(sample.folder.path());
    let request = |method: &str, params: Json| {
        let call = json!({"jsonrpc": "2.0", "id": "x", "method": method, "params": params});
        let answer = server.plain(&call);
        assert_eq!(answer.status, 200, "{answer:?}");
        let body = answer.json();
        assert_eq!(
            (&body["jsonrpc"], &body["id"]),
            (&json!("2.0"), &json!("x"))
        );
        body
    };
    let listed = request("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().expect("tools");
    let everything = OPERATIONS.iter().map(|entry| &entry.declaration);
    for declaration in everything.filter(|it| it.audience == Audience::Anyone) {
        // The runs contract names its own tools with a dot.
        let name = match declaration.toolset.name() {
            "runs" => declaration.name.replacen('_', ".", 1),
            toolset if declaration.name == "list_tasks" => format!("{toolset}_list_tasks"),
            _ => declaration.name.to_owned(),
        };
        assert!(tools.iter().any(|tool| tool["name"] == name), "{name}");
    }
    assert_eq!(tools[0]["inputSchema"]["type"], "object");

    for params in [
        json!({"tool": "entity_get", "arguments": {"id": "1"}}),
        json!({"name": "entity_get", "arguments": {"id": "1"}}),
        json!({"tool": "entity.get", "arguments": {"id": "1"}}),
    ] {
        let result = &request("tools/call", params)["result"];
        assert_eq!(result["content"][0]["type"], "text");
        let text = result["content"][0]["text"].as_str().expect("text");
        let entity: Json = serde_json::from_str(text).expect("JSON");
        assert_eq!(entity["title"], "Use PostgreSQL");
        assert_eq!(result["structuredContent"], entity);
        assert!(result.get("resultType").is_none(), "{result}");
    }
    let health = &request("health", json!(null))["result"];
    assert_eq!(
        (&health["status"], &health["contractVersion"]),
        (&json!("ok"), &json!("0.6.0"))
    );
}

#[test]
fn errors_are_those_of_json_rpc_and_of_the_tool() {
    let sample = sample::filled();
    let server = HttpServer::start(sample.folder.path());
    let missing = server.call("entity_get", json!({"id": "999"}));
    assert_eq!(missing["error"]["code"], -32001);
    assert_eq!(
        missing["error"]["message"],
        "Entity not found. Use entity_list or search_fulltext to find its number or id."
    );
    assert_eq!(missing["error"]["data"]["error_type"], "EntityNotFound");
    // A tool whose errors are results over MCP has a code here as well.
    let unclaimed = server.call("task_claim", json!({"id": "999"}));
    assert_eq!(unclaimed["error"]["code"], -32001, "{unclaimed}");
    let unknown = server.call("entity_gte", json!({}));
    assert_eq!(unknown["error"]["code"], -32602);
    assert_eq!(
        unknown["error"]["data"]["hint"],
        "Did you mean \"entity_get\"?"
    );
    let unknown = server.plain(&json!({"jsonrpc": "2.0", "id": 7, "method": "tools/lst"}));
    assert_eq!(unknown.status, 200);
    assert_eq!(unknown.json()["error"]["code"], -32601);
    assert_eq!(unknown.json()["id"], 7);
    for (body, code) in [
        ("{", -32700),
        ("[]", -32600),
        ("7", -32600),
        (r#"{"id": 1, "method": "health"}"#, -32600),
    ] {
        let answer = server.ask("POST", "/", &JSON_HEADERS, body);
        assert_eq!(answer.status, 400, "{body}");
        assert_eq!(answer.json()["error"]["code"], code, "{body}");
        assert_eq!(answer.json()["id"], Json::Null, "{body}");
    }
    let form = [("host", "localhost"), ("content-type", "text/plain")];
    let answer = server.ask("POST", "/", &form, "{}");
    assert_eq!(
        answer.status, 415,
        "a form of a web page is never taken for a request"
    );
}

#[test]
fn batches_are_answered_in_order_and_notifications_not_at_all() {
    let sample = sample::empty();
    let server = HttpServer::start(sample.folder.path());
    let create = |title: &str| {
        let arguments = json!({"type": "note", "title": title});
        json!({"tool": "entity_create", "arguments": arguments})
    };
    let batch = json!([
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": create("first")},
        {"jsonrpc": "2.0", "method": "tools/call", "params": create("second")},
        "nothing",
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
         "params": {"tool": "entity_get", "arguments": {"id": "2"}}},
    ]);
    let answers = server.plain(&batch).json();
    let answers = answers.as_array().expect("a batch");
    assert_eq!(answers.len(), 3, "{answers:?}");
    assert_eq!(answers[0]["result"]["structuredContent"]["title"], "first");
    assert_eq!(answers[1]["error"]["code"], -32600);
    assert_eq!(answers[2]["result"]["structuredContent"]["title"], "second");
    let note = json!({"jsonrpc": "2.0", "method": "tools/call", "params": create("third")});
    for silent in [note.clone(), json!([note])] {
        let answer = server.plain(&silent);
        assert_eq!((answer.status, answer.body.as_str()), (204, ""));
    }
    let list = server.call("entity_list", json!({"type": "note"}));
    assert_eq!(list["result"]["structuredContent"]["total"], 4);
    let many = Json::Array(vec![
        json!({"jsonrpc": "2.0", "id": 1, "method": "health"});
        101
    ]);
    assert_eq!(server.plain(&many).status, 400);
}

#[test]
fn reading_only_and_some_toolsets_only() {
    let sample = sample::empty();
    let options = ["--read-only", "--toolsets", "knowledge"];
    let server = HttpServer::start_with(sample.folder.path(), &options, &[]);
    let refused = server.call("entity_create", json!({"type": "note", "title": "x"}));
    assert_eq!(refused["error"]["data"]["error_type"], "UnknownTool");
    let read = server.call("entity_list", json!({}));
    assert_eq!(read["result"]["structuredContent"]["total"], 0);
}

#[test]
fn monitors_are_told_how_it_goes() {
    let sample = sample::filled();
    let server = HttpServer::start(sample.folder.path());
    let health = server.get("/health");
    assert_eq!(health.status, 200);
    assert_eq!(health.json()["name"], "windlass");
    let ready = server.get("/ready");
    assert_eq!(
        (ready.status, &ready.json()["status"]),
        (200, &json!("ready"))
    );
    assert_eq!(ready.json()["checks"]["database"]["ok"], true);
    assert!(ready.json()["checks"]["disk"]["free_bytes"].is_u64());

    server.call("entity_get", json!({"id": "1"}));
    server.call("entity_get", json!({"id": "999"}));
    server.call("made_up", json!({}));
    let session = server.initialize("/mcp");
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": {"name": "entity_get", "arguments": {"id": "1"}}});
    assert_eq!(server.legacy("/mcp", Some(&session), &call).status, 200);
    let page = server.get("/metrics");
    assert!(
        page.header("content-type")
            .expect("a type")
            .starts_with("application/openmetrics-text; version=1.0.0")
    );
    for line in [
        "windlass_tool_calls_total{tool=\"entity_get\",outcome=\"answered\"} 2",
        "windlass_tool_calls_total{tool=\"entity_get\",outcome=\"refused\"} 1",
        "windlass_tool_calls_total{tool=\"unknown\",outcome=\"refused\"} 1",
        "windlass_tool_call_duration_seconds_count{tool=\"entity_get\"} 3",
        "windlass_http_requests_total{method=\"POST\",route=\"/\",status=\"200\"} 3",
        "windlass_mcp_sessions 1",
        "windlass_entities{type=\"task\"} 4",
        "windlass_relations 2",
    ] {
        assert!(
            page.body.lines().any(|found| found == line),
            "{line} in {}",
            page.body
        );
    }
    let elsewhere = server.get("/nothing");
    assert_eq!(
        (elsewhere.status, &elsewhere.json()["error"]["error_type"]),
        (404, &json!("NotFound"))
    );
    assert_eq!(server.get("/mcp/session/x/y").status, 404);
    assert_eq!(server.ask("PUT", "/", &JSON_HEADERS, "{}").status, 405);
}

#[test]
fn a_database_that_cannot_be_written_is_not_ready() {
    let sample = sample::filled();
    let server = HttpServer::start(sample.folder.path());
    let (release, held) = channel::<()>();
    let store = sample.store();
    let (locked, is_locked) = channel();
    let holder = std::thread::spawn(move || {
        store.write(&sample::origin(), |_| {
            locked.send(()).expect("heard");
            // Until the answer is there.
            let _ = held.recv();
            Ok(())
        })
    });
    is_locked.recv().expect("locked");
    let answer = server.get("/ready");
    assert_eq!(answer.status, 503);
    assert_eq!(answer.json()["status"], "not_ready");
    assert_eq!(answer.json()["reasons"].as_array().map(Vec::len), Some(1));
    assert_eq!(server.get("/health").status, 200, "it lives");
    drop(release);
    holder.join().expect("no panic").expect("written");
    assert_eq!(server.get("/ready").status, 200);
}
