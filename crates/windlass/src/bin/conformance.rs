//! Windlass with what the conformance suite of MCP calls beside what is shipped. It needs the feature
//! `conformance`, so that it is built for that suite only.

use std::process::ExitCode;

fn main() -> ExitCode {
    windlass::main()
}
