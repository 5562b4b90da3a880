//! The files of the state are removed or replaced under a process that has them open.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use windlass_core::{Error, ErrorKind};
use windlass_store::{Store, rescued_copies};

use crate::support::{Sandbox, draft, origin, sandbox};

fn try_to_write(sandbox: &Sandbox) -> Result<(), Error> {
    let draft = draft(
        windlass_core::EntityType::Task,
        "too late",
        None,
        &[],
        serde_json::json!({}),
    );
    sandbox
        .store
        .write(&origin(), |writer| writer.create(draft).map(|_| ()))
}

/// The write is refused, and the copy that the error names has everything.
fn refused_and_rescued(sandbox: &Sandbox, titles: &[&str]) -> PathBuf {
    let error = try_to_write(sandbox).expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::StorageError);
    assert!(error.message().contains("removed or replaced"), "{error}");
    let copy = PathBuf::from(error.data()["rescued"].as_str().expect("a path"));
    assert!(error.hint().expect("a hint").contains("windlass restore"));
    assert_eq!(titles_in(&copy), titles);
    // Once is enough.
    let again = try_to_write(sandbox).expect_err("refused");
    assert_eq!(again.data()["rescued"].as_str(), copy.to_str());
    assert_eq!(rescued_copies(&sandbox.project).len(), 1);
    copy
}

/// What a copy has, read as the database of a project.
fn titles_in(copy: &Path) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let (project, _) = windlass_store::Project::init(folder.path()).expect("a project");
    fs::copy(copy, project.database()).expect("copied");
    let store = Store::open(&project).expect("opened");
    assert_eq!(store.check(&origin()).expect("checked"), [""; 0]);
    let page = windlass_core::Page::default();
    let (entities, _) = store
        .read(None, |reader| {
            reader.entities(&windlass_store::EntityFilter::default(), page)
        })
        .expect("read");
    entities.into_iter().map(|entity| entity.title).collect()
}

#[test]
fn git_clean_under_an_open_store() {
    let sandbox = sandbox();
    sandbox.task("first");
    let git = |args: &[&str]| {
        let done = Command::new("git")
            .arg("-C")
            .arg(sandbox.project.root())
            .args(args)
            .output()
            .expect("git");
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "-q"]);
    git(&["clean", "-fdxq"]);
    assert!(!sandbox.project.database().exists());
    let copy = refused_and_rescued(&sandbox, &["first"]);
    // A new process does not begin at number one beside the saved copy.
    let error = Store::open(&sandbox.project).err().expect("refused");
    assert_eq!(error.data()["rescued"].as_str(), copy.to_str());
    fs::rename(&copy, sandbox.project.database()).expect("moved");
    let store = Store::open(&sandbox.project).expect("opened");
    let next = store
        .write(&origin(), |writer| {
            writer.create(draft(
                windlass_core::EntityType::Task,
                "second",
                None,
                &[],
                serde_json::json!({}),
            ))
        })
        .expect("written");
    assert_eq!(next.number, 2);
}

#[test]
fn a_new_database_in_the_place_of_the_removed_one() {
    let sandbox = sandbox();
    sandbox.task("first");
    fs::remove_dir_all(sandbox.project.state()).expect("removed");
    let other = Store::open(&sandbox.project).expect("a new one");
    refused_and_rescued(&sandbox, &["first"]);
    assert_eq!(other.check(&origin()).expect("checked"), [""; 0]);
}

#[test]
fn the_log_alone_is_removed() {
    let sandbox = sandbox();
    sandbox.task("first");
    for ending in ["db-wal", "db-shm"] {
        let removed = sandbox.project.database().with_extension(ending);
        assert!(removed.exists());
        fs::remove_file(removed).expect("removed");
    }
    refused_and_rescued(&sandbox, &["first"]);
}

/// As it is after the log was removed, and the process that saved its changes has ended.
#[test]
fn a_database_that_lacks_what_was_saved_is_not_written() {
    let sandbox = sandbox();
    sandbox.task("first");
    let project = sandbox.project.clone();
    let older = project.state().join("older.db");
    sandbox.store.rescue_to(&older).expect("saved");
    sandbox.task("second");
    let copy = project.state().join("rescued-20260101T000000000Z-1.db");
    sandbox.store.rescue_to(&copy).expect("saved");
    // Nothing is missing yet.
    let other = Store::open(&project).expect("opened");
    other.write(&origin(), |_| Ok(())).expect("written");
    drop(other);
    let _folder = sandbox.close();
    fs::rename(older, project.database()).expect("put back");
    let fresh = Store::open(&project).expect("opened for reading");
    let told = std::sync::Arc::new(std::sync::Mutex::new(String::new()));
    let heard = std::sync::Arc::clone(&told);
    fresh.tell_notices(move |notice| heard.lock().expect("no panic").push_str(notice));
    assert!(told.lock().expect("no panic").contains("missing"));
    let error = fresh.write(&origin(), |_| Ok(())).expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::StateLost);
    assert_eq!(error.data()["rescued"].as_str(), copy.to_str());
    fs::remove_file(copy).expect("removed");
    fresh.write(&origin(), |_| Ok(())).expect("written");
}

#[test]
fn an_older_copy_is_put_back_beside_a_running_process() {
    let sandbox = sandbox();
    sandbox.task("first");
    let copy = sandbox.project.state().join("copy.db");
    sandbox.store.rescue_to(&copy).expect("saved");
    assert_eq!(titles_in(&copy), ["first"]);
    sandbox.task("second");
    fs::rename(&copy, sandbox.project.database()).expect("put back");
    refused_and_rescued(&sandbox, &["first", "second"]);
}
