//! Tools: listing and calling.

use serde_json::{Value as Json, json};

use super::super::fixture;
use super::Client;

#[tokio::test]
async fn a_tool_answers_twice() {
    let mut client = Client::initialized().await;
    let answer = client.call("echo", "hello").await;
    assert_eq!(
        answer,
        json!({
            "jsonrpc": "2.0",
            "id": 1,
            "result": {
                "content": [{ "type": "text", "text": "{\"text\":\"hello\"}" }],
                "structuredContent": { "text": "hello" },
                "isError": false,
            },
        })
    );
    assert_eq!(client.end().await, Vec::<Json>::new());
}

#[tokio::test]
async fn errors_have_the_style_of_the_tool() {
    let mut client = Client::initialized().await;
    let answer = client.call("fails", "7").await;
    assert_eq!(answer["error"]["code"], -32001);
    assert_eq!(answer["error"]["data"]["error_type"], "EntityNotFound");
    let answer = client.call("fails_softly", "7").await;
    assert_eq!(answer["result"]["isError"], true);
    let structured = &answer["result"]["structuredContent"];
    let hint = "Use `windlass list` or `windlass search` to find its number or id.";
    assert_eq!(structured["message"], format!("Entity 7 not found. {hint}"));
    assert_eq!(structured["hint"], hint);
    let answer = client.call("ecko", "").await;
    assert_eq!(answer["error"]["code"], -32602);
    assert_eq!(answer["error"]["data"]["hint"], "Did you mean \"echo\"?");
    let params = json!({ "name": "echo", "arguments": { "txt": 1 } });
    let answer = client.request("tools/call", params).await;
    assert_eq!(answer["error"]["code"], -32602);
    assert_eq!(answer["error"]["data"]["field"], "txt");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_that_panics_takes_no_one_with_it() {
    let mut client = Client::initialized().await;
    for tool in ["read_panic", "write_panic"] {
        let answer = client.call(tool, "").await;
        assert_eq!(answer["error"]["code"], -32011, "{tool}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.starts_with("The operation panicked. "), "{message}");
    }
    let answer = client.call("echo", "still here").await;
    assert_eq!(answer["result"]["structuredContent"]["text"], "still here");
}

#[tokio::test]
async fn operations_know_the_session_and_the_request() {
    let mut client = Client::initialized().await;
    let answer = client
        .request(
            "tools/call",
            json!({
                "name": "session",
                "arguments": { "text": "" },
                "_meta": { "windlass/correlationId": "c-1" },
            }),
        )
        .await;
    assert_eq!(
        answer["result"]["structuredContent"]["text"],
        "a-session Some(\"c-1\")"
    );
}

#[tokio::test]
async fn a_request_that_is_called_off_has_no_answer() {
    let mut client = Client::initialized().await;
    client
        .send(r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"endless","arguments":{"text":""}}}"#)
        .await;
    client
        .send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#)
        .await;
    let answer = client.call("echo", "next").await;
    assert_eq!(answer["id"], 1);
    assert_eq!(client.end().await, Vec::<Json>::new());
}

#[tokio::test]
async fn the_list_of_tools_is_that_of_the_catalogue() {
    let mut client = Client::initialized().await;
    let answer = client.request("tools/list", json!({})).await;
    let tools = answer["result"]["tools"].as_array().unwrap();
    let names: Vec<_> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, fixture::NAMES);
    assert_eq!(tools[0]["description"], "Text that comes back.");
    assert_eq!(tools[0]["inputSchema"]["type"], "object");
    assert!(tools[0].get("outputSchema").is_none());
    let answer = client
        .request("tools/list", json!({ "cursor": "50" }))
        .await;
    assert_eq!(answer["error"]["code"], -32602);
}

/// A change waits for the disk on a thread of its own.
#[tokio::test]
async fn a_change_does_not_hold_up_others_and_has_no_answer_once_it_is_called_off() {
    let mut client = Client::initialized().await;
    let change = |id: u32| {
        json!({
            "jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": { "name": "write_slowly", "arguments": { "text": "stored" } },
        })
    };
    for id in [5, 6] {
        client.send(&change(id).to_string()).await;
    }
    client
        .send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#)
        .await;
    assert_eq!(client.call("echo", "next").await["id"], 1);
    let rest = client.end().await;
    assert_eq!(rest.len(), 1, "{rest:?}");
    assert_eq!(rest[0]["id"], 6);
    assert_eq!(rest[0]["result"]["structuredContent"]["text"], "stored");
}

/// A batch goes through the library, a single call of a read or of a change does not.
#[tokio::test]
async fn both_ways_of_a_call_write_the_same() {
    let mut client = Client::initialized().await;
    for (tool, text) in [
        ("echo", "\"quoted\"\n\u{1}ü"),
        ("fails", "7"),
        ("fails_softly", "7"),
        ("read_panic", ""),
        ("session", ""),
        ("write_panic", ""),
    ] {
        let params = json!({ "name": tool, "arguments": { "text": text } });
        let request =
            json!({ "jsonrpc": "2.0", "id": tool, "method": "tools/call", "params": params });
        client.send(&request.to_string()).await;
        let alone = client.next_text().await;
        client.send(&format!("[{request}]")).await;
        assert_eq!(client.next_text().await, format!("[{alone}]"));
    }
}
