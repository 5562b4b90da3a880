//! Scripts in real workers.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

mod hostile;
mod isolation;
mod load;
mod mistakes;
mod sdk;
mod sources;
mod values;

use std::sync::Mutex;
use std::time::Duration;

use serde_json::{Value as Json, json};
use windlass_sandbox::{
    CallError, CallFuture, CallHandler, ErrorCode, Failure, Limits, Method, Outcome, Pool,
    PoolOptions, Request, WorkerCommand,
};

/// Records calls, and responds by the name of the method.
#[derive(Default)]
struct Recorder {
    calls: Mutex<Vec<(String, Json)>>,
    /// The current and the highest number of concurrent calls.
    under_way: Mutex<(usize, usize)>,
}

impl Recorder {
    fn calls(&self) -> Vec<(String, Json)> {
        self.calls.lock().unwrap().clone()
    }

    fn highest_concurrency(&self) -> usize {
        self.under_way.lock().unwrap().1
    }
}

impl CallHandler for Recorder {
    fn call(&self, method: usize, arguments: String) -> CallFuture<'_> {
        let method = methods()[method].full_name();
        let arguments: Json = match serde_json::from_str(&arguments) {
            Ok(arguments) => arguments,
            Err(problem) => {
                let error = CallError::unreadable_arguments(&problem);
                return Box::pin(std::future::ready(Err(error)));
            }
        };
        self.calls
            .lock()
            .unwrap()
            .push((method.clone(), arguments.clone()));
        Box::pin(async move {
            {
                let mut under_way = self.under_way.lock().unwrap();
                under_way.0 += 1;
                under_way.1 = under_way.1.max(under_way.0);
            }
            let result = match method.as_str() {
                "tasks.get" => Ok(json!({ "asked": arguments })),
                "tasks.list" => Ok(json!([{ "id": 1 }, { "id": 2 }])),
                "tasks.start" => Err(CallError {
                    code: "task_blocked".to_owned(),
                    tag: "TaskBlocked".to_owned(),
                    message: "Task 7 is blocked".to_owned(),
                    hint: Some("Finish task 6 first.".to_owned()),
                }),
                "tasks.next_ready" => {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    Ok(Json::Null)
                }
                "pages.list" => {
                    Ok(json!({ "items": [{ "id": 1 }, { "id": 2 }], "total": 2, "values": 5 }))
                }
                "pages.two" => Ok(json!({ "left": [1], "right": [2] })),
                "help.wait" => std::future::pending().await,
                "notes.long" => Ok(json!("x".repeat(10_000_000))),
                _ => Ok(json!("x".repeat(1_000))),
            };
            self.under_way.lock().unwrap().0 -= 1;
            result.map(|result| result.to_string())
        })
    }
}

fn methods() -> Vec<Method> {
    vec![
        Method::new("tasks", "get", &["id"]),
        Method::new("tasks", "list", &[]),
        Method::new("tasks", "start", &["id"]),
        Method::new("tasks", "next_ready", &[]),
        Method::new("tasks", "block", &["id", "by"]),
        Method::new("help", "wait", &[]),
        Method::new("notes", "text", &[]),
        Method::new("notes", "long", &[]),
        Method::new("pages", "list", &[]),
        Method::new("pages", "two", &[]),
    ]
}

fn pool_with(options: PoolOptions) -> Pool {
    pool_of("worker", options)
}

/// A pool of workers that play this role.
fn pool_of(role: &str, options: PoolOptions) -> Pool {
    let command = WorkerCommand {
        program: env!("CARGO_BIN_EXE_windlass-sandbox-fixture").into(),
        args: vec![role.into()],
    };
    Pool::new(command, methods(), options)
}

fn pool() -> Pool {
    pool_with(PoolOptions::default())
}

fn request(code: &str) -> Request {
    Request {
        code: code.to_owned(),
        limits: Limits::default(),
        unjailed: false,
    }
}

fn within(code: &str, milliseconds: u64) -> Request {
    let mut request = request(code);
    request.limits.timeout = Duration::from_millis(milliseconds);
    request
}

async fn outcome(code: &str) -> Outcome {
    pool().execute(request(code), &Recorder::default()).await
}

async fn value(code: &str) -> Json {
    let outcome = outcome(code).await;
    outcome
        .result
        .unwrap_or_else(|failure| panic!("{code}: {failure:?}"))
}

async fn failure(code: &str) -> Failure {
    let outcome = outcome(code).await;
    match outcome.result {
        Err(failure) => failure,
        Ok(value) => panic!("{code} gave {value}"),
    }
}

/// Checks that a worker still works.
async fn works(pool: &Pool) {
    let outcome = pool
        .execute(request("[1, 2].length + 1"), &Recorder::default())
        .await;
    assert_eq!(outcome.result, Ok(json!(3)));
}

/// The code of the failure, or the value instead.
fn code_of(outcome: &Outcome) -> Result<ErrorCode, Json> {
    match &outcome.result {
        Ok(value) => Err(value.clone()),
        Err(failure) => Ok(failure.code),
    }
}
