//! The clock of the machine is set back.

use windlass_core::Timestamp;

use crate::support::{origin, sandbox};

const HOUR: i64 = 3_600_000;

/// As if the claims had been made `hours` later than it is now.
fn set_back(sandbox: &crate::support::Sandbox, hours: i64) {
    let connection = rusqlite::Connection::open(sandbox.project.database()).expect("opened");
    connection
        .execute(
            "UPDATE claims SET claimed_at = claimed_at + ?1, expires_at = expires_at + ?1",
            [hours * HOUR],
        )
        .expect("changed");
}

#[test]
fn a_claim_lasts_no_longer_because_the_clock_was_set_back() {
    let sandbox = sandbox();
    let task = sandbox.task("task");
    sandbox
        .store
        .write(&origin(), |writer| writer.claim(&task.id, "ann", Some(600)))
        .expect("claimed");
    set_back(&sandbox, 24);
    let until = || {
        let held = sandbox
            .store
            .read(None, |reader| reader.claim_of(&task.id))
            .expect("read");
        held.map(|(_, until)| until.as_millis() - Timestamp::now().as_millis())
    };
    assert!(until().is_some_and(|left| left > 23 * HOUR));
    let noticed = sandbox.store.read(None, |reader| reader.expired_claims());
    assert_eq!(noticed.expect("read"), 1);
    let ended = sandbox
        .store
        .write(&origin(), |writer| writer.end_expired_claims());
    assert_eq!(ended.expect("swept"), 0, "it is still held");
    assert!(until().is_some_and(|left| left <= 600_000), "{:?}", until());
}

/// Whatever the clock does, a claim is held no longer than its lease after the next sweep, and is
/// free once it is over.
#[test]
fn faults_a_claim_ends_whatever_the_clock_does() {
    let sandbox = sandbox();
    let mut seed = 1_u64;
    let attempts = 60;
    for number in 0..attempts {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let hours = i64::try_from(seed >> 33).unwrap_or(0) % 97 - 48;
        let task = sandbox.task(&format!("task {number}"));
        sandbox
            .store
            .write(&origin(), |writer| writer.claim(&task.id, "ann", Some(600)))
            .expect("claimed");
        set_back(&sandbox, hours);
        sandbox
            .store
            .write(&origin(), |writer| writer.end_expired_claims())
            .expect("swept");
        let held = sandbox.store.read(None, |reader| reader.claim_of(&task.id));
        let left = held
            .expect("read")
            .map(|(_, until)| until.as_millis() - Timestamp::now().as_millis());
        match left {
            Some(left) => assert!(hours >= 0 && left <= 600_000, "{hours} h: {left} ms"),
            None => assert!(hours < 0, "{hours} h: it was free too early"),
        }
        sandbox.delete(&task.id).expect("deleted");
    }
    println!("| clock, claims | {attempts} | 0 | - | set back or forward by up to 48 h |");
}
