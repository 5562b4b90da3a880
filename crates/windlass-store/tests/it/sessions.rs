//! Session records.

use serde_json::json;
use windlass_core::{ErrorKind, Page};
use windlass_store::{NewSession, SessionEnd, Store};

use crate::support::{origin, sandbox};

fn start(store: &Store, id: &str, task: Option<&windlass_core::Entity>) {
    let new = NewSession {
        id: id.to_owned(),
        recipe: "focus".to_owned(),
        discipline: None,
        feature: None,
        task: task.map(|task| task.id.clone()),
        details: json!({}),
    };
    store
        .write(&origin(), |writer| writer.start_session(&new))
        .expect("started");
}

fn end(store: &Store, id: &str, closing: &str) -> bool {
    let end = SessionEnd {
        exit_code: Some(0),
        closing: Some(closing.to_owned()),
    };
    store
        .write(&origin(), |writer| writer.end_session(id, &end))
        .expect("ended")
}

#[test]
fn a_session_ends_once() {
    let sandbox = sandbox();
    start(&sandbox.store, "s-1", None);
    let open = || {
        let page = Page::default();
        sandbox
            .store
            .read(None, |reader| reader.sessions(true, page))
            .expect("read")
            .1
    };
    assert_eq!(open(), 1);
    assert!(end(&sandbox.store, "s-1", "done"));
    assert!(!end(&sandbox.store, "s-1", "stuck"));
    assert_eq!(open(), 0);
    let session = sandbox
        .store
        .read(None, |reader| reader.session("s-1"))
        .expect("there");
    assert!(session.has_ended());
    assert_eq!(session.closing.as_deref(), Some("done"));
    let missing = sandbox
        .store
        .read(None, |reader| reader.session("s-2"))
        .unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::SessionNotFound);
}

#[test]
fn stuck_sessions_are_counted_until_another_result() {
    let sandbox = sandbox();
    let task = sandbox.task("One");
    let stuck = || {
        sandbox
            .store
            .read(None, |reader| reader.stuck_in_a_row(&task.id))
            .expect("counted")
    };
    for (at, (closing, expected)) in [("stuck", 1), ("partial", 0), ("stuck", 1), ("stuck", 2)]
        .into_iter()
        .enumerate()
    {
        let id = format!("s-{at}");
        start(&sandbox.store, &id, Some(&task));
        sandbox
            .store
            .write(&origin(), |writer| {
                writer.add_signal(&id, &task.id, closing, &json!({}))
            })
            .expect("stored");
        end(&sandbox.store, &id, closing);
        assert_eq!(stuck(), expected, "after {closing}");
    }
}

#[test]
fn signals_are_stored_in_order() {
    let sandbox = sandbox();
    let task = sandbox.task("One");
    start(&sandbox.store, "s-1", Some(&task));
    sandbox
        .store
        .write(&origin(), |writer| {
            let session = writer.session("s-1")?;
            writer.add_signal(
                &session.id,
                session.task.as_ref().expect("bound"),
                "flag",
                &json!({"what": "odd"}),
            )?;
            writer.add_signal(
                &session.id,
                session.task.as_ref().expect("bound"),
                "done",
                &json!({"summary": "all"}),
            )
        })
        .expect("stored");
    let verbs: Vec<String> = sandbox
        .store
        .read(None, |reader| reader.signals("s-1"))
        .expect("read")
        .into_iter()
        .map(|signal| signal.verb)
        .collect();
    assert_eq!(verbs, ["flag", "done"]);
}
