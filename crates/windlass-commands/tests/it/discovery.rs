//! Discovery on folders: nesting, ignore rules, files that cannot be read, and the cache.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::sync::Arc;

use windlass_commands::{Discovery, RunnerLookup};

use crate::support::{Repository, names, write};

#[test]
fn nested_packages_are_named_by_their_folder() {
    let repository = Repository::new(&[
        ("Makefile", "test:\n\techo\nbuild:\n"),
        (
            "package.json",
            r#"{"scripts": {"test": "x"}, "workspaces": ["web"]}"#,
        ),
        ("pnpm-lock.yaml", ""),
        ("web/package.json", r#"{"scripts": {"test": "y"}}"#),
        ("web/justfile", "test:\n  x\nonly:\n  x\n"),
        (".github/workflows/ci.yml", "on: push\njobs: {a: {}}\n"),
        (".cargo/config.toml", "[alias]\nxtask = 'run -p xtask --'\n"),
        ("node_modules/a/package.json", r#"{"scripts": {"no": "x"}}"#),
        ("ignored/Makefile", "no:\n"),
        (".gitignore", "ignored/\n"),
        (".hidden/Makefile", "no:\n"),
    ]);
    let commands = repository.discovery.discover();
    assert_eq!(
        names(&commands),
        [
            "test-m",
            "build",
            "test-p",
            "ci",
            "xtask",
            "web/test-p",
            "web/test-j",
            "web/only"
        ]
    );
    assert_eq!(commands.problems, []);
    assert_eq!(repository.command("web/test-p").display(), "pnpm run test");
    assert_eq!(commands.nearest("web/tset-p"), Some("web/test-p"));
}

#[test]
fn unreadable_files_are_reported_and_hide_no_commands() {
    let repository = Repository::new(&[("justfile", "ok:\n  x\n")]);
    let root = &repository.root;
    write(&root.join("Makefile"), b"a:\n\techo \xff\xfe\n");
    write(
        &root.join("big/package.json"),
        &vec![b' '; 10 * 1024 * 1024 + 1],
    );
    symlink("loop.toml", root.join("pyproject.toml")).unwrap();
    symlink("pyproject.toml", root.join("loop.toml")).unwrap();
    symlink("..", root.join("up")).unwrap();
    write(
        &repository.base.join("outside/Taskfile.yml"),
        b"tasks: {evil: x}\n",
    );
    symlink(
        repository.base.join("outside/Taskfile.yml"),
        root.join("Taskfile.yml"),
    )
    .unwrap();
    fs::create_dir(root.join("turbo.json")).unwrap();
    let commands = repository.discovery.discover();
    assert_eq!(names(&commands), ["ok"]);
    let problems: Vec<String> = commands
        .problems
        .iter()
        .map(|problem| format!("{}: {}", problem.file, problem.message))
        .collect();
    assert_eq!(problems[0], "Makefile: the file is not UTF-8");
    assert!(problems[1].starts_with("pyproject.toml: the file cannot be read"));
    assert_eq!(
        problems[2],
        "Taskfile.yml: the file is outside the repository"
    );
    assert_eq!(
        problems[3],
        "big/package.json: the file is larger than 10 MB"
    );
    assert_eq!(problems.len(), 4);
}

#[test]
fn includes_cannot_leave_the_root_through_a_symlink() {
    let repository =
        Repository::new(&[("Makefile", "include out.mk in.mk\n"), ("real.mk", "in:\n")]);
    write(&repository.base.join("evil.mk"), b"evil:\n");
    symlink("../evil.mk", repository.root.join("out.mk")).unwrap();
    symlink("real.mk", repository.root.join("in.mk")).unwrap();
    let commands = repository.discovery.discover();
    assert_eq!(names(&commands), ["in"]);
    assert_eq!(
        commands.problems[0].message,
        "out.mk is outside the repository"
    );
}

#[test]
fn the_set_stays_the_same_until_something_changes() {
    let repository = Repository::new(&[
        ("Makefile", "include a.mk\nb:\n"),
        ("a.mk", "a:\n"),
        ("package.json", r#"{"scripts": {"x": "y"}}"#),
        ("run.sh", "echo\n"),
    ]);
    let discover = || repository.discovery.discover();
    let first = discover();
    assert!(Arc::ptr_eq(&first, &discover()));
    assert_eq!(names(&first), ["a", "b", "x"]);
    // An included file, the appearance of a lock file, and the executable bit count as changes.
    repository.write("a.mk", "c:\n");
    assert_eq!(names(&discover()), ["c", "b", "x"]);
    repository.write("yarn.lock", "");
    assert_eq!(repository.command("x").display(), "yarn run x");
    let script = repository.root.join("run.sh");
    fs::set_permissions(script, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(names(&discover()), ["c", "b", "x", "run"]);
    fs::remove_file(repository.root.join("Makefile")).unwrap();
    let last = discover();
    assert_eq!(names(&last), ["x", "run"]);
    assert!(Arc::ptr_eq(&last, &discover()));
}

#[test]
fn an_edit_with_a_reset_modification_time_is_detected() {
    let repository = Repository::new(&[("Makefile", "a:\n\techo 1\n")]);
    let path = repository.root.join("Makefile");
    let before = repository.command("a");
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    fs::write(&path, "a:\n\techo 2\n").unwrap();
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(modified).unwrap();
    assert_ne!(repository.command("a").fingerprint, before.fingerprint);
    let confirmed = repository.discovery.confirm(&before).unwrap().1;
    assert_ne!(confirmed.fingerprint, before.fingerprint);
}

struct OnlyMake;

impl RunnerLookup for OnlyMake {
    fn is_available(&self, program: &str) -> bool {
        program == "make"
    }
}

#[test]
fn only_installed_runners_are_available() {
    let repository = Repository::new(&[
        ("Makefile", "a:\n"),
        ("justfile", "b:\n  x\n"),
        (".travis.yml", "script: make\n"),
        ("build.gradle", "task c {}\n"),
        ("gradlew", ""),
        ("compose.yml", "services: {d: {image: x}}\n"),
    ]);
    let discovery = Discovery::with_lookup(&repository.root, Box::new(OnlyMake)).unwrap();
    let commands = discovery.discover();
    for (name, expected) in [
        ("a", true),
        ("b", false),
        ("travis", false),
        ("c", true),
        ("d", false),
    ] {
        let command = commands.get(name).unwrap();
        assert_eq!(commands.is_available(command), expected, "{name}");
    }
    fs::remove_file(repository.root.join("gradlew")).unwrap();
    let commands = discovery.discover();
    assert!(!commands.is_available(commands.get("c").unwrap()));
}

/// An archive that says by what it is run: it can be started, and is pinned by its bytes.
#[test]
fn an_executable_archive_is_a_command() {
    let repository = Repository::new(&[("Makefile", "a:\n")]);
    let path = repository.root.join("tools/phive");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let read = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        repository.discovery.discover()
    };
    let found = read(b"#!/usr/bin/env php\n<?php __HALT_COMPILER(); ?>\xff\xfe\x00\x81");
    assert!(found.problems.is_empty(), "{:?}", found.problems);
    let command = found.get("tools/phive").unwrap().clone();
    assert_eq!(command.display(), "./phive");
    assert_eq!(command.pins.files.len(), 1);
    let other = read(b"#!/usr/bin/env php\n<?php __HALT_COMPILER(); ?>\xff\xfe\x00\x82");
    let other = other.get("tools/phive").unwrap();
    assert_ne!(command.fingerprint, other.fingerprint);
}

#[test]
fn a_problem_of_a_shared_file_is_reported_once() {
    let repository = Repository::new(&[
        ("common.mk", "include missing.mk\nall:\n\techo\n"),
        ("a/Makefile", "include ../common.mk\n"),
        (
            "t/Taskfile.yml",
            "version: '3'\nincludes:\n  a: one.yml\n  b: one.yml\n",
        ),
        (
            "t/one.yml",
            "version: '3'\nincludes:\n  c: missing.yml\ntasks:\n  x: echo\n",
        ),
    ]);
    let found = repository.discovery.discover();
    let of = |file: &str| found.problems.iter().filter(|it| it.file == file).count();
    assert_eq!(of("t/one.yml"), 1, "{:?}", found.problems);
    assert_eq!(of("common.mk"), 1, "{:?}", found.problems);
}
