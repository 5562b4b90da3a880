//! The arguments with which each shell runs a command, the same as in CI systems.
//!
//! bash and sh get `-e`: a step of several lines fails at the first line that fails, as the author
//! of a CI step expects. bash also gets `pipefail`, so that `test | tee log` fails if the test
//! fails. No profile is read, so that a step does the same on every machine.

use crate::record::{Failure, FailureKind};
use crate::spec::Shell;

/// The arguments of the shell that make it run `command`.
pub fn arguments(shell: Shell, command: &str) -> Vec<String> {
    let before: &[&str] = match shell {
        Shell::Bash => &["--noprofile", "--norc", "-e", "-o", "pipefail", "-c"],
        Shell::Sh => &["-e", "-c"],
        Shell::Pwsh => &["-NoLogo", "-NoProfile", "-NonInteractive", "-Command"],
    };
    let text = match shell {
        Shell::Bash | Shell::Sh => command.to_owned(),
        // By default, PowerShell continues after errors and ignores the exit codes of programs.
        Shell::Pwsh => format!(
            "$ErrorActionPreference = 'stop'\n{command}\nif ((Test-Path -LiteralPath \
             variable:\\LASTEXITCODE)) {{ exit $LASTEXITCODE }}"
        ),
    };
    let before = before.iter().map(|&argument| argument.to_owned());
    before.chain([text]).collect()
}

/// The failure of a step whose shell is missing.
pub fn shell_missing(shell: Shell) -> Failure {
    let message = format!("The shell `{shell}` is not installed");
    Failure::new(FailureKind::Start, message).with_hint(install_hint(shell))
}

/// How to install a missing shell.
fn install_hint(shell: Shell) -> &'static str {
    match shell {
        Shell::Bash => "Install bash, or write the step for `sh`.",
        Shell::Sh => "Install a POSIX shell as `sh`.",
        Shell::Pwsh => {
            "Install PowerShell 7 (https://aka.ms/install-powershell), or write the step for `bash`."
        }
    }
}
