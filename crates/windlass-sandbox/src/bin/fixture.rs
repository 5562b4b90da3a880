//! The worker, and a host that can be killed, for this crate's tests.

use std::process::ExitCode;

use windlass_sandbox::{
    CallFuture, CallHandler, Limits, Pool, PoolOptions, Request, WorkerCommand, worker_main,
};

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let role = args.next().unwrap_or_default();
    match role.as_str() {
        "worker" => work(),
        "worker-without-filters" if refuse_filters() => work(),
        "host" => serve(args.next().unwrap_or_default()),
        _ => ExitCode::FAILURE,
    }
}

fn work() -> ExitCode {
    ExitCode::from(u8::try_from(worker_main()).unwrap_or(1))
}

/// Makes this process one that cannot filter its system calls, as in some containers.
#[cfg(target_os = "linux")]
fn refuse_filters() -> bool {
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};
    let arch = std::env::consts::ARCH.try_into();
    let filter = arch.and_then(|arch| {
        let refused = [(libc::SYS_seccomp, Vec::new())];
        let action = SeccompAction::Errno(1);
        SeccompFilter::new(
            refused.into_iter().collect(),
            SeccompAction::Allow,
            action,
            arch,
        )
    });
    let program = filter.and_then(BpfProgram::try_from);
    program.is_ok_and(|program| apply_filter(&program).is_ok())
}

#[cfg(not(target_os = "linux"))]
fn refuse_filters() -> bool {
    true
}

/// Never responds to a call.
struct NeverResponds;

impl CallHandler for NeverResponds {
    fn call(&self, _method: usize, _arguments: String) -> CallFuture<'_> {
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
        unjailed: false,
    };
    runtime.block_on(pool.execute(request, &NeverResponds));
    ExitCode::SUCCESS
}
