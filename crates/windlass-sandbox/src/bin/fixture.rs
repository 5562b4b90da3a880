//! The worker, and a host that can be killed, for this crate's tests.

use std::process::ExitCode;

use windlass_sandbox::{
    CallFuture, CallHandler, Limits, Pool, PoolOptions, Request, WorkerCommand, worker_main,
};

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let role = args.next().unwrap_or_default();
    match role.as_str() {
        "worker" => ExitCode::from(u8::try_from(worker_main()).unwrap_or(1)),
        "host" => serve(args.next().unwrap_or_default()),
        _ => ExitCode::FAILURE,
    }
}

/// Never responds to a call.
struct NeverResponds;

impl CallHandler for NeverResponds {
    fn call<'a>(&'a self, _method: &'a str, _arguments: serde_json::Value) -> CallFuture<'a> {
        Box::pin(std::future::pending())
    }
}

/// Runs `code` until this process is killed.
fn serve(code: String) -> ExitCode {
    let (Ok(runtime), Ok(program)) = (tokio::runtime::Runtime::new(), std::env::current_exe())
    else {
        return ExitCode::FAILURE;
    };
    let command = WorkerCommand {
        program,
        args: vec!["worker".into()],
    };
    let pool = Pool::new(command, Vec::new(), PoolOptions::default());
    let request = Request {
        code,
        limits: Limits::MAXIMUM,
    };
    runtime.block_on(pool.execute(request, &NeverResponds));
    ExitCode::SUCCESS
}
