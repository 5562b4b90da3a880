//! Run records.

use serde_json::json;
use windlass_core::{ErrorKind, Timestamp};
use windlass_store::{NewRun, RunFilter};

use crate::support::{Sandbox, origin, sandbox};

fn new_run(run_id: &str) -> NewRun {
    NewRun {
        run_id: run_id.into(),
        runtime: "dummy".into(),
        playbook_id: None,
        parent_run_id: None,
        created_at: Timestamp::now(),
        spec: json!({"title": "t"}),
        record: json!({"runId": run_id, "title": "t"}),
    }
}

#[test]
fn a_run_is_executed_once_and_its_steps_are_recorded_as_events() {
    let Sandbox { store, .. } = &sandbox();
    let write = |work: &dyn Fn(&windlass_store::Writer<'_>) -> windlass_core::Result<()>| {
        store
            .write(&origin(), |writer| work(writer))
            .expect("stored");
    };
    write(&|writer| writer.run_created(&new_run("run-1")));
    let again = store.write(&origin(), |writer| writer.run_created(&new_run("run-1")));
    assert_eq!(again.expect_err("refused").kind(), ErrorKind::RunExists);
    let start = || {
        store.write(&origin(), |writer| {
            writer.run_started("run-1", &json!({"pid": 1}), &json!({"status": "running"}))
        })
    };
    assert_eq!(start(), Ok(None), "taken");
    assert_eq!(start(), Ok(Some("running".into())), "only once");
    let steps = [json!({"name": "a"}), json!({"name": "b"})];
    write(&|writer| writer.run_progressed("run-1", &json!({"at": 1}), &steps));
    let is_cancelled = |run_id| {
        store
            .read(None, |reader| reader.is_run_cancelled(run_id))
            .expect("read")
    };
    assert!(!is_cancelled("run-1"));
    write(&|writer| writer.run_cancel("run-1"));
    assert!(is_cancelled("run-1"));
    assert!(!is_cancelled("no-run"));
    let run = store
        .read(None, |reader| reader.run("run-1"))
        .expect("read");
    let run = run.expect("on record");
    assert!(run.cancel);
    assert_eq!(run.record, json!({"at": 1}));
    let end = || {
        store.write(&origin(), |writer| {
            writer.run_ended("run-1", "cancelled", &json!({"status": "cancelled"}))
        })
    };
    assert_eq!(end(), Ok(true));
    assert_eq!(end(), Ok(false), "the first end counts");
    let events = store.events_after(0, 10).expect("read");
    let kinds: Vec<&str> = events.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(
        kinds,
        [
            "run.created",
            "run.started",
            "run.step",
            "run.step",
            "run.cancel_requested",
            "run.ended"
        ]
    );
}

#[test]
fn runs_are_listed_newest_first_and_filtered() {
    let Sandbox { store, .. } = &sandbox();
    for name in ["a", "b", "c"] {
        store
            .write(&origin(), |writer| writer.run_created(&new_run(name)))
            .expect("stored");
    }
    store
        .write(&origin(), |writer| {
            writer.run_started("b", &json!({}), &json!({}))
        })
        .expect("stored");
    let list = |status: Option<&str>, limit, offset| {
        let filter = RunFilter {
            status: status.map(str::to_owned),
            limit,
            offset,
            ..RunFilter::default()
        };
        let runs = store
            .read(None, |reader| reader.runs(&filter))
            .expect("read");
        runs.into_iter().map(|run| run.run_id).collect::<Vec<_>>()
    };
    assert_eq!(list(None, 10, 0), ["c", "b", "a"]);
    assert_eq!(list(None, 1, 1), ["b"]);
    assert_eq!(list(Some("running"), 10, 0), ["b"]);
    assert_eq!(list(Some("created"), 10, 0), ["c", "a"]);
}
