use serde_json::json;

use super::*;

fn valid() -> Json {
    json!({
        "title": "Build",
        "runtime": "local",
        "steps": [{"name": "a", "shell": "bash", "command": "true"}],
    })
}

/// The valid spec with `value` at `pointer`, or without that field.
fn with(pointer: &str, value: Option<Json>) -> Json {
    let mut spec = valid();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let object = spec.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    match value {
        Some(value) => object.insert(key.to_owned(), value),
        None => object.remove(key),
    };
    spec
}

fn check(spec: Json, expected: &str) {
    let error = RunSpec::parse(spec.clone()).expect_err(&spec.to_string());
    assert_eq!(error.to_string(), expected, "{spec}");
}

#[test]
fn missing_fields_are_named() {
    for (pointer, expected) in [
        ("/title", "title: Required"),
        ("/runtime", "runtime: Required"),
        ("/steps", "steps: Required"),
        ("/steps/0/name", "steps.0.name: Required"),
        ("/steps/0/shell", "steps.0.shell: Required"),
        ("/steps/0/command", "steps.0.command: Required"),
    ] {
        check(with(pointer, None), expected);
    }
}

#[test]
fn problems_of_a_run_are_named() {
    let runtimes = "'dummy' | 'local' | 'docker' | 'github-runner' | 'ecs-task' | 'ssm'";
    let step = json!({"name": "a", "shell": "sh", "command": "true"});
    let many = Json::Array(vec![step; Limits::STEPS + 1]);
    for (pointer, value, expected) in [
        (
            "/title",
            json!(""),
            "title: String must contain at least 1 character(s)",
        ),
        (
            "/title",
            json!(null),
            "title: Expected string, received null",
        ),
        (
            "/runtime",
            json!("invalid"),
            &*format!("runtime: Invalid enum value. Expected {runtimes}, received 'invalid'"),
        ),
        (
            "/runtime",
            json!(1),
            &*format!("runtime: Expected {runtimes}, received number"),
        ),
        (
            "/steps",
            json!([]),
            "steps: Array must contain at least 1 element(s)",
        ),
        (
            "/steps",
            json!({}),
            "steps: Expected array, received object",
        ),
        (
            "/steps",
            many,
            "steps: Array must contain at most 1000 element(s)",
        ),
        (
            "/steps",
            json!([1]),
            "steps.0: Expected object, received number",
        ),
        (
            "/envRefs",
            json!({"A": 1}),
            "envRefs.A: Expected string, received number",
        ),
        (
            "/envRefs",
            json!({"A B": "x"}),
            "envRefs.A B: A name may contain only letters, digits and _, and must not begin with a digit",
        ),
        (
            "/envRefs",
            json!({"A": "file:../secret"}),
            "envRefs.A: Path must not contain '..'",
        ),
        (
            "/envRefs",
            json!({"A": "env:"}),
            "envRefs.A: env: must name a variable",
        ),
        ("/extra", json!(1), "Unrecognized key(s) in object: 'extra'"),
    ] {
        check(with(pointer, Some(value)), expected);
    }
    check(json!("text"), "Expected object, received string");
}

#[test]
fn problems_of_a_step_are_named() {
    let long = "x".repeat(Limits::COMMAND_BYTES + 1);
    for (pointer, value, expected) in [
        (
            "/steps/0/shell",
            json!("zsh"),
            "steps.0.shell: Invalid enum value. Expected 'bash' | 'pwsh' | 'sh', received 'zsh'",
        ),
        (
            "/steps/0/command",
            json!(long),
            "steps.0.command: String must contain at most 102400 byte(s)",
        ),
        (
            "/steps/0/command",
            json!("a\0b"),
            "steps.0.command: String must not contain a NUL character",
        ),
        (
            "/steps/0/timeoutSec",
            json!("5"),
            "steps.0.timeoutSec: Expected number, received string",
        ),
        (
            "/steps/0/timeoutSec",
            json!(0),
            "steps.0.timeoutSec: Number must be greater than 0",
        ),
        (
            "/steps/0/timeoutSec",
            json!(1e9),
            "steps.0.timeoutSec: Number must be less than or equal to 604800",
        ),
        (
            "/steps/0/cwd",
            json!("/etc"),
            "steps.0.cwd: Path must be relative to the project",
        ),
        (
            "/steps/0/cwd",
            json!("C:\\x"),
            "steps.0.cwd: Path must be relative to the project",
        ),
        (
            "/steps/0/cwd",
            json!("a/../b"),
            "steps.0.cwd: Path must not contain '..'",
        ),
        (
            "/steps/0/when",
            json!(1),
            "steps.0: Unrecognized key(s) in object: 'when'",
        ),
    ] {
        check(with(pointer, Some(value)), expected);
    }
}

#[test]
fn problems_of_expectations_and_globs_are_named() {
    for (pointer, value, expected) in [
        (
            "/steps/0/expect",
            json!({"fileExists": ["ok", "../x"]}),
            "steps.0.expect.fileExists.1: Path must not contain '..'",
        ),
        (
            "/steps/0/expect",
            json!({"exitCode": "0"}),
            "steps.0.expect.exitCode: Expected number, received string",
        ),
        (
            "/steps/0/expect",
            json!({"exitCode": 1.5}),
            "steps.0.expect.exitCode: Expected a 32-bit integer",
        ),
        (
            "/steps/0/expect",
            json!({"stdoutRegex": ["("]}),
            "steps.0.expect.stdoutRegex.0: Invalid regex: unclosed group",
        ),
        (
            "/steps/0/expect",
            json!({"stderrRegex": ["a", "(?=b)"]}),
            "steps.0.expect.stderrRegex.1: Invalid regex: look-around, including look-ahead and \
             look-behind, is not supported",
        ),
        (
            "/steps/0/artifacts",
            json!(["/tmp/*"]),
            "steps.0.artifacts.0: Path must be relative to the project",
        ),
        (
            "/steps/0/artifacts",
            json!(["a{b"]),
            "steps.0.artifacts.0: Invalid glob: unclosed alternate group; missing '}' (maybe \
             escape '{' with '[{]'?)",
        ),
        (
            "/steps/0/expect",
            json!({"code": 1, "x": 2}),
            "steps.0.expect: Unrecognized key(s) in object: 'code', 'x'",
        ),
    ] {
        check(with(pointer, Some(value)), expected);
    }
}

#[test]
fn all_problems_are_reported() {
    let error = RunSpec::parse(json!({"runtime": "x", "steps": [{}], "y": 1})).unwrap_err();
    let paths: Vec<&str> = error.issues().map(|issue| issue.path.as_str()).collect();
    let expected = [
        "title",
        "runtime",
        "steps.0.name",
        "steps.0.shell",
        "steps.0.command",
        "",
    ];
    assert_eq!(paths, expected);
}

#[test]
fn a_valid_spec_round_trips() {
    let spec = json!({
        "runId": "r-1",
        "issueId": "42",
        "title": "Everything",
        "runtime": "github-runner",
        "steps": [{
            "name": "a",
            "shell": "pwsh",
            "command": "x",
            "cwd": "web",
            "timeoutSec": 300,
            "expect": {
                "exitCode": 2,
                "stdoutRegex": ["^ok$"],
                "stderrRegex": [],
                "fileExists": ["a..b"],
            },
            "artifacts": ["dist/**/*"],
        }],
        "envRefs": {"A": "env:B", "C": "plain", "D": "value:env:x"},
    });
    let parsed = RunSpec::parse(spec.clone()).unwrap();
    assert_eq!(serde_json::to_value(parsed).unwrap(), spec);
    let half = with("/steps/0/timeoutSec", Some(json!(0.5)));
    let parsed = RunSpec::parse(half).unwrap();
    let timeout = parsed.steps[0].timeout_sec.as_ref().unwrap();
    assert_eq!(timeout.duration(), std::time::Duration::from_millis(500));
}

#[test]
fn a_literal_round_trips_whatever_its_prefix() {
    for text in ["plain", "", "env:HOME", "file:x", "value:", "value:env:A"] {
        assert_eq!(EnvRef::of(&EnvRef::literal(text)), EnvRef::Value(text));
    }
}
