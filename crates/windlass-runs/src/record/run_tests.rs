use serde_json::{Value as Json, json};

use super::*;

fn record() -> RunRecord {
    let spec = RunSpec::parse(json!({
        "runId": "r-1",
        "title": "Build",
        "runtime": "dummy",
        "steps": [
            {"name": "a", "shell": "sh", "command": "x"},
            {"name": "b", "shell": "sh", "command": "y"},
        ],
    }))
    .unwrap();
    RunRecord::create(&spec, NewRun::default())
}

fn at(status: RunStatus) -> RunRecord {
    let mut record = record();
    if status != RunStatus::Created {
        record.start(Timestamp::now()).unwrap();
    }
    if status.is_terminal() {
        record.end(Timestamp::now(), status, None).unwrap();
    }
    record
}

fn keys(json: &Json) -> Vec<&str> {
    json.as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

#[test]
fn times_are_present_by_status() {
    for status in RunStatus::ALL {
        let record = at(status);
        let json = serde_json::to_value(record.state()).unwrap();
        assert_eq!(json["status"], status.name());
        let started = status != RunStatus::Created;
        let ended = status.is_terminal();
        for (field, expected) in [
            ("createdAt", true),
            ("startedAt", started),
            ("completedAt", ended),
            ("durationMs", ended),
        ] {
            assert_eq!(json.get(field).is_some(), expected, "{status} {field}");
        }
        let stored = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<RunRecord>(&stored).unwrap(), record);
    }
}

#[test]
fn a_record_whose_times_do_not_match_its_status_is_rejected() {
    let mut json = serde_json::to_value(at(RunStatus::Created)).unwrap();
    json["status"] = json!("success");
    let error = serde_json::from_value::<RunRecord>(json).unwrap_err();
    let expected = "the times of run r-1 do not match its status success";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn only_allowed_transitions_happen() {
    for from in RunStatus::ALL {
        for to in RunStatus::ALL {
            let mut record = at(from);
            let before = record.clone();
            let done = match to {
                RunStatus::Running => record.start(Timestamp::now()),
                _ => record.end(Timestamp::now(), to, None),
            };
            assert_eq!(done.is_ok(), from.may_become(to), "{from} -> {to}");
            if let Err(error) = done {
                assert_eq!(record, before, "{from} -> {to}");
                let expected = format!("Run r-1 cannot become {to} (status: {from})");
                assert_eq!(error.to_string(), expected);
            }
        }
    }
}

#[test]
fn setting_the_clock_back_does_not_change_the_order() {
    let mut record = record();
    let past = Timestamp::from_millis(0);
    record.start(past.clone()).unwrap();
    record.end(past, RunStatus::Success, None).unwrap();
    assert!(Some(record.created_at()) <= record.started_at());
    assert!(record.started_at() <= record.completed_at());
    assert_eq!(record.duration_ms(), Some(0));
}

#[test]
fn an_interrupted_run_names_the_step() {
    let mut record = record();
    record.start(Timestamp::now()).unwrap();
    record.start_step(0, Timestamp::now());
    record.interrupt("the server ended").unwrap();
    assert_eq!(record.status(), RunStatus::Failed);
    let failure = record.failure().unwrap();
    assert_eq!(failure.message, "interrupted: the server ended");
    assert_eq!(failure.step, Some(0));
    assert_eq!(record.steps()[0].status, StepStatus::Failed);
    assert_eq!(record.steps()[1].status, StepStatus::Skipped);
    assert!(record.interrupt("again").is_err());
}

#[test]
fn a_run_that_never_started_can_be_cancelled() {
    let mut record = record();
    record.cancel_before_start("by hand").unwrap();
    assert_eq!(record.status(), RunStatus::Cancelled);
    assert!(record.started_at().is_some() && record.completed_at().is_some());
    assert!(
        record
            .steps()
            .iter()
            .all(|step| step.status == StepStatus::Skipped)
    );
}

#[test]
fn outputs_have_the_fields_of_the_contract() {
    let created = serde_json::to_value(record().created()).unwrap();
    let expected = ["runId", "title", "runtime", "status", "steps", "createdAt"];
    assert_eq!(keys(&created), expected);
    assert_eq!(
        created["steps"][0],
        json!({"name": "a", "status": "pending"})
    );
    let executed = serde_json::to_value(at(RunStatus::Success).executed()).unwrap();
    let expected = [
        "runId",
        "status",
        "steps",
        "startedAt",
        "completedAt",
        "durationMs",
    ];
    assert_eq!(keys(&executed), expected);
    let full = serde_json::to_value(at(RunStatus::Success).full()).unwrap();
    for field in [
        "runId",
        "status",
        "createdAt",
        "startedAt",
        "completedAt",
        "durationMs",
        "steps",
    ] {
        assert!(full.get(field).is_some(), "{field}");
    }
}
