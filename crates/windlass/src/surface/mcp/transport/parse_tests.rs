use super::*;

/// What a line becomes, in a short form for a table.
fn shown(line: &str) -> String {
    show(&parse_line(line.as_bytes()))
}

fn show(parsed: &Parsed) -> String {
    match parsed {
        Parsed::Message(message) => match message.as_ref() {
            ClientJsonRpcMessage::Request(request) => {
                format!("request {}", request.request.method())
            }
            ClientJsonRpcMessage::Response(_) => "response".into(),
            ClientJsonRpcMessage::Notification(_) => "notification".into(),
            ClientJsonRpcMessage::Error(_) => "error".into(),
        },
        Parsed::Refused(refusal) => {
            let id = refusal.id.as_ref().map(ToString::to_string);
            format!(
                "{} {}",
                refusal.error.code.0,
                id.as_deref().unwrap_or("null")
            )
        }
        Parsed::Batch(elements) => {
            let shown: Vec<_> = elements.iter().map(show).collect();
            format!("[{}]", shown.join(", "))
        }
        Parsed::Nothing => "nothing".into(),
    }
}

#[test]
fn lines_and_what_they_become() {
    for (line, expected) in [
        ("", "nothing"),
        ("  \t", "nothing"),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{}}}"#,
            "request tools/call",
        ),
        (
            "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r",
            "request ping",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","extra":1}}"#,
            "request tools/call",
        ),
        (
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            "notification",
        ),
        (r#"{"jsonrpc":"2.0","id":7,"result":{}}"#, "response"),
        (
            r#"{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"m"}}"#,
            "error",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#,
            "request no/such",
        ),
        // Not JSON.
        ("garbage", "-32700 null"),
        (r#"{"jsonrpc":"2.0","id":1,"method""#, "-32700 null"),
        ("[1,", "-32700 null"),
        ("\u{fffd}", "-32700 null"),
        // JSON, but not a message.
        ("5", "-32600 null"),
        ("null", "-32600 null"),
        ("{}", "-32600 null"),
        (r#"{"id":3,"method":"tools/list"}"#, "-32600 3"),
        (
            r#"{"jsonrpc":"1.0","id":"a","method":"tools/list"}"#,
            "-32600 a",
        ),
        (r#"{"jsonrpc":"2.0","id":4}"#, "-32600 4"),
        (r#"{"jsonrpc":"2.0","id":4,"method":7}"#, "-32600 4"),
        (
            r#"{"jsonrpc":"2.0","id":null,"method":"tools/list"}"#,
            "-32600 null",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}"#,
            "-32600 null",
        ),
        (
            r#"{"jsonrpc":"2.0","id":4,"method":"ping","result":{}}"#,
            "-32600 4",
        ),
        // A message whose parameters are not an object.
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":[1]}"#,
            "-32602 5",
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"no/such","params":[1]}"#,
            "-32601 5",
        ),
        (
            r#"{"jsonrpc":"2.0","method":"no/such","params":[1]}"#,
            "nothing",
        ),
        // Batches.
        ("[]", "-32600 null"),
        ("[1]", "[-32600 null]"),
        (
            r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},{"id":2}]"#,
            "[request ping, notification, -32600 2]",
        ),
    ] {
        assert_eq!(shown(line), expected, "{line}");
    }
}

/// The quick type must read exactly what the general one reads.
#[test]
fn the_quick_reading_of_a_call_equals_the_general_one() {
    let line = r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"x","arguments":{"n":[1,{"b":null}]},"_meta":{"progressToken":7,"k":"v"}}}"#;
    let general: ClientJsonRpcMessage = serde_json::from_str(line).unwrap();
    let Parsed::Message(quick) = parse_line(line.as_bytes()) else {
        panic!("not a message");
    };
    assert!(serde_json::from_slice::<ToolCall>(line.as_bytes()).is_ok());
    assert_eq!(
        serde_json::to_value(&*quick).unwrap(),
        serde_json::to_value(&general).unwrap()
    );
}

#[test]
fn a_large_batch_is_refused() {
    let line = format!("[{}1]", "1,".repeat(MAX_BATCH));
    assert_eq!(shown(&line), "-32600 null");
}

#[test]
fn the_answer_to_garbage() {
    let Parsed::Refused(refusal) = parse_line(b"{oops") else {
        panic!("not refused");
    };
    let text = String::from_utf8(refusal.to_bytes()).unwrap();
    assert!(
        text.starts_with(
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error","data":{"error_type":"ParseError","hint":"#
        ),
        "{text}"
    );
}

#[test]
fn unknown_methods_and_known_ones() {
    assert_eq!(refuse_method("tools/call").code, ErrorCode::INVALID_PARAMS);
    assert_eq!(refuse_method("ping").code, ErrorCode::INVALID_PARAMS);
    for removed in ["ping", "initialize", "resources/subscribe"] {
        let code = refuse_modern_method(removed).code;
        assert_eq!(code, ErrorCode::METHOD_NOT_FOUND, "{removed}");
    }
    let modern = refuse_modern_method("tools/call");
    assert_eq!(modern.code, ErrorCode::INVALID_PARAMS);
    let unknown = refuse_method("tools/lst");
    assert_eq!(unknown.code, ErrorCode::METHOD_NOT_FOUND);
    assert_eq!(
        unknown.data.unwrap()["hint"],
        "Did you mean \"tools/list\"?"
    );
}
