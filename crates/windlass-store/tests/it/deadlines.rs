//! A write whose caller has given up is not applied later.

use std::sync::Barrier;
use std::time::{Duration, Instant};

use serde_json::json;
use windlass_core::{EntityType, ErrorKind};
use windlass_store::Store;

use crate::support::{Sandbox, draft, origin, sandbox};

/// Tries to create a task for a caller that does not wait for long, while another write goes on.
fn late_write(sandbox: &Sandbox, other: &Store) {
    let (begun, finished) = (Barrier::new(2), Barrier::new(2));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            other
                .write(&origin(), |_| {
                    begun.wait();
                    finished.wait();
                    Ok(())
                })
                .expect("written");
        });
        begun.wait();
        let late = scope.spawn(|| {
            let deadline = Some(Instant::now() + Duration::from_millis(50));
            let draft = draft(EntityType::Task, "late", None, &[], json!({}));
            sandbox
                .store
                .write_until(deadline, &origin(), |writer| writer.create(draft))
        });
        std::thread::sleep(Duration::from_millis(200));
        finished.wait();
        let error = late.join().expect("ended").expect_err("too late");
        assert_eq!(error.kind(), ErrorKind::RequestTimeout, "{error}");
    });
    assert!(sandbox.get("1").is_err(), "nothing was stored");
}

#[test]
fn a_late_write_behind_one_of_this_process() {
    let sandbox = sandbox();
    late_write(&sandbox, &sandbox.store);
}

#[test]
fn a_late_write_behind_one_of_another_process() {
    let sandbox = sandbox();
    let other = Store::open(&sandbox.project).expect("opened");
    late_write(&sandbox, &other);
}

#[test]
fn a_write_that_takes_too_long_itself() {
    let sandbox = sandbox();
    let deadline = Some(Instant::now() + Duration::from_millis(50));
    let draft = draft(EntityType::Task, "late", None, &[], json!({}));
    let error = sandbox
        .store
        .write_until(deadline, &origin(), |writer| {
            let entity = writer.create(draft)?;
            std::thread::sleep(Duration::from_millis(60));
            Ok(entity)
        })
        .expect_err("too late");
    assert_eq!(error.kind(), ErrorKind::RequestTimeout);
    assert!(sandbox.get("1").is_err());
    assert_eq!(sandbox.task("next").number, 1);
}
