//! A project on a disk that cannot be written.

use std::path::Path;
use std::process::Command;

use windlass_store::{Project, Store};

use crate::support::{draft, origin, sandbox};

/// Runs this test program again, in a space of its own in which the folder is mounted read-only. Some
/// systems do not allow such a space; there this says so and checks nothing.
#[expect(clippy::print_stdout, reason = "a test that checks nothing says so")]
fn in_read_only_space(folder: &Path, test: &str) {
    let script = "mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro \"$1\" || exit 77
        WINDLASS_TEST_FOLDER=\"$1\" \"$2\" --exact \"$3\" --ignored --nocapture";
    let done = Command::new("unshare")
        .args([
            "--user",
            "--map-root-user",
            "--mount",
            "sh",
            "-c",
            script,
            "sh",
        ])
        .arg(folder)
        .arg(std::env::current_exe().expect("a path"))
        .arg(test)
        .output();
    match done {
        Ok(done) if done.status.success() => {
            let text = String::from_utf8_lossy(&done.stdout);
            assert!(text.contains("1 passed"), "{text}");
        }
        Ok(done) if done.status.code() == Some(101) => {
            panic!("{}", String::from_utf8_lossy(&done.stderr));
        }
        other => println!("not checked: no mounts here ({other:?})"),
    }
}

#[test]
fn a_project_that_was_closed_in_order_can_be_read_on_a_read_only_disk() {
    let sandbox = sandbox();
    sandbox.task("first");
    let folder = sandbox.close();
    in_read_only_space(folder.path(), "read_only::reads_but_does_not_write");
    let (project, _) = Project::init(folder.path()).expect("a project");
    let store = Store::open(&project).expect("opened");
    let number = store.write(&origin(), |writer| {
        let draft = draft(
            windlass_core::EntityType::Task,
            "second",
            None,
            &[],
            serde_json::json!({}),
        );
        writer.create(draft).map(|entity| entity.number)
    });
    assert_eq!(number, Ok(2), "it can be written again");
}

/// The other half of the test above.
#[test]
#[ignore = "runs in a space of its own"]
#[expect(
    clippy::disallowed_methods,
    reason = "the folder comes from the other half"
)]
fn reads_but_does_not_write() {
    let folder = std::env::var_os("WINDLASS_TEST_FOLDER").expect("a folder");
    let project = Project::find(Path::new(&folder)).expect("a project");
    let store = Store::open(&project).expect("opened");
    let page = windlass_core::Page::default();
    let filter = windlass_store::EntityFilter::default();
    let (entities, _) = store
        .read(None, |reader| reader.entities(&filter, page))
        .expect("read");
    assert_eq!(entities.len(), 1);
    // What the doctor asks.
    let versions = store.versions().expect("versions");
    assert_eq!(versions.found, versions.known);
    assert_eq!(store.check(&origin()).expect("checked"), [""; 0]);
    for _ in 0..2 {
        let error = store.write(&origin(), |_| Ok(())).expect_err("refused");
        assert!(error.message().contains("cannot be written"), "{error}");
        assert!(error.hint().expect("a hint").contains("read-only"));
    }
}
