//! What is accepted as a script.

use serde_json::json;
use windlass_sandbox::{ErrorCode, MAX_CODE_BYTES};

use super::{failure, value};

#[tokio::test]
async fn await_and_return_work_at_the_top_level() {
    assert_eq!(value("await Promise.resolve(1)").await, json!(1));
    assert_eq!(
        value("const a = await Promise.resolve(2); return a * 2").await,
        json!(4)
    );
    assert_eq!(
        value("if (true) return 'early'\n'late'").await,
        json!("early")
    );
    assert_eq!(
        value("for await (const a of [Promise.resolve(1)]) return a").await,
        json!(1)
    );
}

#[tokio::test]
async fn forms_that_models_write_are_accepted() {
    assert_eq!(value("```ts\nconst a: number = 1\na\n```").await, json!(1));
    assert_eq!(
        value("async () => { return (await tasks.list()).length }").await,
        json!(2)
    );
    assert_eq!(
        value("async function main(): Promise<number> { return 7 }").await,
        json!(7)
    );
    assert_eq!(value("function () { return 8 }").await, json!(8));
    assert_eq!(value("export default async () => 9").await, json!(9));
    assert_eq!(
        value("{ a: 1, b: { c: 2 } }").await,
        json!({ "a": 1, "b": { "c": 2 } })
    );
    assert_eq!(value("{ a: 1 }").await, json!({ "a": 1 }));
    assert_eq!(value("(async () => 10)()").await, json!(10));
    assert_eq!(value("'just text'").await, json!("just text"));
    assert_eq!(value("").await, json!(null));
    assert_eq!(
        value("interface Task { id: number }\nconst ids = (await tasks.list() as Task[]).map((t: Task): number => t.id)\nids!").await,
        json!([1, 2])
    );
}

#[tokio::test]
async fn syntax_errors_have_a_location() {
    let failure = failure("const a = 1\nconst b = = 2").await;
    assert_eq!(failure.code, ErrorCode::InvalidParams);
    let location = failure.location.unwrap();
    assert_eq!((location.line, location.column), (2, 11));
    assert!(
        failure.message.ends_with("(line 2, column 11)"),
        "{}",
        failure.message
    );
    // Only the engine detects this error.
    let failure = super::failure("let a = 1\nlet a = 2").await;
    assert_eq!(failure.code, ErrorCode::InvalidParams);
    assert_eq!(failure.location.unwrap().line, 2);
}

#[tokio::test]
async fn a_source_that_is_too_long_or_contains_nul_is_rejected() {
    let long = format!("/*{}*/1", "x".repeat(MAX_CODE_BYTES));
    assert_eq!(failure(&long).await.code, ErrorCode::InvalidParams);
    assert_eq!(
        failure(&" ".repeat(100 * 1024 * 1024)).await.code,
        ErrorCode::InvalidParams
    );
    assert_eq!(failure("1\0").await.code, ErrorCode::InvalidParams);
    let longest = format!("/*{}*/1", "x".repeat(MAX_CODE_BYTES - 5));
    assert_eq!(value(&longest).await, json!(1));
}

#[tokio::test]
async fn a_script_cannot_leave_its_function() {
    assert_eq!(
        failure("})(); globalThis.a = 1; (async()=>{").await.code,
        ErrorCode::InvalidParams
    );
}
