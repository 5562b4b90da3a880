//! Who holds a task: while its server lives, no longer, and never against a person.

use std::time::{Duration, Instant};

use serde_json::json;
use windlass_core::workflow::Phases;

use super::{login, person, project, status, task_of, usual};
use crate::sample::Sample;
use crate::server::Server;

fn holder(sample: &Sample, number: i64) -> Option<String> {
    let id = task_of(sample, number).id;
    let claim = sample.store().read(None, |reader| reader.claim_of(&id));
    claim.expect("read").map(|(owner, _)| owner)
}

/// How long it takes until nobody holds the task.
fn freed(sample: &Sample, number: i64) -> Duration {
    let begin = Instant::now();
    while holder(sample, number).is_some() {
        assert!(
            begin.elapsed() < Duration::from_mins(1),
            "held for a minute"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    begin.elapsed()
}

#[test]
fn a_server_that_ends_gives_its_tasks_back() {
    let sample = project(&["Log in"]);
    for tool in ["begin", "work_start", "task_claim"] {
        let mut server = Server::start(sample.folder.path());
        server.ok(tool, json!({"id": "1"}));
        assert!(holder(&sample, 1).is_some(), "{tool}");
        server.hang_up();
        assert!(freed(&sample, 1) < Duration::from_secs(5), "{tool}");
    }
}

#[test]
fn the_task_of_a_killed_server_is_taken_over_at_once_where_another_server_runs() {
    let sample = project(&["Log in"]);
    let mut server = usual(&sample);
    server.ok("begin", json!({}));
    server.child.kill().expect("killed");
    server.child.wait().expect("gone");
    let mut other = usual(&sample);
    freed(&sample, 1);
    assert_eq!(other.ok("begin", json!({}))["task"]["id"], 1);
}

#[test]
fn a_living_server_keeps_its_task_beyond_the_lease() {
    let sample = project(&["Log in"]);
    let mut server = usual(&sample);
    server.ok("begin", json!({}));
    let id = task_of(&sample, 1).id;
    let until = || {
        let claim = sample.store().read(None, |reader| reader.claim_of(&id));
        claim.expect("read").expect("held").1
    };
    let first = until();
    let begin = Instant::now();
    while until() <= first {
        assert!(begin.elapsed() < Duration::from_secs(40), "it is renewed");
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn a_person_releases_any_claim_and_a_status_of_theirs_does_too() {
    let sample = project(&["Log in", "Log out"]);
    let mut server = usual(&sample);
    server.ok("begin", json!({"id": "1"}));
    server.ok("begin", json!({"id": "2"}));
    person(&sample, |writer| {
        let id = writer.resolve("id", "1")?;
        assert!(writer.release(&id, "ann")?);
        let id = writer.resolve("id", "2")?;
        writer.set_task_status(&id, windlass_core::TaskStatus::Pending, Phases::default())
    });
    assert_eq!((holder(&sample, 1), holder(&sample, 2)), (None, None));
}

#[test]
fn work_whose_gates_failed_can_be_taken_by_the_next_one() {
    let sample = project(&["Log in"]);
    let mut server = usual(&sample);
    server.ok("begin", json!({}));
    let failed = server.ok("done", json!({"summary": "Not really"}));
    assert_eq!(failed["outcome"], "gates_failed");
    assert_eq!(status(&sample, 1), "in_review");
    server.child.kill().expect("killed");
    server.child.wait().expect("gone");
    let mut other = usual(&sample);
    freed(&sample, 1);
    let begun = other.ok("begin", json!({}));
    assert_eq!(begun["task"]["id"], 1);
    assert_eq!(begun["feedback"]["gate_failures"][0]["name"], "login");
    login(sample.folder.path(), "works\n");
    let passed = other.ok("done", json!({"summary": "Now it does"}));
    assert_eq!(
        (&passed["outcome"], &passed["review"]),
        (&json!("in_review"), &json!(1))
    );
}

#[test]
fn partial_and_stuck_give_the_task_back_with_what_was_said() {
    let sample = project(&["Log in"]);
    let mut server = usual(&sample);
    server.ok("begin", json!({}));
    server.ok("done", json!({"summary": "Not really"}));
    server.ok(
        "partial",
        json!({"summary": "Half", "remaining": "The other half"}),
    );
    assert_eq!(
        (status(&sample, 1), holder(&sample, 1)),
        ("pending".to_owned(), None)
    );
    let begun = usual(&sample).ok("begin", json!({}));
    assert!(
        begun["comments"].to_string().contains("The other half"),
        "{begun}"
    );
}
