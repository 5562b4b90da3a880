//! For the tests of this crate: the shim under which steps run.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(u8::try_from(windlass_process::shim_main()).unwrap_or(1))
}
