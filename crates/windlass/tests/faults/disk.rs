//! Disks that are full, that have no inodes left, and files that may not grow: the server says what
//! is wrong, loses nothing, and goes on once there is room.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde_json::{Value as Json, json};

use crate::Scenario;
use crate::project::{Place, config_of, windlass};
use crate::server::Server;

/// Runs this test program again, in a space of its own with a small disk. Some systems do not allow
/// such a space; there nothing is checked, and the table says so.
pub fn full(scenario: &mut Scenario) {
    let script = "mount -t tmpfs -o \"size=$3k,nr_inodes=64\" tmpfs \"$1\" || exit 77
        WINDLASS_TEST_FOLDER=\"$1\" exec \"$2\" --exact disk::fills_a_small_disk --ignored --nocapture";
    while scenario.goes_on() {
        let folder = tempfile::tempdir().expect("a folder");
        let size = 1_500 + scenario.dice.roll(2_000);
        let begin = Instant::now();
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
            .arg(folder.path())
            .arg(std::env::current_exe().expect("a path"))
            .arg(size.to_string())
            .output();
        scenario.waited(begin.elapsed());
        match done {
            Ok(done) if done.status.success() => {
                let said = String::from_utf8_lossy(&done.stdout).into_owned();
                let note = said.lines().find_map(|line| line.strip_prefix("note "));
                note.expect("a note").clone_into(&mut scenario.note);
            }
            Ok(done) if done.status.code() == Some(101) => {
                scenario
                    .losses
                    .push(String::from_utf8_lossy(&done.stderr).into_owned());
            }
            _ => {
                scenario.attempts = 0;
                "not checked: no mounts here".clone_into(&mut scenario.note);
                return;
            }
        }
    }
}

/// In the space with the small disk.
#[test]
#[ignore = "run by another test"]
#[expect(clippy::disallowed_methods, reason = "another test tells it where")]
fn fills_a_small_disk() {
    let disk = PathBuf::from(std::env::var_os("WINDLASS_TEST_FOLDER").expect("a folder"));
    let ballast = disk.join("ballast");
    fs::write(&ballast, vec![1; 300_000]).expect("written");
    let place = Place::at(&disk.join("project"));
    drop(place.store());
    let mut server = Server::start(&place.root);
    let (acknowledged, refusal) = write_until_refused(&mut server, "a");
    assert!(
        refusal.contains("full") || refusal.contains("space"),
        "{refusal}"
    );
    // It can still be read, and written once there is room.
    server.ok("entity_list", json!({"type": "note"}));
    fs::remove_file(&ballast).expect("removed");
    let (more, _) = write_until_refused(&mut server, "b");
    assert!(
        !more.is_empty(),
        "nothing could be written after space was freed"
    );
    drop(server);
    let all = [acknowledged, more].concat();
    assert_eq!(place.losses(&all, true), [""; 0]);
    let without_inodes = use_up_inodes(&disk, &place);
    println!("note {} acknowledged writes, {without_inodes}", all.len());
}

/// Without inodes there is no place for the log; the error says where to look.
fn use_up_inodes(disk: &Path, place: &Place) -> &'static str {
    for suffix in ["-wal", "-shm"] {
        let _ = fs::remove_file(place.state().join(format!("windlass.db{suffix}")));
    }
    let mut made = Vec::new();
    for number in 0..1_000 {
        let file = disk.join(format!("f{number}"));
        if fs::File::create(&file).is_err() {
            break;
        }
        made.push(file);
    }
    let output = windlass()
        .arg("--cwd")
        .arg(&place.root)
        .args(["ready"])
        .env("XDG_CONFIG_HOME", config_of(&place.root))
        .env("HOME", config_of(&place.root))
        .output()
        .expect("started");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        assert!(said.contains("inodes"), "{said}");
    }
    for file in made {
        fs::remove_file(file).expect("removed");
    }
    "and told about inodes"
}

/// Writes until the first refusal; returns what was acknowledged, and the refusal.
fn write_until_refused(server: &mut Server, name: &str) -> (Vec<String>, String) {
    let mut acknowledged = Vec::new();
    for number in 0..5_000 {
        let title = format!("{name}{number}");
        let input = json!({"type": "note", "title": title, "content": "word ".repeat(2_000)});
        let answer = server
            .call("entity_create", input)
            .expect("the server lives");
        if !is_stored(&answer) {
            return (acknowledged, answer.to_string());
        }
        acknowledged.push(title);
    }
    panic!("the disk never was full");
}

fn is_stored(answer: &Json) -> bool {
    answer["result"]["structuredContent"].is_object() && answer["result"]["isError"] != true
}

/// A limit of the size of files: the system would end the process that exceeds it.
pub fn limited(scenario: &mut Scenario) {
    while scenario.goes_on() {
        let place = Place::new();
        drop(place.store());
        let size = fs::metadata(place.state().join("windlass.db"))
            .expect("a file")
            .len();
        let limit = size + 200_000 + scenario.dice.roll(1_000_000);
        let mut command = Command::new("prlimit");
        command
            .arg(format!("--fsize={limit}"))
            .arg(env!("CARGO_BIN_EXE_windlass"))
            .arg("--cwd")
            .arg(&place.root)
            .args(["mcp", "--toolsets", "all"])
            .env("WINDLASS_LOG_LEVEL", "error")
            .env("XDG_CONFIG_HOME", config_of(&place.root))
            .env("HOME", config_of(&place.root));
        for (name, value) in windlass().get_envs() {
            command.env(name, value.expect("a value"));
        }
        let begin = Instant::now();
        let mut server = Server::of(command);
        let (acknowledged, refusal) = write_until_refused(&mut server, "l");
        scenario.waited(begin.elapsed());
        if !refusal.contains("ulimit -f") {
            scenario.losses.push(format!("no hint: {refusal}"));
        }
        server.ok("entity_list", json!({"type": "note"}));
        drop(server);
        scenario.losses.extend(place.losses(&acknowledged, true));
        scenario.note = format!("{} acknowledged writes in the last", acknowledged.len());
    }
}
