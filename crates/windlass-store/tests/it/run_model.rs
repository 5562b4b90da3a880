//! Random actions of several processes on runs and sessions, on the store and on a small model; both
//! must give the same result.

use proptest::prelude::*;
use serde_json::json;
use windlass_core::{ErrorKind, EventType, Result, Timestamp};
use windlass_store::{EventFilter, NewRun, NewSession, SessionEnd, Store, Writer};

use crate::support::{Sandbox, origin, sandbox};

const NAMES: [&str; 2] = ["a", "b"];

fn write<T>(store: &Store, work: impl FnOnce(&Writer<'_>) -> Result<T>) -> Result<T> {
    store.write(&origin(), work)
}

/// How many events of a type there are.
fn events(sandbox: &Sandbox, kind: EventType) -> usize {
    let filter = EventFilter {
        kind: Some(kind.name().to_owned()),
        limit: 1_000,
        ..EventFilter::default()
    };
    let found = sandbox.store.read(None, |reader| reader.events(&filter));
    found.expect("read").len()
}

#[derive(Debug, Clone, Copy)]
enum OnRun {
    Create,
    Start(u32),
    Progress,
    End(&'static str),
    Cancel,
}

fn on_run() -> impl Strategy<Value = OnRun> {
    prop_oneof![
        2 => Just(OnRun::Create),
        4 => (1..4_u32).prop_map(OnRun::Start),
        4 => Just(OnRun::Progress),
        2 => prop_oneof![Just("success"), Just("failed"), Just("cancelled")].prop_map(OnRun::End),
        2 => Just(OnRun::Cancel),
    ]
}

#[derive(Debug, Clone, Default)]
struct Run {
    status: Option<&'static str>,
    owner: Option<u32>,
    cancel: bool,
}

#[derive(Debug, Clone, Copy)]
enum OnSession {
    Start,
    RunBy(u32),
    End(&'static str),
}

fn on_session() -> impl Strategy<Value = OnSession> {
    prop_oneof![
        2 => Just(OnSession::Start),
        3 => (1..4_u32).prop_map(OnSession::RunBy),
        2 => prop_oneof![Just("done"), Just("stuck")].prop_map(OnSession::End),
    ]
}

#[derive(Debug, Clone, Default)]
struct Session {
    status: Option<&'static str>,
    owner: String,
    closing: Option<&'static str>,
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn runs_follow_their_model(actions in prop::collection::vec((0..2_usize, on_run()), 1..30)) {
        let sandbox = sandbox();
        let store = &sandbox.store;
        let mut model = [Run::default(), Run::default()];
        let (mut started, mut steps, mut ended) = (0, 0, 0);
        for (at, action) in actions {
            let (name, run) = (NAMES[at], &mut model[at]);
            match action {
                OnRun::Create => {
                    let new = NewRun {
                        run_id: name.into(),
                        runtime: "dummy".into(),
                        playbook_id: None,
                        parent_run_id: None,
                        created_at: Timestamp::now(),
                        spec: json!({}),
                        record: json!({}),
                    };
                    let made = write(store, |writer| writer.run_created(&new));
                    if run.status.is_none() {
                        prop_assert!(made.is_ok());
                    } else {
                        prop_assert_eq!(made.unwrap_err().kind(), ErrorKind::RunExists);
                    }
                    run.status = run.status.or(Some("created"));
                }
                OnRun::Start(owner) => {
                    let record = json!({"status": "running"});
                    let taken = write(store, |writer| {
                        writer.run_started(name, &json!({"pid": owner}), &record)
                    });
                    match run.status {
                        None => prop_assert!(taken.is_err()),
                        Some("created") => {
                            prop_assert_eq!(taken, Ok(None));
                            (run.status, run.owner) = (Some("running"), Some(owner));
                            started += 1;
                        }
                        Some(other) => prop_assert_eq!(taken, Ok(Some(other.to_owned()))),
                    }
                }
                OnRun::Progress => {
                    let stored = write(store, |writer| {
                        writer.run_progressed(name, &json!({"at": 1}), &[json!({"name": "s"})])
                    });
                    prop_assert!(stored.is_ok());
                    steps += usize::from(run.status == Some("running"));
                }
                OnRun::End(status) => {
                    let changed = write(store, |writer| writer.run_ended(name, status, &json!({})));
                    let was_open = matches!(run.status, Some("created" | "running"));
                    prop_assert_eq!(changed, Ok(was_open));
                    if was_open {
                        run.status = Some(status);
                        ended += 1;
                    }
                }
                OnRun::Cancel => {
                    prop_assert!(write(store, |writer| writer.run_cancel(name)).is_ok());
                    run.cancel |= run.status.is_some();
                }
            }
            for (name, run) in NAMES.iter().zip(&model) {
                let found = store.read(None, |reader| reader.run(name)).expect("read");
                prop_assert_eq!(found.as_ref().map(|it| it.status.as_str()), run.status);
                if let Some(found) = found {
                    prop_assert_eq!(found.cancel, run.cancel);
                    prop_assert_eq!(found.owner["pid"].as_u64(), run.owner.map(u64::from));
                }
            }
        }
        // Each is told once, and nothing is told about a run that has ended.
        prop_assert_eq!(events(&sandbox, EventType::RunStarted), started);
        prop_assert_eq!(events(&sandbox, EventType::RunStep), steps);
        prop_assert_eq!(events(&sandbox, EventType::RunEnded), ended);
    }

    #[test]
    fn sessions_follow_their_model(
        actions in prop::collection::vec((0..2_usize, on_session()), 1..30),
    ) {
        let sandbox = sandbox();
        let store = &sandbox.store;
        let mut model = [Session::default(), Session::default()];
        let (mut started, mut ended) = (0, 0);
        for (at, action) in actions {
            let (name, session) = (NAMES[at], &mut model[at]);
            match action {
                OnSession::Start => {
                    let new = NewSession {
                        id: name.into(),
                        recipe: "focus".into(),
                        discipline: None,
                        feature: None,
                        task: None,
                        details: json!({}),
                    };
                    let made = write(store, |writer| writer.start_session(&new));
                    prop_assert_eq!(made.is_ok(), session.status.is_none());
                    if made.is_ok() {
                        session.status = Some("started");
                        started += 1;
                    }
                }
                OnSession::RunBy(owner) => {
                    let owner = owner.to_string();
                    let stored = write(store, |writer| {
                        writer.session_is_run_by(name, &owner, &json!({}))
                    });
                    prop_assert!(stored.is_ok());
                    if matches!(session.status, Some("started" | "running")) {
                        (session.status, session.owner) = (Some("running"), owner);
                    }
                }
                OnSession::End(closing) => {
                    let end = SessionEnd {
                        exit_code: Some(0),
                        closing: Some(closing.to_owned()),
                    };
                    let changed = write(store, |writer| writer.end_session(name, &end));
                    let was_open = matches!(session.status, Some("started" | "running"));
                    prop_assert_eq!(changed, Ok(was_open));
                    if was_open {
                        (session.status, session.closing) = (Some("ended"), Some(closing));
                        ended += 1;
                    }
                }
            }
            for (name, session) in NAMES.iter().zip(&model) {
                let found = store.read(None, |reader| reader.find_session(name)).expect("read");
                prop_assert_eq!(found.as_ref().map(|it| it.status.as_str()), session.status);
                if let Some(found) = found {
                    prop_assert_eq!(found.closing.as_deref(), session.closing);
                    prop_assert_eq!(&found.owner, &session.owner);
                    prop_assert_eq!(found.has_ended(), session.status == Some("ended"));
                }
            }
        }
        prop_assert_eq!(events(&sandbox, EventType::SessionStarted), started);
        prop_assert_eq!(events(&sandbox, EventType::SessionEnded), ended);
    }
}
