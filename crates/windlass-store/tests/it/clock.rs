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
