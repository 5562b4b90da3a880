//! The rules of a RunSpec, field by field.

use globset::GlobBuilder;
use regex::{Regex, RegexBuilder};
use serde_json::Value as Json;

use super::check::{Findings, Invalid, join};
use super::limits::Limits;
use super::types::{EnvRef, RunSpec, RuntimeName, Shell};

const SPEC_FIELDS: &[&str] = &["runId", "issueId", "title", "runtime", "steps", "envRefs"];
const STEP_FIELDS: &[&str] = &[
    "name",
    "shell",
    "command",
    "cwd",
    "timeoutSec",
    "expect",
    "artifacts",
];
const EXPECT_FIELDS: &[&str] = &["exitCode", "stdoutRegex", "stderrRegex", "fileExists"];

impl RunSpec {
    /// Parses a RunSpec strictly. The text of the error is `{field}: {message}` of the first
    /// problem; the error contains all problems.
    pub fn parse(value: Json) -> Result<Self, Invalid> {
        let mut findings = Findings::default();
        check_spec(&mut findings, &value);
        findings.into_result()?;
        // A value that passes the rules matches the types; if there is a gap between them, it is
        // still reported as an error.
        serde_json::from_value(value).map_err(|problem| Invalid::new("", problem.to_string()))
    }
}

fn check_spec(findings: &mut Findings, value: &Json) {
    let Some(spec) = findings.object("", value) else {
        return;
    };
    for field in ["runId", "issueId"] {
        if let Some(value) = spec.get(field) {
            findings.filled_text(field, value, Limits::ID_CHARS);
        }
    }
    if let Some(value) = findings.required("", spec, "title") {
        findings.filled_text("title", value, Limits::TITLE_CHARS);
    }
    if let Some(value) = findings.required("", spec, "runtime") {
        findings.one_of("runtime", value, &RuntimeName::ALL.map(RuntimeName::name));
    }
    if let Some(value) = findings.required("", spec, "steps") {
        check_steps(findings, value);
    }
    if let Some(value) = spec.get("envRefs") {
        check_env_refs(findings, value);
    }
    findings.unknown_keys("", spec, SPEC_FIELDS);
}

fn check_steps(findings: &mut Findings, value: &Json) {
    let Some(steps) = findings.list("steps", value, (1, Limits::STEPS)) else {
        return;
    };
    for (index, step) in steps.iter().enumerate() {
        check_step(findings, &join("steps", index), step);
    }
    let all: usize = steps
        .iter()
        .filter_map(|step| step.get("command")?.as_str())
        .map(str::len)
        .sum();
    if all > Limits::ALL_COMMANDS_BYTES {
        let most = Limits::ALL_COMMANDS_BYTES;
        let message = format!("Commands of all steps must contain at most {most} byte(s)");
        findings.add("steps", message);
    }
}

fn check_step(findings: &mut Findings, path: &str, value: &Json) {
    let Some(step) = findings.object(path, value) else {
        return;
    };
    if let Some(value) = findings.required(path, step, "name") {
        findings.filled_text(&join(path, "name"), value, Limits::NAME_CHARS);
    }
    if let Some(value) = findings.required(path, step, "shell") {
        findings.one_of(&join(path, "shell"), value, &Shell::ALL.map(Shell::name));
    }
    if let Some(value) = findings.required(path, step, "command") {
        let path = join(path, "command");
        if let Some(text) = findings.filled_text(&path, value, usize::MAX)
            && text.len() > Limits::COMMAND_BYTES
        {
            let most = Limits::COMMAND_BYTES;
            findings.add(&path, format!("String must contain at most {most} byte(s)"));
        }
    }
    if let Some(value) = step.get("cwd") {
        check_path(findings, &join(path, "cwd"), value);
    }
    if let Some(value) = step.get("timeoutSec") {
        check_timeout(findings, &join(path, "timeoutSec"), value);
    }
    if let Some(value) = step.get("expect") {
        check_expect(findings, &join(path, "expect"), value);
    }
    if let Some(value) = step.get("artifacts") {
        check_each(findings, &join(path, "artifacts"), value, check_glob);
    }
    findings.unknown_keys(path, step, STEP_FIELDS);
}

fn check_expect(findings: &mut Findings, path: &str, value: &Json) {
    let Some(expect) = findings.object(path, value) else {
        return;
    };
    if let Some(value) = expect.get("exitCode") {
        let path = join(path, "exitCode");
        match value.as_i64() {
            Some(code) if i32::try_from(code).is_ok() => {}
            None if !value.is_number() => findings.wrong_type(&path, "number", value),
            _ => findings.add(&path, "Expected a 32-bit integer"),
        }
    }
    for field in ["stdoutRegex", "stderrRegex"] {
        if let Some(value) = expect.get(field) {
            check_each(findings, &join(path, field), value, check_pattern);
        }
    }
    if let Some(value) = expect.get("fileExists") {
        check_each(findings, &join(path, "fileExists"), value, check_path);
    }
    findings.unknown_keys(path, expect, EXPECT_FIELDS);
}

fn check_env_refs(findings: &mut Findings, value: &Json) {
    let Some(entries) = findings.object("envRefs", value) else {
        return;
    };
    if entries.len() > Limits::ENV_REFS {
        let most = Limits::ENV_REFS;
        let message = format!("Object must contain at most {most} key(s)");
        findings.add("envRefs", message);
        return;
    }
    for (name, value) in entries {
        let path = join("envRefs", name);
        if !is_environment_name(name) {
            let message =
                "A name may contain only letters, digits and _, and must not begin with a digit";
            findings.add(&path, message);
        }
        let Some(text) = findings.text(&path, value) else {
            continue;
        };
        if text.len() > Limits::ENV_VALUE_BYTES || text.contains('\0') {
            let most = Limits::ENV_VALUE_BYTES;
            let message = format!("String must contain at most {most} byte(s) and no NUL");
            findings.add(&path, message);
            continue;
        }
        match EnvRef::of(text) {
            EnvRef::Value(_) => {}
            EnvRef::Environment(name) if is_environment_name(name) => {}
            EnvRef::Environment(_) => findings.add(&path, "env: must name a variable"),
            EnvRef::File(file) => check_path_text(findings, &path, file),
        }
    }
}

fn check_each(
    findings: &mut Findings,
    path: &str,
    value: &Json,
    check: fn(&mut Findings, &str, &Json),
) {
    for (index, item) in findings
        .list(path, value, (0, Limits::LIST))
        .unwrap_or_default()
        .iter()
        .enumerate()
    {
        check(findings, &join(path, index), item);
    }
}

fn check_timeout(findings: &mut Findings, path: &str, value: &Json) {
    let Some(seconds) = value.as_f64() else {
        return findings.wrong_type(path, "number", value);
    };
    if seconds <= 0.0 {
        findings.add(path, "Number must be greater than 0");
    } else if seconds > std::time::Duration::from_secs(Limits::TIMEOUT_SECONDS).as_secs_f64() {
        let most = Limits::TIMEOUT_SECONDS;
        findings.add(path, format!("Number must be less than or equal to {most}"));
    }
}

fn check_path(findings: &mut Findings, path: &str, value: &Json) {
    if let Some(text) = findings.filled_text(path, value, Limits::PATH_CHARS) {
        check_path_text(findings, path, text);
    }
}

fn check_path_text(findings: &mut Findings, path: &str, text: &str) {
    let has_drive = text.as_bytes().get(1) == Some(&b':');
    if text.is_empty() {
        findings.add(path, "A path is missing");
    } else if text.starts_with(['/', '\\', '~']) || has_drive {
        findings.add(path, "Path must be relative to the project");
    } else if text.split(['/', '\\']).any(|part| part == "..") {
        findings.add(path, "Path must not contain '..'");
    }
}

fn check_glob(findings: &mut Findings, path: &str, value: &Json) {
    let Some(text) = findings.filled_text(path, value, Limits::PATH_CHARS) else {
        return;
    };
    check_path_text(findings, path, text);
    if let Err(problem) = GlobBuilder::new(text).literal_separator(true).build() {
        findings.add(path, format!("Invalid glob: {}", problem.kind()));
    }
}

fn check_pattern(findings: &mut Findings, path: &str, value: &Json) {
    let Some(text) = findings.filled_text(path, value, Limits::PATTERN_CHARS) else {
        return;
    };
    if let Err(problem) = expectation_pattern(text) {
        let problem = problem.to_string();
        let last = problem.lines().last().unwrap_or_default();
        let why = last.trim().trim_start_matches("error: ");
        findings.add(path, format!("Invalid regex: {why}"));
    }
}

/// Compiles a pattern of `stdoutRegex` or `stderrRegex`, with `^` and `$` matching at line ends.
pub fn expectation_pattern(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern)
        .multi_line(true)
        .size_limit(Limits::PATTERN_COMPILED_BYTES)
        .build()
}

/// Whether a shell accepts this name for a variable.
pub fn is_environment_name(name: &str) -> bool {
    let mut letters = name.chars();
    letters
        .next()
        .is_some_and(|first| first == '_' || first.is_ascii_alphabetic())
        && letters.all(|letter| letter == '_' || letter.is_ascii_alphanumeric())
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
