//! Copies of the state are made beside writers, checked, and put back.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use windlass_core::{Actor, ErrorKind, Origin, Patch, Result};
use windlass_store::{
    Bindings, Overwrite, Project, Restored, Restoring, Store, Update, copies_of, examine,
};

use crate::support::{draft, origin};

struct Place {
    folder: tempfile::TempDir,
    project: Project,
    bindings: Bindings,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (project, _) = Project::init(&folder.path().join("project")).expect("a project");
        let bindings = Bindings::new(folder.path().join("records"));
        Self {
            folder,
            project,
            bindings,
        }
    }

    fn open(&self) -> Store {
        Store::open_bound(&self.project, &self.bindings).expect("opened")
    }

    fn restore(&self, file: &Path) -> Result<Restored> {
        let restoring = Restoring::read(file, &person())?;
        restoring.put(&self.project, &self.bindings, &person())
    }

    fn file(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }
}

fn person() -> Origin {
    Origin {
        actor: Actor::Human,
        ..origin()
    }
}

fn add(store: &Store, title: &str) -> windlass_core::Entity {
    let new = draft(windlass_core::EntityType::Task, title, None, &[], json!({}));
    store
        .write(&origin(), |writer| writer.create(new))
        .expect("created")
}

fn rename(store: &Store, id: &windlass_core::EntityId, title: &str) {
    let patch = Patch {
        title: Some(title.to_owned()),
        ..Patch::default()
    };
    store
        .write(&origin(), |writer| {
            writer.update(id, &patch, windlass_core::Dialect::Knowledge)
        })
        .expect("changed");
}

fn titles(store: &Store) -> Vec<String> {
    let filter = windlass_store::EntityFilter::default();
    let page = windlass_core::Page {
        limit: 1_000,
        offset: 0,
    };
    let (entities, _) = store
        .read(None, |reader| reader.entities(&filter, page))
        .expect("read");
    entities.into_iter().map(|entity| entity.title).collect()
}

#[test]
fn a_backup_is_of_one_moment_beside_writers() {
    let place = Place::new();
    let store = place.open();
    let (first, second) = (add(&store, "0"), add(&store, "0"));
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let other = place.open();
            for count in 1.. {
                // Both in one write: a copy with one of them is not of one moment.
                other
                    .write(&origin(), |writer| {
                        for id in [&first.id, &second.id] {
                            let patch = Patch {
                                title: Some(count.to_string()),
                                ..Patch::default()
                            };
                            writer.update(id, &patch, windlass_core::Dialect::Knowledge)?;
                        }
                        Ok(())
                    })
                    .expect("written");
                if stop.load(Ordering::Relaxed) {
                    break;
                }
            }
        });
        for at in 0..10 {
            let file = place.file(&format!("{at}.backup"));
            let copy = store.back_up(&file, Overwrite::Never).expect("made");
            assert_eq!((copy.entities, copy.tasks), (2, 2));
            let mode = fs::metadata(&file).expect("there").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
            let restoring = Restoring::read(&file, &person()).expect("sound");
            assert_eq!(restoring.differences(), [""; 0]);
        }
        stop.store(true, Ordering::Relaxed);
    });
    let left: Vec<_> = fs::read_dir(place.folder.path())
        .expect("read")
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().contains("partial"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_file_is_replaced_only_if_that_is_wanted() {
    let place = Place::new();
    let store = place.open();
    let file = place.file("a.backup");
    fs::write(&file, "something else").expect("written");
    let refused = store.back_up(&file, Overwrite::Never).expect_err("refused");
    assert!(refused.message().contains("is there already"), "{refused}");
    assert_eq!(fs::read(&file).expect("read"), b"something else");
    store.back_up(&file, Overwrite::Allowed).expect("made");
    examine(&file).expect("sound");
    let own = place.project.database();
    assert!(store.back_up(&own, Overwrite::Allowed).is_err());
    assert!(
        store
            .back_up(&place.file("no/such/folder"), Overwrite::Never)
            .is_err()
    );
}

#[test]
fn a_restore_is_seen_by_those_who_have_the_state_open_and_what_was_there_is_kept() {
    let place = Place::new();
    let server = place.open();
    let task = add(&server, "before");
    let file = place.file("a.backup");
    server.back_up(&file, Overwrite::Never).expect("made");
    rename(&server, &task.id, "after");
    add(&server, "another");
    let last = server.last_event().expect("read");
    let done = place.restore(&file).expect("restored");
    assert!(done.is_seamless);
    assert_eq!(titles(&server), ["before"]);
    // The history goes on, so that nobody who waits for events misses one.
    assert_eq!(server.last_event().expect("read"), last + 1);
    rename(&server, &task.id, "again");
    assert_eq!(titles(&place.open()), ["again"]);
    assert_eq!(server.check(&origin()).expect("checked"), [""; 0]);
    let kept = done.kept.expect("kept");
    let copies = copies_of(&place.project);
    assert!(
        copies
            .iter()
            .any(|(path, found)| *path == kept && found.is_ok())
    );
    place.restore(&kept).expect("restored");
    assert_eq!(titles(&server), ["after", "another"]);
    rename(&server, &task.id, "and on");
}

#[test]
fn what_is_no_sound_copy_is_refused_and_nothing_changes() {
    let place = Place::new();
    let store = place.open();
    for at in 0..50 {
        add(&store, &format!("task {at}"));
    }
    let file = place.file("a.backup");
    store.back_up(&file, Overwrite::Never).expect("made");
    let sound = fs::read(&file).expect("read");
    let written = |name: &str, bytes: &[u8]| {
        let path = place.file(name);
        fs::write(&path, bytes).expect("written");
        path
    };
    let mut holed = sound.clone();
    holed[8_192..12_288].fill(0xA5);
    let cases = [
        written("empty", b""),
        written("text", b"no database at all"),
        written("cut", &sound[..sound.len() / 2]),
        written("holed", &holed),
        place.file("not there"),
        place.folder.path().to_owned(),
    ];
    let before = store.last_event().expect("read");
    for case in cases {
        let refused = place.restore(&case).expect_err("refused");
        assert!(refused.hint().is_some(), "{}: {refused}", case.display());
    }
    assert_eq!(store.last_event().expect("read"), before);
    // A database with tables that Windlass did not make is not one of its states.
    let strange = place.file("strange");
    fs::copy(&file, &strange).expect("copied");
    let connection = rusqlite::Connection::open(&strange).expect("opened");
    connection
        .execute_batch("CREATE TABLE more (x); CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM gates; END;")
        .expect("changed");
    drop(connection);
    assert!(place.restore(&strange).is_err());
    // Nor is one of a newer version.
    let newer = place.file("newer");
    fs::copy(&file, &newer).expect("copied");
    let connection = rusqlite::Connection::open(&newer).expect("opened");
    connection
        .pragma_update(None, "user_version", 99)
        .expect("changed");
    drop(connection);
    let refused = place.restore(&newer).expect_err("refused");
    assert_eq!(refused.kind(), ErrorKind::DatabaseTooNew);
}

#[test]
fn a_lost_or_replaced_state_is_restored_too() {
    let place = Place::new();
    let store = place.open();
    add(&store, "one");
    let file = place.file("a.backup");
    store.back_up(&file, Overwrite::Never).expect("made");
    drop(store);
    fs::remove_dir_all(place.project.state()).expect("removed");
    let lost = Store::open_bound(&place.project, &place.bindings).err();
    assert_eq!(lost.expect("lost").kind(), ErrorKind::StateLost);
    let done = place.restore(&file).expect("restored");
    assert_eq!((done.kept, done.is_seamless), (None, false));
    let store = place.open();
    assert_eq!(titles(&store), ["one"]);
    add(&store, "two");
    // Another file in its place: what is there is kept as well.
    drop(store);
    let copy = place.file("hand-made");
    fs::copy(place.project.database(), &copy).expect("copied");
    fs::remove_file(place.project.database()).expect("removed");
    fs::copy(&copy, place.project.database()).expect("copied");
    assert!(place.open().check_trusted().is_err());
    let done = place.restore(&file).expect("restored");
    assert_eq!(
        examine(&done.kept.expect("kept")).expect("sound").entities,
        2
    );
    let store = place.open();
    store.check_trusted().expect("trusted");
    assert_eq!(titles(&store), ["one"]);
    // And damage.
    drop(store);
    let mut bytes = fs::read(place.project.database()).expect("read");
    let page = bytes.len() / 2 / 4_096 * 4_096;
    bytes[page..page + 4_096].fill(0x5A);
    fs::write(place.project.database(), bytes).expect("written");
    let done = place.restore(&file).expect("restored");
    let kept = done.kept.expect("kept");
    assert!(
        kept.file_name()
            .expect("a name")
            .to_string_lossy()
            .starts_with("damaged-")
    );
    assert_eq!(titles(&place.open()), ["one"]);
}

fn outbox(store: &Store) -> Vec<Update> {
    store.outbox(&origin()).expect("sealed").updates
}

/// A clone that goes back to a backup writes under another id than before: else the others would take
/// its new changes for those that they have.
#[test]
fn a_restored_clone_does_not_diverge_from_the_others() {
    let (one, two) = (Place::new(), Place::new());
    let (here, there) = (one.open(), two.open());
    let task = add(&here, "start");
    let file = one.file("a.backup");
    here.back_up(&file, Overwrite::Never).expect("made");
    rename(&here, &task.id, "seen by the other clone");
    there.import(&origin(), &outbox(&here)).expect("imported");
    one.restore(&file).expect("restored");
    // The process that wrote before goes on.
    rename(&here, &task.id, "new after the restore");
    add(&here, "another");
    for _ in 0..300 {
        rename(&here, &task.id, "many changes, so that they are folded");
    }
    rename(&here, &task.id, "the last");
    let news = outbox(&here);
    there.import(&origin(), &news).expect("imported");
    here.import(&origin(), &there.export_all(&origin()).expect("exported"))
        .expect("imported");
    there
        .import(&origin(), &here.export_all(&origin()).expect("exported"))
        .expect("imported");
    assert_eq!(titles(&here), titles(&there));
    assert_eq!(here.check(&origin()).expect("checked"), [""; 0]);
    assert_eq!(there.check(&origin()).expect("checked"), [""; 0]);
}

#[test]
fn a_copy_of_another_project_is_told_from_one_of_this() {
    let (one, two) = (Place::new(), Place::new());
    let store = one.open();
    add(&store, "one");
    two.open();
    let file = one.file("a.backup");
    store.back_up(&file, Overwrite::Never).expect("made");
    let restoring = Restoring::read(&file, &person()).expect("sound");
    assert!(restoring.is_of(&one.project, &one.bindings).expect("known"));
    assert!(!restoring.is_of(&two.project, &two.bindings).expect("known"));
    // After it was put in place it is this project's.
    restoring
        .put(&two.project, &two.bindings, &person())
        .expect("restored");
    let again = two.file("again.backup");
    let store = two.open();
    store.check_trusted().expect("trusted");
    store.back_up(&again, Overwrite::Never).expect("made");
    let restoring = Restoring::read(&again, &person()).expect("sound");
    assert!(restoring.is_of(&two.project, &two.bindings).expect("known"));
}

/// Run by the test below, in a process that is killed: puts one backup in place, then the other, and so
/// on.
#[test]
#[ignore = "needs the folder that another test prepares"]
fn child() {
    let here = std::env::current_dir().expect("a folder");
    if !here.join("small.backup").exists() {
        return;
    }
    let project = Project::find(&here.join("project")).expect("found");
    let bindings = Bindings::new(here.join("records"));
    for name in ["small.backup", "large.backup"].into_iter().cycle() {
        let restoring = Restoring::read(&here.join(name), &person()).expect("sound");
        restoring
            .put(&project, &bindings, &person())
            .expect("restored");
    }
}

#[test]
fn a_restore_that_is_killed_leaves_one_state_or_the_other() {
    let place = Place::new();
    let store = place.open();
    add(&store, "small");
    store
        .back_up(&place.file("small.backup"), Overwrite::Never)
        .expect("made");
    for at in 0..100 {
        add(&store, &format!("large {at}"));
    }
    store
        .back_up(&place.file("large.backup"), Overwrite::Never)
        .expect("made");
    drop(store);
    let mut seen = std::collections::BTreeSet::new();
    for round in 0..20_u64 {
        let mut child = std::process::Command::new(std::env::current_exe().expect("known"))
            .args(["--exact", "backup::child", "--ignored"])
            .current_dir(place.folder.path())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("started");
        std::thread::sleep(std::time::Duration::from_millis(60 + round * 37 % 400));
        child.kill().expect("killed");
        child.wait().expect("ended");
        let store = place.open();
        store.check_trusted().expect("trusted");
        let count = titles(&store).len();
        assert!([1, 101].contains(&count), "{count} entities");
        seen.insert(count);
        assert_eq!(store.check(&origin()).expect("checked"), [""; 0]);
        for (path, copy) in copies_of(&place.project) {
            assert!(copy.is_ok(), "{}: {copy:?}", path.display());
            fs::remove_file(path).expect("removed");
        }
    }
    println!("{seen:?}");
}
