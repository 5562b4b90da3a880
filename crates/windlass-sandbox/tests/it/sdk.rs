//! Calls of scripts, and their results.

use serde_json::json;
use windlass_sandbox::{CallEnd, ErrorCode};

use super::{Recorder, failure, outcome, pool, request, value, within};

#[tokio::test]
async fn arguments_are_an_object_or_positional() {
    let host = Recorder::default();
    let code = "await tasks.get(7); await tasks.get({ id: 8 }); await tasks.get('#9', { full: true });
        await tasks.block(1, 2); await tasks.list(); await tasks.get(undefined); await tasks.next_ready()";
    pool().execute(request(code), &host).await.result.unwrap();
    let calls: Vec<_> = host
        .calls()
        .into_iter()
        .map(|(method, it)| format!("{method} {it}"))
        .collect();
    assert_eq!(
        calls,
        [
            r#"tasks.get {"id":7}"#,
            r#"tasks.get {"id":8}"#,
            r##"tasks.get {"full":true,"id":"#9"}"##,
            r#"tasks.block {"id":1,"by":2}"#,
            "tasks.list {}",
            "tasks.get {}",
            "tasks.next_ready {}",
        ]
    );
}

#[tokio::test]
async fn results_are_values_of_the_script() {
    assert_eq!(value("(await tasks.get(7)).asked.id").await, json!(7));
    assert_eq!(
        value("(await tasks.list()).map(t => t.id)").await,
        json!([1, 2])
    );
    assert_eq!(
        value("Object.keys(tasks).join()").await,
        json!("get,list,start,nextReady,block")
    );
    assert_eq!(
        value("typeof tasks.next_ready + Object.isFrozen(tasks.get)").await,
        json!("functiontrue")
    );
}

#[tokio::test]
async fn concurrent_calls_run_concurrently() {
    let host = Recorder::default();
    let code = "await Promise.all(Array.from({ length: 20 }, () => tasks.nextReady())); 1";
    let outcome = pool().execute(request(code), &host).await;
    assert_eq!(outcome.result, Ok(json!(1)));
    assert_eq!(host.highest_concurrency(), 20);
    let mut few = request(code);
    few.limits.calls_at_once = 3;
    let host = Recorder::default();
    let outcome = pool().execute(few, &host).await;
    assert_eq!(outcome.result, Ok(json!(1)));
    assert_eq!(host.highest_concurrency(), 3);
}

#[tokio::test]
async fn errors_of_the_sdk_can_be_caught_and_have_properties() {
    let caught = value(
        "try { await tasks.start(7) } catch (e) { return [e instanceof Error, e.message, e.code, e.tag, e.hint] }",
    )
    .await;
    assert_eq!(
        caught,
        json!([
            true,
            "Task 7 is blocked",
            "task_blocked",
            "TaskBlocked",
            "Finish task 6 first."
        ])
    );
}

#[tokio::test]
async fn an_uncaught_sdk_error_has_its_line() {
    let outcome = outcome("await tasks.get(1)\nconst a = 1\nawait tasks.start(7)").await;
    let failure = outcome.result.unwrap_err();
    assert_eq!(failure.code, ErrorCode::SdkError);
    assert_eq!(failure.tag.as_deref(), Some("TaskBlocked"));
    assert_eq!(failure.message, "Task 7 is blocked");
    assert_eq!(failure.hint.as_deref(), Some("Finish task 6 first."));
    assert_eq!(failure.location.unwrap().line, 3);
    let calls: Vec<_> = outcome
        .calls
        .iter()
        .map(|call| (call.method.as_str(), call.end.clone()))
        .collect();
    assert_eq!(
        calls,
        [
            ("tasks.get", CallEnd::Ok),
            ("tasks.start", CallEnd::Error("task_blocked".to_owned())),
        ]
    );
}

#[tokio::test]
async fn an_unknown_name_suggests_the_nearest() {
    let unknown = failure("await tasks.strat(7)").await;
    assert_eq!(unknown.code, ErrorCode::SdkError);
    assert_eq!(unknown.message, "tasks has no method strat");
    assert_eq!(unknown.hint.as_deref(), Some("Did you mean tasks.start?"));
    let elsewhere = failure("await tasks.wait()").await;
    assert_eq!(elsewhere.hint.as_deref(), Some("Did you mean help.wait?"));
    let namespace = failure("await task.get(7)").await;
    assert_eq!(namespace.code, ErrorCode::JsRuntimeError);
    assert_eq!(namespace.hint.as_deref(), Some("Did you mean tasks?"));
}

#[tokio::test]
async fn invalid_arguments_are_rejected() {
    let failure = failure("await tasks.list(1)").await;
    assert_eq!(failure.tag.as_deref(), Some("invalid_params"));
    assert_eq!(failure.message, "tasks.list takes one object");
    assert_eq!(
        super::failure("await tasks.get({ id: 1n })").await.code,
        ErrorCode::JsRuntimeError
    );
    let deep =
        super::failure("let a = {}; for (let i = 0; i < 500; i++) a = { a }; await tasks.get(a)")
            .await;
    assert_eq!(deep.tag.as_deref(), Some("invalid_params"));
}

#[tokio::test]
async fn calls_that_are_not_awaited_are_still_made() {
    let host = Recorder::default();
    let code =
        "[1, 2, 3].forEach(async id => { await tasks.nextReady(); await tasks.get(id) }); 'done'";
    let outcome = pool().execute(request(code), &host).await;
    assert_eq!(outcome.result, Ok(json!("done")));
    assert_eq!(host.calls().len(), 6);
    assert!(outcome.calls.iter().all(|call| call.end == CallEnd::Ok));
}

/// The worker sends several calls together, but does not wait for the end of a script with that.
#[tokio::test]
async fn calls_of_a_script_that_never_waits_are_made() {
    let host = Recorder::default();
    let code = "tasks.get(1); tasks.get(2); tasks.get(3); for (;;) {}";
    let outcome = pool().execute(within(code, 500), &host).await;
    assert_eq!(outcome.result.unwrap_err().code, ErrorCode::Timeout);
    assert_eq!(host.calls().len(), 3);
}

#[tokio::test]
async fn after_a_failure_running_calls_are_finished() {
    let code = "await Promise.all([tasks.nextReady(), tasks.start(7)])";
    let outcome = outcome(code).await;
    assert_eq!(outcome.result.unwrap_err().code, ErrorCode::SdkError);
    assert_eq!(outcome.calls[0].end, CallEnd::Ok);
    assert!(outcome.calls[0].ms >= 20);
}

#[tokio::test]
async fn calls_without_a_result_are_pending_at_the_deadline() {
    let pool = pool();
    let outcome = pool
        .execute(
            within("await tasks.get(1); await help.wait()", 300),
            &Recorder::default(),
        )
        .await;
    assert_eq!(outcome.result.unwrap_err().code, ErrorCode::Timeout);
    let ends: Vec<_> = outcome.calls.iter().map(|call| call.end.clone()).collect();
    assert_eq!(ends, [CallEnd::Ok, CallEnd::Pending]);
    super::works(&pool).await;
}

#[tokio::test]
async fn timers_work_within_the_deadline() {
    assert_eq!(
        value("await new Promise(r => setTimeout(r, 20)); 1").await,
        json!(1)
    );
    assert_eq!(value("await new Promise((r, n) => { const t = setTimeout(n, 1); clearTimeout(t); setTimeout(r, 5, 3) })").await, json!(3));
    let late = failure("setTimeout(() => {}, 40000)").await;
    assert_eq!(late.code, ErrorCode::JsRuntimeError);
    assert!(late.message.starts_with("RangeError"), "{}", late.message);
}
