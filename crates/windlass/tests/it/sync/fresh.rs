//! A clone without a state, a state that is gone, and servers that see packs arrive.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{Place, add, text};
use crate::person;
use crate::sample::{self, windlass};
use crate::server::Server;

#[test]
fn the_first_command_of_a_fresh_clone_rebuilds_the_state() {
    let one = Place::repository();
    one.windlass(&["add", "A task", "--tag", "x"]);
    one.windlass(&["journal", "add-progress", "Begun"]);
    one.sync_and_commit("work");
    let two = one.cloned("two");
    // Nothing was imported yet, and a check changes nothing.
    let check = two.try_windlass(&["sync", "--check"]);
    assert_eq!(check.status.code(), Some(11), "{}", text(&check));
    assert!(
        text(&check).contains("1 pack in this checkout, not imported."),
        "{}",
        text(&check)
    );
    assert!(two.titles().is_empty());
    let told = two.windlass(&["list"]);
    assert!(
        told.contains("Imported 1 pack: 1 entity changed, 1 journal entry."),
        "{told}"
    );
    assert!(
        two.windlass(&["sync", "--check"])
            .contains("In sync: 1 pack")
    );
    assert_eq!(one.state(), two.state());
    assert_eq!(
        one.read(".windlass/progress.txt"),
        two.read(".windlass/progress.txt")
    );
    // The next one has nothing to say.
    assert!(!two.windlass(&["list"]).contains("Imported"));
    assert_eq!(two.git(&["status", "--porcelain"]), "", "nothing to commit");
}

#[test]
fn a_removed_state_is_lost_until_a_person_lets_it_be_rebuilt() {
    let one = Place::repository();
    one.windlass(&["add", "Packed"]);
    one.sync_and_commit("work");
    fs::remove_dir_all(one.root.join(".windlass/state")).expect("removed");
    let refused = one.try_windlass(&["list"]);
    assert!(!refused.status.success());
    let said = text(&refused);
    assert!(
        said.contains("rebuilt from the 1 packs of this checkout"),
        "{said}"
    );
    assert!(said.contains("Packs do not have gates"), "{said}");
    let by_an_agent = one.try_windlass(&["init", "--new-state"]);
    assert!(!by_an_agent.status.success(), "{}", text(&by_an_agent));
    let mut command = windlass();
    command.current_dir(&one.root).args(["init", "--new-state"]);
    command.env("XDG_STATE_HOME", sample::state_home());
    let output = person::at_a_terminal(&command, "");
    let said = text(&output);
    assert!(
        said.contains("Imported 1 pack: 1 entity changed."),
        "{said}"
    );
    assert!(said.contains("Packs do not have gates"), "{said}");
    assert_eq!(one.titles(), ["Packed"]);
}

#[test]
fn a_server_notices_packs_within_a_few_seconds() {
    let one = Place::repository();
    let two = one.cloned("two");
    let mut server = Server::start(&two.root);
    let list = |server: &mut Server| server.ok("entity_list", json!({}))["total"].clone();
    assert_eq!(list(&mut server), json!(0));
    for number in 1..=2 {
        one.windlass(&["add", &format!("Task {number}")]);
        one.sync_and_commit("work");
        two.git(&["pull", "--quiet"]);
        let end = Instant::now() + Duration::from_secs(30);
        while list(&mut server) != json!(number) {
            assert!(Instant::now() < end, "the server does not see it");
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

#[test]
fn nothing_is_imported_into_a_state_that_is_not_trusted() {
    let one = Place::repository();
    one.windlass(&["add", "Ours"]);
    one.sync_and_commit("work");
    // A copy of the whole folder is foreign.
    let two = one.beside("two");
    let copied = std::process::Command::new("cp")
        .args(["-a", one.path(), two.path()])
        .status();
    assert!(copied.expect("cp").success());
    let other = one.cloned("other");
    other.windlass(&["add", "Theirs"]);
    other.sync_and_commit("theirs");
    two.git(&["pull", "--quiet", other.path(), "main"]);
    let told = two.windlass(&["list"]);
    assert!(told.contains("came from elsewhere"), "{told}");
    assert!(
        !told.contains("Imported") && !told.contains("Theirs"),
        "{told}"
    );
    let refused = two.try_windlass(&["sync"]);
    assert!(!refused.status.success(), "{}", text(&refused));
}

#[test]
fn who_only_reads_does_not_wait_for_who_writes() {
    let one = Place::repository();
    let two = one.cloned("two");
    one.windlass(&["add", "A task"]);
    one.sync_and_commit("work");
    two.windlass(&["list"]);
    two.git(&["pull", "--quiet"]);
    let store = two.store();
    // A process that holds the lock for long.
    let told = store.write(&sample::origin(), |_| Ok(two.windlass(&["list"])));
    let told = told.expect("written");
    assert!(told.contains("New packs were not imported"), "{told}");
    assert!(two.windlass(&["list"]).contains("A task"));
}

/// By hand: `cargo nextest run … first_command_of_ten_thousand --run-ignored all --no-capture`.
#[test]
#[ignore = "a measurement"]
fn the_first_command_of_ten_thousand_entities() {
    let one = Place::repository();
    let store = one.store();
    for number in 0..10_000 {
        let entity = add(&store, &format!("Task {number} of a large project"));
        super::tag(&store, &entity, "measured");
    }
    drop(store);
    let begin = Instant::now();
    one.windlass(&["sync"]);
    eprintln!("sync: {:?}", begin.elapsed());
    let files = one.packs();
    let bytes: u64 = files
        .iter()
        .map(|file| {
            fs::metadata(one.root.join(".windlass/packs").join(file))
                .expect("there")
                .len()
        })
        .sum();
    eprintln!("{} packs, {bytes} bytes", files.len());
    one.commit("all");
    let two = one.cloned("two");
    let begin = Instant::now();
    two.windlass(&["list", "--limit", "1"]);
    eprintln!("first command: {:?}", begin.elapsed());
    let begin = Instant::now();
    two.windlass(&["list", "--limit", "1"]);
    eprintln!("second command: {:?}", begin.elapsed());
    assert_eq!(numbers_of(&two), 10_000);
}

fn numbers_of(place: &Place) -> usize {
    super::numbers(place).len()
}

/// By hand. What a thousand commits with a pack each cost the repository.
#[test]
#[ignore = "a measurement"]
fn a_thousand_commits_with_a_pack_each() {
    let one = Place::repository();
    let size = || one.git(&["count-objects", "-v"]).replace('\n', ", ");
    for number in 0..1000 {
        let store = one.store();
        let entity = add(&store, &format!("Task {number}"));
        super::tag(&store, &entity, "one");
        drop(store);
        one.windlass(&["sync"]);
        one.git(&["add", ".windlass/packs"]);
        one.git(&["commit", "--quiet", "--message", "work"]);
        if number % 250 == 249 {
            eprintln!("{number}: {} packs; {}", one.packs().len(), size());
        }
    }
    one.git(&["gc", "--quiet"]);
    eprintln!("after gc: {}", size());
}
