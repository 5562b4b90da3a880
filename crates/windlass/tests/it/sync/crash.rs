//! Processes that are killed, and processes that work at the same time.

use std::process::Stdio;
use std::time::Duration;

use super::{Place, add, is_in_sync, tag};
use crate::sample;

#[test]
fn a_sync_that_is_killed_anywhere_loses_nothing() {
    let one = Place::repository();
    let two = one.cloned("two");
    two.windlass(&["status"]);
    let mut expected = 0;
    for round in 0..16_u64 {
        let store = one.store();
        for number in 0..30 {
            let entity = add(&store, &format!("{round}/{number}"));
            tag(&store, &entity, "x");
            expected += 1;
        }
        drop(store);
        let words: &[&str] = if round % 3 == 2 {
            &["sync", "--compact"]
        } else {
            &["sync"]
        };
        let mut child = sample::windlass()
            .current_dir(&one.root)
            .args(words)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("started");
        std::thread::sleep(Duration::from_millis(round * 12));
        child.kill().expect("killed");
        child.wait().expect("ended");
        // Whatever is in the folder now can be committed, and is whole.
        one.commit("after a crash");
        two.git(&["pull", "--quiet"]);
        let mut killed = sample::windlass()
            .current_dir(&two.root)
            .arg("sync")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("started");
        std::thread::sleep(Duration::from_millis((15 - round) * 12));
        killed.kill().expect("killed");
        killed.wait().expect("ended");
        for name in one.packs() {
            assert!(
                windlass_store::PackName::of_file(&name).is_some() || name.starts_with(".new-"),
                "{name}"
            );
        }
    }
    one.sync_and_commit("all of it");
    two.git(&["checkout", "--quiet", "--", "."]);
    two.git(&["clean", "--quiet", "-d", "--force"]);
    two.git(&["pull", "--quiet"]);
    two.windlass(&["sync"]);
    assert_eq!(one.titles().len(), expected);
    assert_eq!(one.state(), two.state());
    is_in_sync(&one);
    assert_eq!(one.json(&["doctor"])["errors"], 0);
    let three = one.cloned("three");
    three.windlass(&["status"]);
    assert_eq!(three.state(), one.state());
}

#[test]
fn several_syncs_at_once() {
    let one = Place::repository();
    for round in 0..4 {
        let store = one.store();
        for number in 0..20 {
            add(&store, &format!("{round}/{number}"));
        }
        drop(store);
        let children: Vec<_> = (0..4)
            .map(|number| {
                let words: &[&str] = if number == 3 {
                    &["sync", "--compact"]
                } else {
                    &["sync"]
                };
                let mut command = sample::windlass();
                command.current_dir(&one.root).args(words);
                command
                    .stdout(Stdio::piped())
                    .stderr(Stdio::piped())
                    .spawn()
                    .expect("started")
            })
            .collect();
        for child in children {
            let output = child.wait_with_output().expect("ended");
            assert!(output.status.success(), "{}", super::text(&output));
        }
    }
    one.windlass(&["sync"]);
    is_in_sync(&one);
    one.commit("all");
    let two = one.cloned("two");
    two.windlass(&["status"]);
    assert_eq!(two.titles().len(), 80);
    assert_eq!(one.state(), two.state());
}
