//! Job records.

use serde_json::json;
use windlass_core::Timestamp;
use windlass_store::{JobEnd, JobFilter, NewJob};

use crate::support::{Sandbox, origin, sandbox};

fn new_job(pid: i32, name: &str) -> NewJob {
    NewJob {
        pid,
        unique_name: name.into(),
        started_at: Timestamp::now(),
        owner: json!({"pid": 1}),
        details: json!({"command": format!("make {name}")}),
    }
}

fn end(state: &'static str, exit_code: i32) -> JobEnd {
    JobEnd {
        state,
        ended_at: Timestamp::now(),
        exit_code: Some(exit_code),
        reason: None,
        tail: Some("done\n".into()),
        total_bytes: Some(5),
    }
}

#[test]
fn a_job_and_its_end_are_stored_and_recorded_as_events() {
    let Sandbox { store, .. } = &sandbox();
    let id = store
        .write(&origin(), |writer| writer.job_started(&new_job(7, "build")))
        .expect("stored");
    let running = JobFilter {
        running: true,
        limit: 10,
        ..JobFilter::default()
    };
    let jobs = store
        .read(None, |reader| reader.jobs(&running))
        .expect("stored");
    assert_eq!(jobs.len(), 1);
    assert!(jobs[0].is_running());
    assert_eq!(jobs[0].details["command"], "make build");
    let first = store.write(&origin(), |writer| writer.job_ended(id, &end("exited", 0)));
    assert_eq!(first, Ok(true));
    let second = store.write(&origin(), |writer| writer.job_ended(id, &end("failed", 9)));
    assert_eq!(second, Ok(false), "the first end counts");
    let jobs = store
        .read(None, |reader| reader.jobs(&running))
        .expect("stored");
    assert!(jobs.is_empty());
    let job = store
        .read(None, |reader| reader.job_by_pid(7))
        .expect("stored");
    let job = job.expect("on record");
    assert_eq!((job.state.as_str(), job.exit_code), ("exited", Some(0)));
    assert_eq!(job.tail.as_deref(), Some("done\n"));
    let kinds: Vec<String> = store
        .events_after(0, 10)
        .expect("stored")
        .into_iter()
        .map(|event| event.kind)
        .collect();
    assert_eq!(kinds, ["job.started", "job.ended"]);
}

#[test]
fn a_reused_pid_finds_the_latest_job() {
    let Sandbox { store, .. } = &sandbox();
    for name in ["old", "new"] {
        store
            .write(&origin(), |writer| writer.job_started(&new_job(9, name)))
            .expect("stored");
    }
    let job = store
        .read(None, |reader| reader.job_by_pid(9))
        .expect("stored");
    assert_eq!(job.expect("on record").unique_name, "new");
    let none = store
        .read(None, |reader| reader.job_by_pid(10))
        .expect("stored");
    assert_eq!(none, None);
    let named = JobFilter {
        unique_name: Some("old".into()),
        limit: 10,
        ..JobFilter::default()
    };
    let jobs = store
        .read(None, |reader| reader.jobs(&named))
        .expect("stored");
    assert_eq!(jobs.len(), 1);
}
