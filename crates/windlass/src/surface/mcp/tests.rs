//! The whole surface in one process: raw lines in, raw lines out, operations of the tests' own.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use windlass_core::Result;
use windlass_ops::Settings;
use windlass_store::{Project, Store};

use super::catalogue::Catalogue;
use super::fixture;
use super::lifecycle::serve_until_closed;
use super::server::{Server, Shared};
use super::transport::LineTransport;

struct Client {
    input: Option<DuplexStream>,
    output: Lines<BufReader<DuplexStream>>,
    closing: CancellationToken,
    ended: JoinHandle<Result<()>>,
    _folder: tempfile::TempDir,
}

impl Client {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (project, _) = Project::init(folder.path()).unwrap();
        let store = Arc::new(Store::open(&project).unwrap());
        let closing = CancellationToken::new();
        let shared = Shared::new(
            Catalogue::of(fixture::OPERATIONS),
            store,
            Settings::default(),
            "a-session".into(),
            closing.clone(),
        );
        let (input, theirs_in) = tokio::io::duplex(64 * 1024);
        let (output, theirs_out) = tokio::io::duplex(64 * 1024);
        let transport = LineTransport::new(theirs_in, theirs_out, closing.clone());
        let server = Server::new(Arc::new(shared));
        Self {
            input: Some(input),
            output: BufReader::new(output).lines(),
            closing,
            ended: tokio::spawn(serve_until_closed(server, transport)),
            _folder: folder,
        }
    }

    async fn initialized() -> Self {
        let mut client = Self::start();
        let answer = client
            .request(
                "initialize",
                json!({
                    "protocolVersion": "2025-06-18",
                    "capabilities": {},
                    "clientInfo": { "name": "test", "version": "1" },
                }),
            )
            .await;
        assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
        client
            .send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string())
            .await;
        client
    }

    async fn send(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input
            .write_all(format!("{line}\n").as_bytes())
            .await
            .unwrap();
    }

    async fn next(&mut self) -> Json {
        let line = self.output.next_line().await.unwrap().expect("an answer");
        serde_json::from_str(&line).unwrap()
    }

    async fn ask(&mut self, line: &str) -> Json {
        self.send(line).await;
        self.next().await
    }

    async fn request(&mut self, method: &str, params: Json) -> Json {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        self.ask(&request.to_string()).await
    }

    async fn call(&mut self, tool: &str, text: &str) -> Json {
        let params = json!({ "name": tool, "arguments": { "text": text } });
        self.request("tools/call", params).await
    }

    /// Ends the input; what is still written comes back.
    async fn end(mut self) -> Vec<Json> {
        self.input = None;
        self.rest().await
    }

    async fn rest(mut self) -> Vec<Json> {
        let mut rest = Vec::new();
        while let Some(line) = self.output.next_line().await.unwrap() {
            rest.push(serde_json::from_str(&line).unwrap());
        }
        self.ended.await.unwrap().unwrap();
        rest
    }
}

/// The metadata of every request since 2026-07-28.
fn modern() -> Json {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

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
    assert_eq!(structured["message"], "Entity 7 not found");
    let answer = client.call("ecko", "").await;
    assert_eq!(answer["error"]["code"], -32602);
    assert_eq!(answer["error"]["data"]["hint"], "Did you mean \"echo\"?");
    let params = json!({ "name": "echo", "arguments": { "txt": 1 } });
    let answer = client.request("tools/call", params).await;
    assert_eq!(answer["error"]["code"], -32602);
    assert_eq!(answer["error"]["data"]["field"], "txt");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_that_falls_over_takes_no_one_with_it() {
    let mut client = Client::initialized().await;
    for tool in ["read_panic", "write_panic"] {
        let answer = client.call(tool, "").await;
        assert_eq!(answer["error"]["code"], -32603, "{tool}");
        assert_eq!(answer["error"]["message"], "Internal error");
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
    assert_eq!(tools[0]["inputSchema"]["additionalProperties"], false);
    assert_eq!(tools[0]["outputSchema"]["type"], "object");
    let answer = client
        .request("tools/list", json!({ "cursor": "50" }))
        .await;
    assert_eq!(answer["error"]["code"], -32602);
}

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
        ("tasks/get", json!({ "taskId": "x" }), -32601),
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
async fn a_listener_hears_of_the_end() {
    let mut client = Client::start();
    let answer = client
        .request(
            "subscriptions/listen",
            json!({
                "_meta": modern(),
                "notifications": {
                    "promptsListChanged": true,
                    "toolsListChanged": true,
                    "resourceSubscriptions": ["nonsense:"],
                },
            }),
        )
        .await;
    assert_eq!(answer["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(
        answer["params"]["notifications"],
        json!({ "promptsListChanged": true })
    );
    client.closing.cancel();
    let rest = client.rest().await;
    assert_eq!(rest.len(), 1, "{rest:?}");
    assert_eq!(rest[0]["id"], 1);
    assert_eq!(rest[0]["result"]["resultType"], "complete");
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
