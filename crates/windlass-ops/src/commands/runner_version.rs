//! The version of a runner. Of one that corepack or mise brings, the version that the project's files
//! ask for. A runner that the project installed for itself is not started to ask it:
//! its package says. One of the machine is asked, outside of the project and for a moment only.

use std::io::Read as _;
use std::path::Path;
use std::process::{Command as Process, Stdio};
use std::time::{Duration, Instant};

use windlass_commands::{Command, Launcher, Runner, SearchPath};

/// A runner that takes longer says nothing.
const LONGEST: Duration = Duration::from_secs(2);
const MOST_BYTES: u64 = 4_096;

pub fn version(command: &Command, launcher: Option<Launcher>, root: &Path) -> Option<String> {
    let program = &command.invocation.program;
    if let (Some(launcher), Some(provided)) = (launcher, &command.provided) {
        // It may be installed only when it is first started: what the files ask for is known.
        let by = launcher.program();
        return Some(match &provided.version {
            Some(version) => format!("{version} (by {by})"),
            None => format!("(by {by})"),
        });
    }
    if program.contains('/') {
        return command.local_version(root);
    }
    let runs_text = matches!(
        command.runner,
        Runner::Shell | Runner::VsCode | Runner::Procfile
    );
    let found = SearchPath::find(program)?;
    // A link to another name may be what tells the program what to be.
    let real = found.canonicalize().ok()?;
    if runs_text || found.starts_with(root) || real.starts_with(root) {
        return None;
    }
    let mut child = Process::new(found)
        .arg("--version")
        // In no project, so that nothing of one decides which version answers.
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let start = Instant::now();
    while child.try_wait().ok()?.is_none() {
        if start.elapsed() > LONGEST {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let mut bytes = Vec::new();
    let mut output = child.stdout.take()?.take(MOST_BYTES);
    output.read_to_end(&mut bytes).ok()?;
    number_in(&String::from_utf8_lossy(&bytes))
}

/// The first word that is a version: `GNU Make 4.3` says `4.3`.
fn number_in(text: &str) -> Option<String> {
    let words = text.split(|it: char| it.is_whitespace() || ",()\"':".contains(it));
    let mut versions = words.filter_map(|word| {
        let word = word.trim_start_matches('v');
        let is_number = word.starts_with(|it: char| it.is_ascii_digit()) && word.contains('.');
        is_number.then(|| word.trim_end_matches('.').to_owned())
    });
    versions.next()
}

#[cfg(test)]
mod tests {
    use super::number_in;

    #[test]
    fn versions_of_real_programs() {
        for (text, expected) in [
            ("GNU Make 4.3\nBuilt for x86_64-pc-linux-gnu\n", Some("4.3")),
            ("cargo 1.95.0 (abc 2026-01-01)\n", Some("1.95.0")),
            ("10.9.2\n", Some("10.9.2")),
            ("v22.12.0\n", Some("22.12.0")),
            ("rake, version 13.0.6\n", Some("13.0.6")),
            ("no number\n", None),
        ] {
            assert_eq!(number_in(text).as_deref(), expected, "{text}");
        }
    }
}
