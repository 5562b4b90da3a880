//! Runs other programs until they exit.

use std::process::{Command, Stdio};

/// Returns what a program printed, or why it failed.
pub fn output(command: &mut Command) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|problem| format!("{program}: {problem}"))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        let error_output = String::from_utf8_lossy(&output.stderr);
        Err(format!("{program} failed: {}", error_output.trim()))
    }
}

/// Whether a program exists and succeeds. Its output is not shown.
pub fn succeeds(command: &mut Command) -> bool {
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
