//! Checks whether a command ended as expected.

use std::io;
use std::path::Path;

use regex::Regex;
use windlass_process::strip_ansi;

use super::output::FinishedOutput;
use crate::paths::{self, PathProblem};
use crate::record::{Failure, FailureKind};
use crate::spec::{Expect, expectation_pattern};

/// The exit code that bash reports when a program in a pipe writes after its reader exited.
const BROKEN_PIPE: i32 = 141;

const PIPE_HINT: &str = "In a pipe such as `yes | head`, the first program is killed when the second stops \
    reading, and bash counts that as a failure (pipefail). Add `set +o pipefail` if that is \
    intended.";

/// Returns the first expectation that is not met, in the order exit code, standard output, standard
/// error, files. It reads complete outputs and therefore blocks.
pub fn unmet(
    expect: Option<&Expect>,
    (code, signal): (i32, Option<i32>),
    [stdout, stderr]: [&FinishedOutput; 2],
    (root, cwd): (&Path, &Path),
) -> Option<Failure> {
    let expected = expect.and_then(|expect| expect.exit_code).unwrap_or(0);
    if code != expected {
        let got = match signal {
            Some(signal) => format!("{code}, since signal {signal} ended the command"),
            None => code.to_string(),
        };
        let message = format!("exitCode: expected {expected}, got {got}");
        let failure = Failure::new(FailureKind::ExitCode, message);
        return Some(match code {
            BROKEN_PIPE => failure.with_hint(PIPE_HINT),
            _ => failure,
        });
    }
    let expect = expect?;
    unmatched(
        FailureKind::StdoutRegex,
        expect.stdout_regex.as_deref(),
        stdout,
    )
    .or_else(|| {
        unmatched(
            FailureKind::StderrRegex,
            expect.stderr_regex.as_deref(),
            stderr,
        )
    })
    .or_else(|| missing_file(expect.file_exists.as_deref(), root, cwd))
}

fn unmatched(
    kind: FailureKind,
    patterns: Option<&[String]>,
    whole: &FinishedOutput,
) -> Option<Failure> {
    let patterns = patterns.filter(|patterns| !patterns.is_empty())?;
    let field = match kind {
        FailureKind::StdoutRegex => "stdoutRegex",
        _ => "stderrRegex",
    };
    let text = match text_of(whole) {
        Ok(text) => text,
        Err(problem) => {
            let message = format!("{field}: the output cannot be read: {problem}");
            return Some(Failure::new(kind, message));
        }
    };
    let text = strip_ansi(&text);
    let matches = |pattern: &Regex| pattern.is_match(&text);
    patterns
        .iter()
        .find(|pattern| !expectation_pattern(pattern).is_ok_and(|pattern| matches(&pattern)))
        .map(|pattern| Failure::new(kind, format!("{field}: nothing matches `{pattern}`")))
}

/// The complete output, or its beginning and end if it was too long to store.
fn text_of(whole: &FinishedOutput) -> io::Result<String> {
    let mut bytes = match (&whole.path, &whole.incomplete) {
        (Some(path), _) => std::fs::read(path)?,
        (None, _) => Vec::new(),
    };
    if whole.incomplete.is_some() {
        bytes.push(b'\n');
        bytes.extend_from_slice(whole.tail.bytes());
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn missing_file(files: Option<&[String]>, root: &Path, cwd: &Path) -> Option<Failure> {
    files.unwrap_or_default().iter().find_map(|file| {
        let why = match paths::inside(root, &cwd.join(file)) {
            Ok(_) => return None,
            Err(PathProblem::Missing) => "does not exist",
            Err(PathProblem::Outside) => "is outside the project",
        };
        let message = format!("fileExists: `{file}` {why}");
        Some(Failure::new(FailureKind::FileExists, message))
    })
}
