//! The shim that supervises steps in this crate's tests.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(u8::try_from(windlass_process::shim_main()).unwrap_or(1))
}
