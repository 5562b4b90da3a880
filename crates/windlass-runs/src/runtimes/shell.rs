//! How each shell is asked to run a command, as CI systems ask it.
//!
//! bash and sh get `-e`: a step of several lines fails at the first that fails, as whoever wrote a
//! CI step expects. bash gets `pipefail` too, so that `test | tee log` fails with the test. No
//! profile is read: a step does the same on every machine.

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
        // PowerShell goes on after errors and forgets the exit codes of programs unless told.
        Shell::Pwsh => format!(
            "$ErrorActionPreference = 'stop'\n{command}\nif ((Test-Path -LiteralPath \
             variable:\\LASTEXITCODE)) {{ exit $LASTEXITCODE }}"
        ),
    };
    let before = before.iter().map(|&argument| argument.to_owned());
    before.chain([text]).collect()
}

/// How to get a shell that is not there.
pub fn install_hint(shell: Shell) -> &'static str {
    match shell {
        Shell::Bash => "Install bash, or write the step for `sh`.",
        Shell::Sh => "Install a POSIX shell as `sh`.",
        Shell::Pwsh => {
            "Install PowerShell 7 (https://aka.ms/install-powershell), or write the step for `bash`."
        }
    }
}
