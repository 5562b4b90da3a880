//! Checks whether a command ended as expected.

use std::io;
use std::path::Path;

use regex::Regex;
use windlass_process::{Stream, strip_ansi};

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
        return Some(other_code(code, signal, expected));
    }
    let expect = expect?;
    unmatched_text(expect, [stdout, stderr])
        .or_else(|| missing_file(expect.file_exists.as_deref(), root, cwd))
}

/// The first expression that matches nothing. It reads complete outputs and therefore blocks.
pub fn unmatched_text(expect: &Expect, [stdout, stderr]: [&FinishedOutput; 2]) -> Option<Failure> {
    unmatched(Stream::Stdout, expect.stdout_regex.as_deref(), stdout)
        .or_else(|| unmatched(Stream::Stderr, expect.stderr_regex.as_deref(), stderr))
}

/// The failure of a command that exited with another code than expected.
pub fn other_code(code: i32, signal: Option<i32>, expected: i32) -> Failure {
    let got = match signal {
        Some(signal) => format!("{code}, since signal {signal} ended the command"),
        None => code.to_string(),
    };
    let message = format!("exitCode: expected {expected}, got {got}");
    let failure = Failure::new(FailureKind::ExitCode, message);
    match code {
        BROKEN_PIPE => failure.with_hint(PIPE_HINT),
        _ => failure,
    }
}

/// The failure of a step in whose output an expression matches nothing.
pub fn no_match(stream: Stream, pattern: &str) -> Failure {
    let (kind, field) = match stream {
        Stream::Stdout => (FailureKind::StdoutRegex, "stdoutRegex"),
        Stream::Stderr => (FailureKind::StderrRegex, "stderrRegex"),
    };
    Failure::new(kind, format!("{field}: nothing matches `{pattern}`"))
}

/// The failure of a step that did not leave a file behind.
pub fn no_file(file: &str, problem: PathProblem) -> Failure {
    let why = match problem {
        PathProblem::Missing => "does not exist",
        PathProblem::Outside => "is outside the project",
    };
    Failure::new(
        FailureKind::FileExists,
        format!("fileExists: `{file}` {why}"),
    )
}

fn unmatched(
    stream: Stream,
    patterns: Option<&[String]>,
    whole: &FinishedOutput,
) -> Option<Failure> {
    let patterns = patterns.filter(|patterns| !patterns.is_empty())?;
    let text = match text_of(whole) {
        Ok(text) => text,
        Err(problem) => {
            let failure = no_match(stream, "");
            let (field, _) = failure.message.split_once(':').unwrap_or_default();
            let message = format!("{field}: the output cannot be read: {problem}");
            return Some(Failure { message, ..failure });
        }
    };
    let text = strip_ansi(&text);
    let matches = |pattern: &Regex| pattern.is_match(&text);
    patterns
        .iter()
        .find(|pattern| !expectation_pattern(pattern).is_ok_and(|pattern| matches(&pattern)))
        .map(|pattern| no_match(stream, pattern))
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
        let problem = paths::inside(root, &cwd.join(file)).err()?;
        Some(no_file(file, problem))
    })
}
