//! For the tests of this crate: the shim, and a server that tests can kill.

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Duration;

use windlass_process::{Error, JobHandle, Limits, Result, ShimCommand, Spec, Supervisor};

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    let role = args.next().unwrap_or_default();
    let script = args.next().unwrap_or_default();
    match role.to_str() {
        Some("shim") => ExitCode::from(u8::try_from(windlass_process::shim_main()).unwrap_or(1)),
        Some("server") => run(serve(script)),
        Some("shutdown") => run(shut_down(script)),
        _ => ExitCode::FAILURE,
    }
}

fn run(server: impl Future<Output = Result<()>>) -> ExitCode {
    let ended = tokio::runtime::Runtime::new().map(|runtime| runtime.block_on(server));
    match ended {
        Ok(Ok(())) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

async fn start(script: OsString) -> Result<(Supervisor, JobHandle)> {
    let program = std::env::current_exe().map_err(Error::Shim)?;
    let shim = ShimCommand {
        program,
        args: vec!["shim".into()],
    };
    let supervisor = Supervisor::new(shim, Limits::default());
    let spec = Spec::new("sh", "/").args(["-c".into(), script]);
    let job = supervisor.start(spec).await?;
    Ok((supervisor, job))
}

/// Runs `script` as a job until this process is killed.
async fn serve(script: OsString) -> Result<()> {
    let _running = start(script).await?;
    std::future::pending().await
}

/// Runs `script` until it has written something, and shuts down as a server should.
async fn shut_down(script: OsString) -> Result<()> {
    let (supervisor, job) = start(script).await?;
    // A job that ends without output is shut down as well.
    let _ = job.watch_output().wait_for(|bytes| *bytes > 0).await;
    supervisor.warm()?;
    supervisor.shutdown(Duration::from_millis(100)).await;
    Ok(())
}
