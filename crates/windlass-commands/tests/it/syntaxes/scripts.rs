//! Scripts, cargo's programs, and files that git tracks though a rule ignores them.

use std::process::Command;

use super::{check, repository};

#[test]
fn programs_without_an_extension() {
    check(
        "executables with a shebang line",
        &[
            (
                &[
                    ("bin/test", "#!/usr/bin/env ruby\nputs 1\n"),
                    ("bin/notes", "text\n"),
                ],
                &["bin/test | ./test | bin"],
            ),
            (
                &[
                    ("runtest", "#!/bin/sh\necho\n"),
                    ("LICENSE", "x\n"),
                    ("gradlew", "#!/bin/sh\n"),
                ],
                &["runtest | ./runtest | ."],
            ),
            (
                &[
                    ("script/server", "#!/bin/bash\necho\n"),
                    ("ci/build", "#!/usr/bin/env python3\n"),
                    ("src/tool", "#!/bin/sh\n"),
                ],
                &[
                    "ci/build | ./build | ci",
                    "script/server | ./server | script",
                ],
            ),
        ],
    );
}

#[test]
fn the_folder_of_a_script() {
    check(
        "where a script expects to be",
        &[
            (
                &[
                    ("Cargo.toml", ""),
                    ("scripts/version.sh", "#!/bin/sh\ngrep version Cargo.toml\n"),
                ],
                &["scripts/version | ./scripts/version.sh | ."],
            ),
            (
                &[
                    ("src/a.c", ""),
                    ("hack/fmt", "#!/bin/bash\nclang-format src/a.c\n"),
                    ("hack/x.sh", "#!/bin/sh\n. ./lib.sh\n"),
                    ("hack/lib.sh", "f() { :; }\n"),
                ],
                &["hack/fmt | ./hack/fmt | .", "hack/x | ./x.sh | hack"],
            ),
            (
                &[
                    ("data.txt", ""),
                    (
                        "tools/a.sh",
                        "#!/bin/sh\ncd \"$(dirname \"$0\")/..\"\ncat data.txt\n",
                    ),
                ],
                &["tools/a | ./a.sh | tools"],
            ),
        ],
    );
}

#[test]
fn programs_of_cargo() {
    check(
        "cargo",
        &[
            (
                &[(
                    "Cargo.toml",
                    "[package]\nname = 'p'\n[[bin]]\nname = 'tool'\nrequired-features = ['cli', 'net']\n",
                )],
                &["tool | cargo run --bin tool --features cli,net | ."],
            ),
            (
                &[
                    (
                        "Cargo.toml",
                        "[package]\nname = 'p'\n[[bin]]\nname = 'other'\npath = 'src/bin/x.rs'\n",
                    ),
                    ("src/bin/x.rs", ""),
                    ("src/bin/y.rs", ""),
                ],
                &[
                    "other | cargo run --bin other | .",
                    "y | cargo run --bin y | .",
                ],
            ),
            (
                &[
                    ("Cargo.toml", "[package]\nname = 'p'\n"),
                    ("src/main.rs", ""),
                    ("src/bin/deep/main.rs", ""),
                    ("src/bin/lib/mod.rs", ""),
                ],
                &[
                    "p | cargo run --bin p | .",
                    "deep | cargo run --bin deep | .",
                ],
            ),
        ],
    );
}

#[test]
fn tracked_files_are_never_ignored() {
    for (ignored, file, name) in [
        ("/build*\n", "build-x.sh", "build-x"),
        ("out/\n", "out/Makefile", "out/all"),
        ("*.json\n", "a/b/package.json", "a/b/all"),
    ] {
        let text = match file.rsplit('.').next() {
            Some("sh") => "#!/bin/sh\n",
            Some("json") => r#"{"scripts": {"all": "x"}}"#,
            _ => "all:\n",
        };
        let repository = repository(&[(".gitignore", ignored), (file, text)]);
        let git = |words: &[&str]| {
            let ended = Command::new("git")
                .args(words)
                .current_dir(&repository.root)
                .output();
            ended.is_ok_and(|it| it.status.success())
        };
        let before = repository.discovery.discover();
        assert!(before.get(name).is_none(), "{file} is ignored");
        if !git(&["init", "-q"]) {
            println!("git is not installed: tracked files are not checked");
            return;
        }
        assert!(git(&["add", "-f", file]));
        let after = repository.discovery.discover();
        assert!(after.get(name).is_some(), "{file} is tracked");
    }
}
