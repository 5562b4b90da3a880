//! Decides what this process is: the command line, or one of its helpers.

use std::process::ExitCode;

use crate::surface::cli;
use crate::{DOCUMENTS, SHIM, WORKER};

/// Runs what the first argument selects, and returns the exit code.
pub fn main() -> ExitCode {
    // A job's shim and a worker for scripts are this program too. They must start fast and stay
    // small, so they come first.
    let word = std::env::args_os().nth(1);
    let is = |known: &str| word.as_ref().is_some_and(|word| word == known);
    if is(SHIM) {
        return exit_code(windlass_process::shim_main());
    }
    if is(WORKER) {
        return exit_code(windlass_ops::worker_main());
    }
    if is(DOCUMENTS) {
        return cli::reference::main();
    }
    cli::main()
}

fn exit_code(code: i32) -> ExitCode {
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}
