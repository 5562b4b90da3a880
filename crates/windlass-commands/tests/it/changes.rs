//! Attempts to change what was allowed, between the grant and the start.

use std::fs;
use std::os::unix::fs::symlink;

use windlass_commands::allowlist::{Reason, Scope, allow};

use crate::support::{Repository, repository, write};

#[test]
fn a_definition_that_changes_after_the_grant_is_rejected() {
    for (file, name, changed) in [
        ("Makefile", "build", "build:\n\techo evil\ntest:\n"),
        (
            "Makefile",
            "build",
            "build: evil\n\techo build\nevil:\n\tx\n",
        ),
        (
            "package.json",
            "start",
            r#"{"scripts": {"start": "node evil"}}"#,
        ),
        (
            "package.json",
            "start",
            r#"{"scripts": {"start": "node .", "prestart": "evil"}}"#,
        ),
        (
            "package.json",
            "start",
            r#"{"scripts": {"start": "node ."}, "packageManager": "yarn@4"}"#,
        ),
        ("justfile", "fixed", "fixed:\n  evil\n"),
        (
            "Taskfile.yml",
            "t",
            "vars: {X: {sh: evil}}\ntasks: {t: echo}\n",
        ),
        ("run.sh", "run", "#!/bin/sh\nevil\n"),
        (
            ".github/workflows/ci.yml",
            "ci",
            "on: push\njobs: {a: {}, b: {}}\n",
        ),
        (
            ".cargo/config.toml",
            "xtask",
            "[alias]\nxtask = 'run -p evil --'\n",
        ),
    ] {
        let repository = repository();
        let allowlist = repository.allowlist();
        let before = repository.command(name);
        let pin = [(before.name.clone(), Some(before.fingerprint.clone()))];
        allow(
            &repository.allowlist_file(),
            &repository.root.join(file),
            Scope::Task,
            &pin,
        )
        .unwrap();
        assert!(
            allowlist.decide(&repository.root, &before).allowed,
            "{name}"
        );
        // Between the decision and the start.
        repository.write(file, changed);
        let now = repository.discovery.confirm(&before).unwrap().1;
        assert_eq!(
            allowlist.decide(&repository.root, &now).reason,
            Reason::Changed,
            "{changed}"
        );
    }
}

#[test]
fn a_file_replaced_by_a_symlink_is_rejected() {
    let repository = repository();
    repository.set_allowlist("[[entries]]\npath = \"ROOT\"\nscope = \"Directory\"\n");
    let allowlist = repository.allowlist();
    let build = repository.command("build");
    let makefile = repository.root.join("Makefile");
    write(&repository.base.join("evil.mk"), b"build:\n\tevil\n");
    fs::remove_file(&makefile).unwrap();
    symlink(repository.base.join("evil.mk"), &makefile).unwrap();
    assert_eq!(
        allowlist.decide(&repository.root, &build).reason,
        Reason::Unreachable
    );
    fs::remove_file(&makefile).unwrap();
    assert_eq!(
        allowlist.decide(&repository.root, &build).reason,
        Reason::Unreachable
    );
    assert!(repository.discovery.confirm(&build).is_none());
}

const MAKEFILE: &str =
    "X = 1\nbuild: dep\n\techo $(X)\ndep: deeper\n\tdep\ndeeper:\n\tdeeper\nother:\n\tother\n";
const JUSTFILE: &str = "x := '1'\nbuild: dep && (after 'x')\n  echo {{x}}\ndep:\n  dep\n[private]\nafter y:\n  after\nother:\n  other\n";

/// A line of a file, and its replacement. The files are programs, in which any line may change what
/// `build` does, so every change makes another command of it.
#[test]
fn every_line_of_a_program_is_pinned() {
    for (file, text, line, changed) in [
        ("Makefile", MAKEFILE, "X = 1", "X = $(shell evil)"),
        ("Makefile", MAKEFILE, "X = 1", "X = 1\nSHELL := ./evil"),
        ("Makefile", MAKEFILE, "X = 1", "X = 1\ninclude evil.mk"),
        ("Makefile", MAKEFILE, "X = 1", "X = 1\n.ONESHELL:"),
        ("Makefile", MAKEFILE, "X = 1", "X = 1\nbuild: X = evil"),
        ("Makefile", MAKEFILE, "X = 1", "define X\nevil\nendef"),
        ("Makefile", MAKEFILE, "\tdep", "\tevil"),
        ("Makefile", MAKEFILE, "\tdeeper", "\tevil"),
        ("Makefile", MAKEFILE, "\tother", "\tevil"),
        ("Makefile", MAKEFILE, "X = 1", "# A comment\nX = 1"),
        ("Makefile", MAKEFILE, "X = 1", "X = 1\nmore:\n\tmore"),
        ("justfile", JUSTFILE, "x := '1'", "x := `evil`"),
        (
            "justfile",
            JUSTFILE,
            "x := '1'",
            "x := '1'\nset shell := ['./evil']",
        ),
        ("justfile", JUSTFILE, "x := '1'", "x := '''\nevil\n'''"),
        ("justfile", JUSTFILE, "x := '1'", "x := (\n  'evil'\n)"),
        ("justfile", JUSTFILE, "  dep", "  evil"),
        ("justfile", JUSTFILE, "  after", "  evil"),
        ("justfile", JUSTFILE, "  other", "  evil"),
        ("justfile", JUSTFILE, "x := '1'", "# A comment\nx := '1'"),
    ] {
        let repository = Repository::new(&[(file, text)]);
        let before = repository.command("build").fingerprint.clone();
        assert!(text.contains(line), "{line}");
        repository.write(file, &text.replacen(line, changed, 1));
        let after = repository.command("build").fingerprint.clone();
        assert_ne!(before, after, "{file}: {line:?} to {changed:?}");
    }
}
