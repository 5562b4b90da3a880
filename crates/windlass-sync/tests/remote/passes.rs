//! Exchanges: clones of a remote become equal.

use std::sync::Arc;

use windlass_core::Timestamp;

use crate::places::{clone, everywhere, memory};

#[tokio::test]
async fn clones_become_equal() {
    for place in everywhere() {
        let (one, two) = (clone(), clone());
        let task = one.task("of one");
        two.task("of two");
        let sent = one.pass(&place.remote, false).await.unwrap();
        assert_eq!((sent.sent, sent.received), (1, 0), "{}", place.name);
        let both = two.pass(&place.remote, false).await.unwrap();
        assert_eq!((both.sent, both.received), (1, 1), "{}", place.name);
        // Both had given the number 1.
        assert_eq!(both.renumbered, [(1, 2)], "{}", place.name);
        one.rename(&task, "renamed");
        one.pass(&place.remote, false).await.unwrap();
        two.pass(&place.remote, false).await.unwrap();
        one.pass(&place.remote, false).await.unwrap();
        assert_eq!(one.content(), two.content(), "{}", place.name);
        assert!(one.content().iter().any(|(_, _, title)| title == "renamed"));
        let nothing = two.pass(&place.remote, true).await.unwrap();
        assert!(!nothing.did_something(), "{}: {nothing:?}", place.name);
        assert!(nothing.listed_all);
        // A new clone gets everything.
        let three = clone();
        three.pass(&place.remote, false).await.unwrap();
        assert_eq!(one.content(), three.content(), "{}", place.name);
    }
}

#[tokio::test]
async fn only_what_is_new_is_listed() {
    let place = memory();
    let long_ago = Arc::new(|| Timestamp::now().as_millis() - 3_600_000);
    let (one, two) = (clone(), clone());
    for number in 0..5 {
        one.task(&number.to_string());
        let old = place.remote.clone().with_clock(long_ago.clone());
        one.pass(&old, false).await.unwrap();
    }
    let first = two.pass(&place.remote, false).await.unwrap();
    assert_eq!((first.listed, first.listed_all), (5, true));
    one.task("new");
    one.pass(&place.remote, false).await.unwrap();
    // What has been there for a while is listed only until something newer is.
    two.pass(&place.remote, false).await.unwrap();
    one.task("newer");
    one.pass(&place.remote, false).await.unwrap();
    let later = two.pass(&place.remote, false).await.unwrap();
    assert_eq!((later.listed, later.listed_all), (2, false));
    assert_eq!(later.received, 1);
    assert_eq!(one.content(), two.content());
}

/// A machine whose clock is behind names its packs after the newest that it has seen.
#[tokio::test]
async fn a_clock_that_is_behind_hides_nothing() {
    let place = memory();
    let behind = Arc::new(|| Timestamp::now().as_millis() - 5 * 3_600_000);
    let slow = place.remote.clone().with_clock(behind);
    let (one, two) = (clone(), clone());
    one.task("first");
    one.pass(&place.remote, false).await.unwrap();
    two.pass(&slow, false).await.unwrap();
    two.task("of the slow one");
    two.pass(&slow, false).await.unwrap();
    let got = one.pass(&place.remote, false).await.unwrap();
    assert_eq!((got.received, got.listed_all), (1, false));
    assert_eq!(one.content(), two.content());
}

#[tokio::test]
async fn what_somebody_removed_is_sent_again() {
    let place = crate::places::folder();
    let one = clone();
    one.task("kept");
    one.pass(&place.remote, false).await.unwrap();
    let packs = place.folder.as_ref().unwrap().path().join("packs");
    std::fs::remove_dir_all(&packs).unwrap();
    let again = one.pass(&place.remote, true).await.unwrap();
    assert_eq!(again.sent, 1);
    let two = clone();
    two.pass(&place.remote, false).await.unwrap();
    assert_eq!(one.content(), two.content());
}

#[tokio::test]
async fn a_folder_that_is_gone_is_a_remote_that_does_not_answer() {
    let place = crate::places::folder();
    let one = clone();
    one.task("kept");
    let folder = place.folder.as_ref().unwrap().path();
    std::fs::remove_dir_all(folder).unwrap();
    let problem = one.pass(&place.remote, false).await.unwrap_err();
    assert!(problem.is_transient(), "{problem}");
    // Nothing is written where a disk should be.
    assert!(!folder.exists());
}
