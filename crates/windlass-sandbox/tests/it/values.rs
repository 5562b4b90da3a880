//! What scripts return, log and throw.

use serde_json::json;
use windlass_sandbox::{ErrorCode, Level};

use super::{Recorder, failure, outcome, pool, request, value};

#[tokio::test]
async fn values_are_returned_as_json() {
    assert_eq!(value("1 + 1").await, json!(2));
    assert_eq!(
        value("({ a: [1, null, 'ä'], b: undefined })").await,
        json!({ "a": [1, null, "ä"] })
    );
    assert_eq!(value("undefined").await, json!(null));
    assert_eq!(value("(x => x)").await, json!(null));
    assert_eq!(value("'\\ud800'").await, json!("\u{fffd}"));
    assert_eq!(
        value("new Date(0)").await,
        json!("1970-01-01T00:00:00.000Z")
    );
    assert_eq!(value("new Date(0).getTimezoneOffset()").await, json!(0));
    assert_eq!(value("JSON.stringify = 5; [1]").await, json!([1]));
}

#[tokio::test]
async fn values_that_json_cannot_represent_are_errors() {
    assert_eq!(failure("10n").await.code, ErrorCode::JsRuntimeError);
    let failure = failure("const a = {}; a.a = a; a").await;
    assert_eq!(failure.code, ErrorCode::JsRuntimeError);
    assert!(failure.message.contains("circular"), "{}", failure.message);
}

#[tokio::test]
async fn a_long_value_is_cut_and_stays_valid() {
    let outcome =
        outcome("Array.from({ length: 10000 }, (_, i) => ({ i, text: 'y'.repeat(100) }))").await;
    assert!(outcome.truncated);
    let value = outcome.result.unwrap();
    assert!(value.to_string().len() <= 50_000);
    let items = value.as_array().unwrap();
    assert_eq!(items[0]["i"], json!(0));
    assert_eq!(items.last().unwrap()["_truncated"]["items"], json!(10_000));
}

#[tokio::test]
async fn a_value_too_long_to_be_cut_is_rejected() {
    let mut request = request("'x'.repeat(17 * 1024 * 1024)");
    request.limits.memory_bytes = 256 * 1024 * 1024;
    let outcome = pool().execute(request, &Recorder::default()).await;
    assert_eq!(outcome.result.unwrap_err().code, ErrorCode::ResultTooLarge);
}

#[tokio::test]
async fn logs_have_levels_and_a_cap() {
    let outcome = outcome("console.log('a', 1, { b: [2n] }); console.warn(new Error('no').message); console.error(null)").await;
    let logs: Vec<_> = outcome
        .logs
        .iter()
        .map(|log| (log.level, log.text.as_str()))
        .collect();
    assert_eq!(
        logs,
        [
            (Level::Log, r#"a 1 {"b":["2n"]}"#),
            (Level::Warn, "no"),
            (Level::Error, "null"),
        ]
    );
    assert!(!outcome.logs_truncated);
    let outcome =
        super::outcome("for (let i = 0; i < 10000; i++) console.log('x'.repeat(1000)); 5").await;
    assert_eq!(outcome.result, Ok(json!(5)));
    assert!(outcome.logs_truncated);
    let bytes: usize = outcome.logs.iter().map(|log| log.text.len()).sum();
    assert!((64_000..=64 * 1024 + 8).contains(&bytes), "{bytes}");
}

#[tokio::test]
async fn errors_name_the_line_of_the_source() {
    let failure =
        failure("// first\nfunction fall(x: number) {\n  return x.missing.deeper\n}\nfall(5)")
            .await;
    assert_eq!(failure.code, ErrorCode::JsRuntimeError);
    assert!(
        failure.message.starts_with("TypeError: "),
        "{}",
        failure.message
    );
    let location = failure.location.unwrap();
    assert_eq!(location.line, 3);
    assert_eq!(location.source, "  return x.missing.deeper");
    let stack = failure.stack.unwrap();
    let lines: Vec<_> = stack.lines().collect();
    assert_eq!(
        lines[0],
        format!(
            "at fall (line 3, column {}): return x.missing.deeper",
            location.column
        )
    );
    assert!(
        lines[1].starts_with("at script (line 5, column "),
        "{stack}"
    );
    assert!(lines[1].ends_with(": fall(5)"), "{stack}");
    assert_eq!(lines.len(), 2, "{stack}");
}

#[tokio::test]
async fn any_thrown_value_is_shown() {
    assert_eq!(failure("throw 'plain'").await.message, "Thrown: plain");
    assert_eq!(failure("throw null").await.message, "Thrown: null");
    assert_eq!(
        failure("throw { a: 1 }").await.message,
        r#"Thrown: {"a":1}"#
    );
    let odd = failure("throw { get message() { throw 1 }, toJSON() { throw 2 } }").await;
    assert_eq!(odd.code, ErrorCode::JsRuntimeError);
    let odd = failure("const e = new Error('a'); Object.defineProperty(e, 'stack', { get() { throw 1 } }); throw e").await;
    assert_eq!(odd.code, ErrorCode::JsRuntimeError);
}
