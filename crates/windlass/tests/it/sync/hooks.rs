//! The hooks of git, installed by a person beside those that are there.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::process::Output;
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use super::{Place, text};
use crate::person;
use crate::sample::{self, windlass};

impl Place {
    /// Runs a command as a person does.
    fn as_a_person(&self, words: &[&str]) -> Output {
        let mut command = windlass();
        command.current_dir(&self.root).args(words);
        command.env("XDG_STATE_HOME", sample::state_home());
        person::at_a_terminal(&command, "")
    }

    fn install(&self) -> String {
        let output = self.as_a_person(&["hook", "install"]);
        assert!(output.status.success(), "{}", text(&output));
        text(&output)
    }

    fn uninstall(&self) {
        let output = self.as_a_person(&["hook", "uninstall"]);
        assert!(output.status.success(), "{}", text(&output));
    }

    fn hook(&self, name: &str) -> PathBuf {
        self.root.join(".git/hooks").join(name)
    }

    fn write_hook(&self, name: &str, script: &[u8], mode: u32) {
        fs::create_dir_all(self.root.join(".git/hooks")).expect("made");
        fs::write(self.hook(name), script).expect("written");
        let mode = fs::Permissions::from_mode(mode);
        fs::set_permissions(self.hook(name), mode).expect("set");
    }

    /// The state of a hook, as `hook status` tells it.
    fn state_of(&self, name: &str) -> Json {
        let status = self.json(&["hook", "status"]);
        let hooks = status["hooks"].as_array().expect("hooks").clone();
        let hook = hooks.into_iter().find(|hook| hook["hook"] == name);
        hook.expect(name)["state"].clone()
    }

    /// Commits with its hooks. On a machine that is too busy for a second, the commit is made again.
    fn commit_by_hook(&self, words: &[&str]) {
        let words = [&["commit", "--quiet"][..], words].concat();
        for _ in 0..20 {
            let said = self.git(&words);
            if !said.contains("left to the next") && !said.contains("not added to the commit") {
                return;
            }
            self.git(&["reset", "--quiet", "--soft", "HEAD~1"]);
        }
        panic!("the hook never had the time");
    }

    fn committed(&self) -> String {
        self.git(&["show", "--name-status", "--format=", "HEAD"])
    }
}

#[test]
fn only_a_person_installs_hooks() {
    let one = Place::repository();
    for word in ["install", "uninstall"] {
        let refused = one.try_windlass(&["hook", word]);
        assert!(!refused.status.success());
        assert!(
            text(&refused).contains("Only a person at a terminal"),
            "{}",
            text(&refused)
        );
    }
    assert!(!one.hook("pre-commit").exists());
}

#[test]
fn git_carries_the_packs_by_itself() {
    let one = Place::repository();
    let two = one.cloned("two");
    for place in [&one, &two] {
        let told = place.install();
        assert!(told.contains("pre-commit    installed"), "{told}");
        assert_eq!(place.state_of("post-merge"), "installed");
    }
    one.write("work.txt", "work");
    one.write("other.txt", "not to be committed");
    one.windlass(&["add", "A task"]);
    one.git(&["add", "work.txt"]);
    one.commit_by_hook(&["--message", "work"]);
    let committed = one.committed();
    assert!(committed.contains("work.txt"), "{committed}");
    assert!(committed.contains(".windlass/packs/"), "{committed}");
    assert!(!committed.contains("other.txt"), "{committed}");
    let left = one.git(&["status", "--porcelain"]);
    assert_eq!(left, "?? other.txt");
    // The merge imports.
    let pulled = two.git(&["pull", "--quiet"]);
    assert!(
        pulled.contains("Imported 1 pack: 1 entity changed."),
        "{pulled}"
    );
    assert_eq!(two.titles(), ["A task"]);
    // A checkout and a rebase import too, and keep quiet where nothing is new.
    let switched = two.git(&["switch", "--quiet", "--create", "side"]);
    assert_eq!(switched, "");
    // A commit of listed files takes those and nothing else.
    one.windlass(&["add", "Another task"]);
    one.write("work.txt", "more");
    one.git(&["commit", "--quiet", "--message", "listed", "--", "work.txt"]);
    assert_eq!(one.committed(), "M\twork.txt");
    let left = one.git(&["status", "--porcelain"]);
    assert!(!left.contains("D "), "{left}");
    // The next whole commit has it, also one with -a.
    one.write("work.txt", "still more");
    one.commit_by_hook(&["--all", "--message", "all"]);
    assert!(
        one.committed().contains(".windlass/packs/"),
        "{}",
        one.committed()
    );
    assert_eq!(one.git(&["status", "--porcelain"]), "?? other.txt");
    // What a compaction replaced leaves the index with the next commit.
    one.windlass(&["sync", "--compact"]);
    one.commit_by_hook(&["--allow-empty", "--message", "compacted"]);
    assert_eq!(
        one.committed().matches("D\t.windlass/packs/").count(),
        2,
        "{}",
        one.committed()
    );
    assert_eq!(one.git(&["status", "--porcelain"]), "?? other.txt");
    one.uninstall();
    assert!(!one.hook("pre-commit").exists());
    assert_eq!(one.state_of("pre-commit"), "missing");
}

#[test]
fn existing_hooks_run_and_come_back_byte_for_byte() {
    let one = Place::repository();
    let scripts: [(&str, &[u8], u32); 4] = [
        (
            "pre-commit",
            b"#!/bin/sh\nset -eu\necho own >> ran.txt\nexit 0",
            0o755,
        ),
        (
            "post-merge",
            b"#!/usr/bin/env python3\nprint('merged')\n",
            0o755,
        ),
        // Switched off, and it stays so.
        (
            "post-checkout",
            b"#!/bin/sh\necho never >> ran.txt\n",
            0o644,
        ),
        ("post-rewrite", b"#!/bin/bash\ncat >> ran.txt\n", 0o700),
    ];
    for (name, script, mode) in scripts {
        one.write_hook(name, script, mode);
    }
    let told = one.install();
    assert!(told.contains("your own hook runs after it"), "{told}");
    let installed = fs::read(one.hook("pre-commit")).expect("read");
    assert!(
        !one.install().contains(": /"),
        "a second time changes nothing"
    );
    assert_eq!(fs::read(one.hook("pre-commit")).expect("read"), installed);
    one.windlass(&["add", "A task"]);
    one.write(".gitignore", "ran.txt\n");
    one.git(&["add", "--all"]);
    one.commit_by_hook(&["--message", "work"]);
    assert!(
        one.committed().contains(".windlass/packs/"),
        "{}",
        one.committed()
    );
    assert!(one.read("ran.txt").starts_with("own\n"));
    one.git(&["commit", "--quiet", "--amend", "--message", "again"]);
    assert!(
        one.read("ran.txt").lines().count() >= 3,
        "what git tells it arrives: {}",
        one.read("ran.txt")
    );
    one.git(&["switch", "--quiet", "--create", "side"]);
    assert!(!one.read("ran.txt").contains("never"));
    one.uninstall();
    for (name, script, mode) in scripts {
        assert_eq!(fs::read(one.hook(name)).expect(name), script, "{name}");
        let now = fs::metadata(one.hook(name))
            .expect(name)
            .permissions()
            .mode();
        assert_eq!(now & 0o777, mode, "{name}");
    }
    let left = fs::read_dir(one.root.join(".git/hooks"))
        .expect("read")
        .flatten();
    let left: Vec<String> = left
        .map(|it| it.file_name().to_string_lossy().into_owned())
        .collect();
    assert!(
        left.iter().all(|name| !name.contains("windlass")),
        "{left:?}"
    );
}

#[test]
fn a_link_to_a_file_of_the_repository_is_not_written_through() {
    let one = Place::repository();
    one.write("own.sh", "#!/bin/sh\necho own > ran.txt\n");
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(one.root.join("own.sh"), mode).expect("set");
    fs::create_dir_all(one.root.join(".git/hooks")).expect("made");
    symlink("../../own.sh", one.hook("pre-commit")).expect("linked");
    one.install();
    assert_eq!(one.read("own.sh"), "#!/bin/sh\necho own > ran.txt\n");
    one.git(&["add", "own.sh"]);
    one.git(&["commit", "--quiet", "--message", "work"]);
    assert_eq!(one.read("ran.txt"), "own\n");
    one.uninstall();
    assert!(one.hook("pre-commit").is_symlink());
}

#[test]
fn other_programs_that_manage_hooks_are_respected() {
    let husky = Place::repository();
    fs::create_dir_all(husky.root.join(".husky/_")).expect("made");
    husky.write(".husky/pre-commit", "npm test\n");
    husky.git(&["config", "core.hooksPath", ".husky/_"]);
    let told = husky.install();
    assert!(
        told.contains("husky manages pre-commit. Add this to"),
        "{told}"
    );
    assert!(told.contains("windlass hook run pre-commit"), "{told}");
    assert_eq!(husky.read(".husky/pre-commit"), "npm test\n");
    assert_eq!(husky.state_of("pre-commit"), "by_hand");
    husky.write(
        ".husky/pre-commit",
        "npm test\nwindlass hook run pre-commit || :\n",
    );
    assert_eq!(husky.state_of("pre-commit"), "managed");

    let framework = Place::repository();
    let generated =
        b"#!/usr/bin/env bash\n# File generated by pre-commit: https://pre-commit.com\n";
    framework.write_hook("pre-commit", generated, 0o755);
    let told = framework.install();
    assert!(told.contains(".pre-commit-config.yaml"), "{told}");
    assert!(told.contains("- repo: local"), "{told}");
    assert_eq!(
        fs::read(framework.hook("pre-commit")).expect("read"),
        generated
    );
    assert_eq!(
        framework.state_of("post-merge"),
        "installed",
        "the others are free"
    );

    let lefthook = Place::repository();
    lefthook.write("lefthook.yml", "pre-push:\n");
    let told = lefthook.install();
    assert!(told.contains("lefthook.yml"), "{told}");
    assert!(!lefthook.hook("pre-commit").exists());

    let shared = Place::repository();
    let folder = shared.beside("shared-hooks");
    fs::create_dir(&folder.root).expect("made");
    shared.git(&["config", "core.hooksPath", folder.path()]);
    shared.install();
    assert_eq!(fs::read_dir(&folder.root).expect("read").count(), 0);
}

#[test]
fn worktrees_submodules_and_projects_in_subfolders() {
    let one = Place::repository();
    one.install();
    let side = one.beside("side");
    one.git(&["worktree", "add", "--quiet", "-b", "side", side.path()]);
    side.windlass(&["add", "In the worktree"]);
    side.commit_by_hook(&["--allow-empty", "--message", "side"]);
    assert!(
        side.committed().contains(".windlass/packs/"),
        "{}",
        side.committed()
    );
    assert_eq!(side.git(&["status", "--porcelain"]), "");

    let outer = Place::empty();
    outer.git(&["init", "--quiet", "--initial-branch=main"]);
    let web = outer.beside("one/web");
    fs::create_dir(&web.root).expect("made");
    web.windlass(&["init"]);
    outer.commit("a project in a folder");
    web.install();
    web.windlass(&["add", "In a folder"]);
    outer.commit_by_hook(&["--allow-empty", "--message", "work"]);
    assert!(
        outer.committed().contains("web/.windlass/packs/"),
        "{}",
        outer.committed()
    );

    outer.git(&["submodule", "--quiet", "add", one.path(), "lib"]);
    let lib = outer.beside("one/lib");
    let told = lib.install();
    assert!(told.contains(".git/modules/lib/hooks"), "{told}");
    lib.windlass(&["add", "In a submodule"]);
    lib.commit_by_hook(&["--allow-empty", "--message", "work"]);
    assert!(
        lib.committed().contains(".windlass/packs/"),
        "{}",
        lib.committed()
    );
}

#[test]
fn a_busy_state_does_not_hold_up_a_commit_unless_it_is_to() {
    let one = Place::repository();
    one.install();
    one.windlass(&["add", "A task"]);
    let store = one.store();
    let commit = ["commit", "--quiet", "--allow-empty", "--message", "work"];
    let (output, took) = store
        .write(&sample::origin(), |_| {
            let begin = Instant::now();
            let output = one.try_git(&commit);
            Ok((output, begin.elapsed()))
        })
        .expect("held");
    assert!(output.status.success(), "{}", text(&output));
    assert!(
        text(&output).contains("left to the next windlass sync"),
        "{}",
        text(&output)
    );
    assert!(took < Duration::from_secs(10), "{took:?}");
    assert!(!one.committed().contains("packs"), "{}", one.committed());
    // Where a person wants it strict, the commit waits for the next try.
    let strict = one.as_a_person(&["hook", "install", "--strict"]);
    assert!(strict.status.success(), "{}", text(&strict));
    let output = store
        .write(&sample::origin(), |_| Ok(one.try_git(&commit)))
        .expect("held");
    assert!(!output.status.success(), "{}", text(&output));
    assert!((0..20).any(|_| one.try_git(&commit).status.success()));
    assert!(
        one.committed().contains(".windlass/packs/"),
        "{}",
        one.committed()
    );
    // Without the program nothing happens, and nothing fails.
    let script = fs::read_to_string(one.hook("pre-commit")).expect("read");
    let script = script.replace(env!("CARGO_BIN_EXE_windlass"), "/nowhere/windlass");
    one.write_hook("pre-commit", script.as_bytes(), 0o755);
    let output = one.try_git(&commit);
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(text(&output), "");
    assert_eq!(one.state_of("pre-commit"), "outdated");
}
