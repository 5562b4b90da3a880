//! Attempts to change what was allowed, between the grant and the start.

use std::fs;
use std::os::unix::fs::symlink;

use windlass_commands::allowlist::{Reason, Scope, allow};

use crate::support::{repository, write};

#[test]
fn a_definition_that_changes_after_the_grant_is_refused() {
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
        let now = repository.discovery.confirm(&before).unwrap();
        assert_eq!(
            allowlist.decide(&repository.root, &now).reason,
            Reason::Changed,
            "{changed}"
        );
    }
}

#[test]
fn a_file_that_is_swapped_for_a_link_is_refused() {
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
    assert_eq!(repository.discovery.confirm(&build), None);
}
