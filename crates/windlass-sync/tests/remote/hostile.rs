//! Whoever can write to the bucket can put anything into it.

use std::fs::{self, File};

use windlass_store::{MAX_PACK_BYTES, PackName};

use crate::places::{clone, folder, reasons};

#[tokio::test]
async fn hostile_objects_are_named_and_skipped() {
    let place = folder();
    let base = place.folder.as_ref().unwrap().path();
    let one = clone();
    one.task("good");
    one.pass(&place.remote, false).await.unwrap();
    let packs = base.join("packs");
    let put = |name: &str, bytes: &[u8]| fs::write(packs.join(name), bytes).unwrap();
    let wrong = PackName::of(b"something else");
    put(&format!("1700000000001-{wrong}.pack"), b"not that");
    let junk = PackName::of(b"junk");
    put(&format!("1700000000002-{junk}.pack"), b"junk");
    put("notes.txt", b"x");
    put("1700000000003-short.pack", b"x");
    fs::create_dir(packs.join("deeper")).unwrap();
    put(&format!("deeper/1700000000004-{junk}.pack"), b"junk");
    let huge = PackName::of(b"huge");
    let file = File::create(packs.join(format!("1700000000005-{huge}.pack"))).unwrap();
    file.set_len(MAX_PACK_BYTES as u64 + 1).unwrap();
    // A time that no clock has.
    let future = PackName::of(b"future");
    put(&format!("9999999999999-{future}.pack"), b"future");

    let two = clone();
    let report = two.pass(&place.remote, false).await.unwrap();
    assert_eq!(report.received, 1);
    assert_eq!(report.skipped_count, 7, "{}", reasons(&report));
    let said = reasons(&report);
    for expected in [
        wrong.as_str(),
        "is not the one that its name stands for",
        "notes.txt",
        "short.pack",
        "does not have the name of a pack",
        "and a pack has at most",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    assert_eq!(one.content(), two.content());
    // They are not fetched again, and keep nothing from coming.
    one.task("more");
    one.pass(&place.remote, false).await.unwrap();
    let report = two.pass(&place.remote, false).await.unwrap();
    assert_eq!((report.received, report.skipped_count), (1, 0));
    assert_eq!(one.content(), two.content());
}

#[tokio::test]
async fn a_remote_of_a_newer_version_is_left_alone() {
    let place = folder();
    let marker = place.folder.as_ref().unwrap().path().join("windlass.json");
    fs::write(&marker, r#"{"format": 2}"#).unwrap();
    let one = clone();
    one.task("kept");
    let problem = one.pass(&place.remote, false).await.unwrap_err();
    assert!(!problem.is_transient());
    assert!(problem.to_string().contains("format 2"), "{problem}");
    fs::write(&marker, "hello").unwrap();
    let problem = one.pass(&place.remote, false).await.unwrap_err();
    assert!(problem.to_string().contains("not written by windlass"));
}
