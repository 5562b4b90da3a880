//! How runs and steps end.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use windlass_runs::CancellationToken;
use windlass_runs::record::{FailureKind, RunStatus};

use crate::{
    Project, RecordingObserver, created, failure, is_running, local, one, statuses, stdout, until,
};

/// A name, a run, its final status, the statuses of its steps, and the failure message.
type Case = (
    &'static str,
    Json,
    &'static str,
    &'static [&'static str],
    &'static str,
);

async fn check(project: &Project, (name, spec, status, steps, message): Case) {
    let record = project.run(spec).await;
    assert_eq!(record.status().name(), status, "{name}: {record:?}");
    assert_eq!(statuses(&record), steps, "{name}");
    let failure = record.failure().map_or("", |failure| &failure.message);
    assert_eq!(failure, message, "{name}");
    assert!(Some(record.created_at()) <= record.started_at(), "{name}");
    assert!(record.started_at() <= record.completed_at(), "{name}");
}

#[tokio::test]
async fn steps_end_like_their_commands() {
    let project = Project::new();
    project.write("here.txt", "x");
    let cases: Vec<Case> = vec![
        (
            "success",
            local(&["true", "echo hi"]),
            "success",
            &["success", "success"],
            "",
        ),
        (
            "a failure skips the rest",
            local(&["true", "exit 3", "true", "true"]),
            "failed",
            &["success", "failed", "skipped", "skipped"],
            "exitCode: expected 0, got 3",
        ),
        (
            "timeout",
            one("sleep 30", json!({"timeoutSec": 0.1})),
            "timeout",
            &["timeout"],
            "The step took longer than 100ms",
        ),
        (
            "a signal is a code",
            local(&["kill -9 $$"]),
            "failed",
            &["failed"],
            "exitCode: expected 0, got 137, since signal 9 ended the command",
        ),
        (
            "expected code",
            one("exit 7", json!({"expect": {"exitCode": 7}})),
            "success",
            &["success"],
            "",
        ),
        (
            "unexpected success",
            one("true", json!({"expect": {"exitCode": 7}})),
            "failed",
            &["failed"],
            "exitCode: expected 7, got 0",
        ),
    ];
    for case in cases {
        check(&project, case).await;
    }
}

#[tokio::test]
async fn expectations_are_checked() {
    let project = Project::new();
    project.write("here.txt", "x");
    let cases: Vec<Case> = vec![
        (
            "stdout matches by line",
            one(
                "echo one; printf '\\033[31mred\\033[0m\\n'",
                json!({"expect": {"stdoutRegex": ["^one$", "^red$"]}}),
            ),
            "success",
            &["success"],
            "",
        ),
        (
            "stdout does not match",
            one(
                "echo one >&2; echo two",
                json!({"expect": {"stdoutRegex": ["two", "on."]}}),
            ),
            "failed",
            &["failed"],
            "stdoutRegex: nothing matches `on.`",
        ),
        (
            "stderr does not match",
            one("echo one", json!({"expect": {"stderrRegex": ["one"]}})),
            "failed",
            &["failed"],
            "stderrRegex: nothing matches `one`",
        ),
        (
            "files",
            one(
                "touch made",
                json!({"expect": {"fileExists": ["here.txt", "made"]}}),
            ),
            "success",
            &["success"],
            "",
        ),
        (
            "no file",
            one(
                "true",
                json!({"expect": {"fileExists": ["here.txt", "none"]}}),
            ),
            "failed",
            &["failed"],
            "fileExists: `none` does not exist",
        ),
        (
            "a folder that is not there",
            one("true", json!({"cwd": "none"})),
            "failed",
            &["failed"],
            "cwd: `none` does not exist",
        ),
        (
            "a file as a folder",
            one("true", json!({"cwd": "here.txt"})),
            "failed",
            &["failed"],
            "cwd: `here.txt` is not a folder",
        ),
    ];
    for case in cases {
        check(&project, case).await;
    }
}

#[tokio::test]
async fn patterns_are_matched_against_the_complete_output() {
    let project = Project::new();
    let command = "echo needle; seq 500000 | sed 's/.*/hay/'; echo end";
    let expect = json!({"expect": {"stdoutRegex": ["needle\nhay", "^end$"]}});
    let record = project.run(one(command, expect)).await;
    assert_eq!(
        record.status(),
        RunStatus::Success,
        "{:?}",
        record.failure()
    );
    assert_eq!(stdout(&record).chars().count(), 4000);
    assert!(record.steps()[0].output_truncated);
}

#[tokio::test]
async fn output_beyond_the_limit_is_cut_but_its_end_is_kept() {
    let mut project = Project::new();
    project.options.artifact_limits.output_bytes = 1000;
    let command = "echo first; seq 1000 | sed 's/.*/hay/'; echo last";
    let expect = json!({"expect": {"stdoutRegex": ["^first$", "^last$"]}});
    let record = project.run(one(command, expect)).await;
    assert_eq!(
        record.status(),
        RunStatus::Success,
        "{:?}",
        record.failure()
    );
    let log = &record.steps()[0].artifacts[0];
    assert_eq!((&*log.name, log.bytes), ("stdout.log", Some(1000)));
    assert_eq!(
        log.skipped.as_deref(),
        Some("it is too long, only its beginning is stored")
    );
}

#[tokio::test]
async fn a_timeout_stops_the_whole_process_tree() {
    let project = Project::new();
    let mark = format!("{}.77", std::process::id());
    let command = format!("(setsid sleep {mark} &) ; sleep {mark} & echo up; wait");
    let record = project.run(one(&command, json!({"timeoutSec": 0.5}))).await;
    assert_eq!(record.status(), RunStatus::Timeout);
    assert_eq!(stdout(&record), "up\n");
    assert_eq!(record.failure().unwrap().step, Some(0));
    assert!(!is_running(&mark));
}

#[tokio::test]
async fn a_step_ends_with_its_background_processes() {
    let project = Project::new();
    let mark = format!("{}.88", std::process::id());
    let record = project
        .run(local(&[&format!("sleep {mark} & echo started"), "true"]))
        .await;
    assert_eq!(record.status(), RunStatus::Success);
    assert!(!is_running(&mark));
}

#[tokio::test]
async fn cancelling_stops_the_step_and_skips_the_rest() {
    let project = Project::new();
    let mark = format!("{}.99", std::process::id());
    let (record, spec) = created(local(&[&format!("sleep {mark} & echo up; wait"), "true"]));
    let cancel = CancellationToken::new();
    let notes = RecordingObserver {
        cancel_at: Some(("up", cancel.clone())),
        ..RecordingObserver::default()
    };
    let record = project
        .engine()
        .execute(record, &spec, Arc::new(notes), &cancel)
        .await
        .unwrap();
    assert_eq!(record.status(), RunStatus::Cancelled);
    assert_eq!(statuses(&record), ["failed", "skipped"]);
    assert_eq!(record.failure().unwrap().kind, FailureKind::Cancelled);
    assert_eq!(stdout(&record), "up\n");
    assert!(!is_running(&mark));
}

#[tokio::test]
async fn waiting_runs_can_be_cancelled() {
    let mut project = Project::new();
    project.options.max_parallel = 1;
    let engine = project.engine();
    let (first, first_spec) = created(local(&["until [ -e go ]; do sleep 0.01; done"]));
    let running = tokio::spawn({
        let engine = engine.clone();
        async move {
            let cancel = CancellationToken::new();
            engine
                .execute(first, &first_spec, Arc::new(()), &cancel)
                .await
        }
    });
    until("the first run", || engine.running() == 1).await;
    let (second, second_spec) = created(local(&["touch second"]));
    let notes = Arc::new(RecordingObserver::default());
    let cancel = CancellationToken::new();
    let waiting = tokio::spawn({
        let (engine, notes, cancel) = (engine.clone(), Arc::clone(&notes), cancel.clone());
        async move { engine.execute(second, &second_spec, notes, &cancel).await }
    });
    tokio::task::yield_now().await;
    assert!(notes.changes.lock().unwrap().is_empty());
    cancel.cancel();
    let cancelled = waiting.await.unwrap().unwrap();
    assert_eq!(cancelled.status(), RunStatus::Cancelled);
    assert_eq!(statuses(&cancelled), ["skipped"]);
    assert!(!project.root.join("second").exists());
    project.write("go", "");
    assert_eq!(running.await.unwrap().unwrap().status(), RunStatus::Success);
    assert_eq!(engine.running(), 0);
}

#[tokio::test]
async fn a_run_is_executed_once() {
    let project = Project::new();
    let (record, spec) = created(json!({
        "runId": "run-123",
        "title": "t",
        "runtime": "dummy",
        "steps": [{"name": "a", "shell": "bash", "command": "exit 1"}],
    }));
    let engine = project.engine();
    let cancel = CancellationToken::new();
    let record = engine
        .execute(record, &spec, Arc::new(()), &cancel)
        .await
        .unwrap();
    let error = engine
        .execute(record, &spec, Arc::new(()), &cancel)
        .await
        .unwrap_err();
    let expected = "Run run-123 has already been executed (status: success)";
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn an_environment_that_cannot_be_resolved_fails_the_run() {
    let project = Project::new();
    let mut spec = local(&["touch made"]);
    spec["envRefs"] = json!({"A": "env:NOT_SET"});
    let record = project.run(spec).await;
    assert_eq!(record.status(), RunStatus::Failed);
    assert_eq!(statuses(&record), ["skipped"]);
    assert_eq!(
        failure(&record),
        "envRefs.A: the variable NOT_SET is not set"
    );
    assert!(!project.root.join("made").exists());
}
