//! kill -9 at random points of the loop: of the server, of the gate, of both. Afterwards the next
//! agent always finds its way to the end.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{login, project, status, task_of, usual};
use crate::sample::Sample;

/// How many points are tried; `WINDLASS_KILLS` says another number.
const POINTS: u64 = 12;

#[expect(
    clippy::disallowed_methods,
    reason = "a longer campaign is started by hand"
)]
fn points() -> u64 {
    let given = std::env::var("WINDLASS_KILLS").ok();
    given.and_then(|it| it.parse().ok()).unwrap_or(POINTS)
}

/// A small generator, so that a failure names its point.
fn random(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    }
}

#[test]
fn killed_anywhere_the_loop_goes_on() {
    let sample = project(&[]);
    for point in 0..points() {
        let title = format!("Task at point {point}");
        let number = crate::sample::task(&sample, &title).number;
        one(&sample, point, number);
    }
}

fn one(sample: &Sample, point: u64, number: i64) {
    let root = sample.folder.path().to_owned();
    let mut dice = random(point + 1);
    login(&root, if dice(2) == 0 { "works\n" } else { "no\n" });
    let mut victim = usual(sample);
    let pid = victim.child.id();
    let delay = Duration::from_millis(dice(250));
    let gate_too = dice(3) == 0;
    let killer = std::thread::spawn(move || {
        std::thread::sleep(delay);
        if gate_too {
            let _ = Command::new("pkill")
                .args(["-9", "-f", super::GATE])
                .status();
        }
        let _ = Command::new("kill").args(["-9", &pid.to_string()]).status();
    });
    // Whatever it was told before the end.
    let id = number.to_string();
    if victim.call("begin", json!({"id": id})).is_some() {
        victim.call("done", json!({"summary": "Perhaps"}));
    }
    killer.join().expect("joined");
    let _ = victim.child.wait();
    recover(sample, point, number);
}

/// Another agent takes the task to its review within a minute.
fn recover(sample: &Sample, point: u64, number: i64) {
    login(sample.folder.path(), "works\n");
    let id = task_of(sample, number).id;
    let mut server = usual(sample);
    let begin = Instant::now();
    loop {
        assert!(
            begin.elapsed() < Duration::from_mins(1),
            "point {point}: task {number} is {}",
            status(sample, number)
        );
        let review = sample
            .store()
            .read(None, |reader| reader.active_review(&id))
            .expect("read");
        if review.is_some_and(|review| review.status.name() == "agent_pending") {
            break;
        }
        let begun = server.call("begin", json!({"id": number.to_string()}));
        if begun.is_some_and(|answer| answer["result"]["isError"] != true) {
            server.call("done", json!({"summary": "Works"}));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    sample
        .store()
        .read(None, |reader| {
            assert_eq!(reader.claim_of(&id)?, None, "point {point}: held in review");
            let review = reader.active_review(&id)?.expect("a review");
            let results = reader.current_results(&review)?;
            assert_eq!(results.len(), 1, "point {point}: one attempt counts");
            assert_eq!(results[0].status.name(), "passed", "point {point}");
            let all = reader.reviews(
                &windlass_store::ReviewFilter {
                    task: Some(id.clone()),
                    ..windlass_store::ReviewFilter::default()
                },
                windlass_core::Page::default(),
            )?;
            assert_eq!(all.len(), 1, "point {point}: one review");
            Ok(())
        })
        .expect("read");
}
