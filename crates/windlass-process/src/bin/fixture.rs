//! For the tests of this crate: the shim, and a server that can be killed.

use std::process::ExitCode;

use windlass_process::{Limits, ShimCommand, Spec, Supervisor};

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    match args.next().as_deref().and_then(|role| role.to_str()) {
        Some("shim") => ExitCode::from(u8::try_from(windlass_process::shim_main()).unwrap_or(1)),
        Some("server") => serve(args.next().unwrap_or_default()),
        _ => ExitCode::FAILURE,
    }
}

/// Runs `script` as a job until someone ends this process.
fn serve(script: std::ffi::OsString) -> ExitCode {
    let Ok(runtime) = tokio::runtime::Runtime::new() else {
        return ExitCode::FAILURE;
    };
    let Ok(program) = std::env::current_exe() else {
        return ExitCode::FAILURE;
    };
    runtime.block_on(async {
        let shim = ShimCommand {
            program,
            args: vec!["shim".into()],
        };
        let supervisor = Supervisor::new(shim, Limits::default());
        let spec = Spec::new("sh", "/").args(["-c".into(), script]);
        let Ok(_job) = supervisor.start(spec).await else {
            return ExitCode::FAILURE;
        };
        std::future::pending().await
    })
}
