//! Start and end of a session, and mistakes of clients.

use serde_json::{Value as Json, json};

use super::{Client, modern};

#[tokio::test]
async fn wrong_requests_are_told_apart() {
    let mut client = Client::initialized().await;
    for (method, params, code) in [
        ("no/such", json!({}), -32601),
        ("tools/call", json!({ "arguments": {} }), -32602),
        (
            "tools/call",
            json!({ "name": "echo", "arguments": [] }),
            -32602,
        ),
        ("tools/call", json!([1]), -32602),
        ("resources/read", json!({}), -32602),
        ("resources/read", json!({ "uri": "nonsense:" }), -32006),
        ("resources/subscribe", json!({ "uri": "nonsense:" }), -32006),
        ("prompts/get", json!({ "name": "no-such" }), -32602),
        ("prompts/list", json!({ "cursor": "x" }), -32602),
        ("tasks/get", json!({ "taskId": "x" }), -32021),
    ] {
        let answer = client.request(method, params).await;
        assert_eq!(answer["error"]["code"], code, "{method}: {answer}");
        assert_eq!(answer["id"], 1);
    }
}

#[tokio::test]
async fn nothing_before_the_first_request_ends_the_session() {
    let mut client = Client::start();
    assert_eq!(client.ask("garbage").await["error"]["code"], -32700);
    client
        .send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
        .await;
    client.send(r#"{"jsonrpc":"2.0","id":9,"result":{}}"#).await;
    let answer = client.request("initialize", json!({})).await;
    assert_eq!(answer["error"]["code"], -32602);
    assert_eq!(answer["error"]["message"], "Invalid params for initialize");
    let answer = client.request("tools/list", json!({})).await;
    assert_eq!(answer["error"]["code"], -32602);
    let answer = client.request("ping", json!({})).await;
    assert_eq!(answer["result"], json!({}));
    let answer = client
        .request("tools/list", json!({ "_meta": modern() }))
        .await;
    assert_eq!(answer["result"]["resultType"], "complete");
    assert_eq!(client.end().await, Vec::<Json>::new());
}

#[tokio::test]
async fn an_end_without_a_beginning_is_no_error() {
    assert_eq!(Client::start().end().await, Vec::<Json>::new());
    let client = Client::start();
    client.closing.cancel();
    assert_eq!(client.rest().await, Vec::<Json>::new());
}

#[tokio::test]
async fn a_batch_is_answered_in_one_line() {
    let mut client = Client::initialized().await;
    let answer = client
        .ask(
            r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},
                {"jsonrpc":"2.0","method":"notifications/initialized"},
                {"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}},
                {"jsonrpc":"2.0","id":1,"method":"ping"},
                {"jsonrpc":"2.0","id":3,"method":"no/such"},
                {"foo":1}]"#
                .replace('\n', "")
                .as_str(),
        )
        .await;
    let mut answers: Vec<_> = answer
        .as_array()
        .unwrap()
        .iter()
        .map(|answer| format!("{} {}", answer["id"], answer["error"]["code"]))
        .collect();
    answers.sort();
    assert_eq!(
        answers,
        [
            "\"b\" null",
            "1 -32600",
            "1 null",
            "3 -32601",
            "null -32600"
        ]
    );
    assert_eq!(client.ask("[]").await["error"]["code"], -32600);
}

#[tokio::test]
async fn requests_in_flight_are_answered_after_the_end_of_the_input() {
    let mut client = Client::initialized().await;
    client
        .send(r#"{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"session","arguments":{"text":""}}}"#)
        .await;
    let rest = client.end().await;
    assert_eq!(rest.len(), 1);
    assert_eq!(rest[0]["id"], 8);
}

#[tokio::test]
async fn the_level_of_the_log_is_accepted_where_it_exists() {
    let mut client = Client::initialized().await;
    let answer = client
        .request("logging/setLevel", json!({ "level": "debug" }))
        .await;
    assert_eq!(answer["result"], json!({}));
    let params = json!({ "level": "debug", "_meta": modern() });
    let answer = client.request("logging/setLevel", params).await;
    assert_eq!(answer["error"]["code"], -32601);
}
