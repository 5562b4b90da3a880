//! Windlass with the additional tools that the MCP conformance suite calls. It needs the feature
//! `conformance`, so that it is built for that suite only.

use std::process::ExitCode;

fn main() -> ExitCode {
    windlass::main()
}
