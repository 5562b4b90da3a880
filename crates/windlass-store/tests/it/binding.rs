//! Whose state it is, at the level of the store.

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use windlass_core::ErrorKind;
use windlass_store::{Bindings, Foreign, Project, Standing, Store};

use crate::support::origin;

struct Place {
    folder: tempfile::TempDir,
    bindings: Bindings,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let records = folder.path().canonicalize().expect("there").join("records");
        Self {
            folder,
            bindings: Bindings::new(records),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().expect("there").join(name)
    }

    fn project(&self, name: &str) -> Project {
        Project::init(&self.path(name)).expect("a project").0
    }

    fn open(&self, project: &Project) -> windlass_core::Result<Store> {
        Store::open_bound(project, &self.bindings)
    }

    fn standing(&self, project: &Project) -> Standing {
        self.bindings.standing(project).expect("known")
    }
}

#[test]
fn the_first_to_open_owns_it() {
    let place = Place::new();
    let project = place.project("one");
    assert_eq!(place.standing(&project), Standing::New);
    let store = place.open(&project).expect("made");
    store.write(&origin(), |_| Ok(())).expect("written");
    drop(store);
    assert_eq!(place.standing(&project), Standing::Own);
    // The same folder is foreign to someone with other records.
    let other = Bindings::new(place.path("other"));
    let foreign = Store::open_bound(&project, &other).expect("readable");
    let refused = foreign.write(&origin(), |_| Ok(())).expect_err("refused");
    assert_eq!(refused.kind(), ErrorKind::UntrustedState);
    Store::trust(&project, &other, |_| ()).expect("taken over");
    assert_eq!(other.standing(&project).expect("known"), Standing::Own);
    // The first finds another id in it.
    let store = place.open(&project).expect("readable");
    assert!(store.check_trusted().is_err());
}

#[test]
fn a_database_in_its_place_is_noticed() {
    let place = Place::new();
    let (one, two) = (place.project("one"), place.project("two"));
    drop((
        place.open(&one).expect("made"),
        place.open(&two).expect("made"),
    ));
    // The content of another one in the same file: only the id differs.
    let bytes = fs::read(two.database()).expect("read");
    fs::write(one.database(), bytes).expect("written");
    assert_eq!(place.standing(&one), Standing::Own);
    assert!(place.open(&one).expect("readable").check_trusted().is_err());
    // Another file.
    fs::rename(two.database(), one.database()).expect("moved");
    assert_eq!(place.standing(&one), Standing::Foreign(Foreign::Replaced));
    assert_eq!(place.standing(&two), Standing::Lost);
    let lost = place.open(&two).err().expect("refused");
    assert_eq!(lost.kind(), ErrorKind::StateLost);
}

#[test]
fn a_process_that_was_killed_while_it_made_the_state_leaves_a_new_one() {
    let place = Place::new();
    let project = place.project("one");
    drop(place.open(&project).expect("made"));
    // As it is on record before the database exists.
    let records = fs::read_dir(place.path("records/projects")).expect("read");
    let file = records.flatten().next().expect("a record").path();
    let text = fs::read_to_string(&file).expect("read");
    let mut record: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    record["database"] = serde_json::Value::Null;
    fs::write(&file, record.to_string()).expect("written");
    let store = place.open(&project).expect("made");
    store.write(&origin(), |_| Ok(())).expect("written");
    drop(store);
    assert_eq!(place.standing(&project), Standing::Own);
}

#[test]
fn an_older_database_needs_a_look_and_then_works() {
    let place = Place::new();
    let project = place.project("one");
    // Made before there were records.
    drop(Store::open(&project).expect("made"));
    assert_eq!(
        place.standing(&project),
        Standing::Foreign(Foreign::Unknown)
    );
    Store::trust(&project, &place.bindings, |_| ()).expect("taken over");
    let store = place.open(&project).expect("opened");
    store.write(&origin(), |_| Ok(())).expect("written");
}

/// Every command pays for it.
#[test]
fn the_look_is_quick() {
    let place = Place::new();
    let project = place.project("one");
    drop(place.open(&project).expect("made"));
    let git = std::process::Command::new("git")
        .args(["init", "-q"])
        .current_dir(project.root())
        .status();
    assert!(git.expect("git").success());
    let begin = Instant::now();
    for _ in 0..1000 {
        assert_eq!(place.standing(&project), Standing::Own);
    }
    let each = begin.elapsed() / 1000;
    println!("{each:?} for each look");
    assert!(each.as_millis() < 5, "{each:?}");
}
