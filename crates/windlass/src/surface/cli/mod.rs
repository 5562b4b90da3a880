//! The command line.

/// Runs the command line and answers the exit code of the process.
pub fn main() -> std::process::ExitCode {
    std::process::ExitCode::SUCCESS
}
