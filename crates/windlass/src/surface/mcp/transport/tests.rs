use rmcp::model::{ErrorData, ServerResult};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};

use super::*;

type Pipe = LineTransport<DuplexStream, DuplexStream>;

fn pipe() -> (Pipe, DuplexStream, DuplexStream, CancellationToken) {
    let (input, theirs_in) = tokio::io::duplex(1024);
    let (output, theirs_out) = tokio::io::duplex(1024);
    let closing = CancellationToken::new();
    let transport = LineTransport::new(theirs_in, theirs_out, closing.clone());
    (transport, input, output, closing)
}

#[tokio::test]
async fn an_overlong_line_is_answered_and_passed_over() {
    let (mut transport, mut input, output, _) = pipe();
    transport.lines.set_limit(16);
    let writing = tokio::spawn(async move {
        let long = format!("{{\"x\":\"{}\"}}\n", "y".repeat(5000));
        input.write_all(long.as_bytes()).await.unwrap();
        input.write_all(b"{}\n").await.unwrap();
    });
    assert!(transport.receive().await.is_none());
    writing.await.unwrap();
    let mut lines = BufReader::new(output).lines();
    for hint in ["at most 16 bytes", "jsonrpc"] {
        let line = lines.next_line().await.unwrap().unwrap();
        assert!(
            line.contains("\"id\":null") && line.contains("-32600"),
            "{line}"
        );
        assert!(line.contains(hint), "{line}");
    }
}

#[tokio::test]
async fn closing_ends_the_reading_and_the_end_of_input_closes() {
    let (mut transport, input, _output, closing) = pipe();
    closing.cancel();
    assert!(transport.receive().await.is_none());
    drop(input);

    let (mut transport, input, _output, closing) = pipe();
    drop(input);
    assert!(transport.receive().await.is_none());
    assert!(closing.is_cancelled());
}

#[tokio::test]
async fn a_client_that_is_gone_closes_the_session() {
    let (mut transport, _input, output, closing) = pipe();
    drop(output);
    let answer = ServerJsonRpcMessage::response(ServerResult::empty(()), RequestId::Number(1));
    assert!(transport.send(answer).await.is_err());
    assert!(closing.is_cancelled());
}

#[tokio::test]
async fn a_cancelled_request_completes_its_batch() {
    let (mut transport, mut input, output, _) = pipe();
    transport.opened = true;
    input
        .write_all(
            b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}]\n\
              {\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":2}}\n",
        )
        .await
        .unwrap();
    assert!(transport.receive().await.is_some());
    assert!(transport.receive().await.is_some());
    let refused = ErrorData::invalid_params("no", None);
    let answer = ServerJsonRpcMessage::error(refused, Some(RequestId::Number(1)));
    transport.send(answer).await.unwrap();
    assert!(transport.receive().await.is_some());
    let line = BufReader::new(output)
        .lines()
        .next_line()
        .await
        .unwrap()
        .unwrap();
    assert!(line.starts_with("[{") && line.ends_with("}]"), "{line}");
}
