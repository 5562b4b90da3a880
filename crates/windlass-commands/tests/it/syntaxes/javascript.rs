//! Package managers and the tools of workspaces.

use windlass_commands::Kind;

use super::{check, repository};

#[test]
fn lifecycle_scripts_are_marked() {
    for (text, name, kind) in [
        (
            r#"{"scripts": {"prepare": "husky"}}"#,
            "prepare",
            Kind::Lifecycle,
        ),
        (
            r#"{"scripts": {"test": "x", "pretest": "y"}}"#,
            "pretest",
            Kind::Lifecycle,
        ),
        (
            r#"{"scripts": {"test": "x", "pretest": "y"}}"#,
            "test",
            Kind::Task,
        ),
        (r#"{"scripts": {"pretest": "y"}}"#, "pretest", Kind::Task),
        (
            r#"{"scripts": {"postinstall": "y"}}"#,
            "postinstall",
            Kind::Lifecycle,
        ),
    ] {
        let found = repository(&[("package.json", text)]).discovery.discover();
        assert_eq!(found.get(name).unwrap().kind, kind, "{text}");
    }
}

#[test]
fn programs_of_packages() {
    check(
        "bin",
        &[
            (
                &[
                    ("package.json", r#"{"name": "@x/tool", "bin": "./cli.js"}"#),
                    ("cli.js", "console.log(1)\n"),
                ],
                &["tool | node ./cli.js | ."],
            ),
            (
                &[
                    (
                        "package.json",
                        r#"{"bin": {"a": "bin/a.mjs", "b": "dist/b.js"}}"#,
                    ),
                    ("bin/a.mjs", "x\n"),
                ],
                &["a | node ./bin/a.mjs | ."],
            ),
            (
                &[
                    (
                        "pkg/package.json",
                        "{\"scripts\": {\"go\": \"x\"},\n\"bin\": {\"run-it\": \"./go\", \"go\": \"./go\"}}",
                    ),
                    ("pkg/go", "#!/usr/bin/env node\n"),
                ],
                &["pkg/go | npm run go | pkg", "pkg/run-it | ./go | pkg"],
            ),
        ],
    );
}

#[test]
fn two_lock_files_are_reported() {
    for (files, problem) in [
        (
            &[
                ("package.json", r#"{"scripts": {"a": "x"}}"#),
                ("yarn.lock", ""),
                ("package-lock.json", "{}"),
            ] as &[_],
            true,
        ),
        (
            &[
                ("package.json", r#"{"scripts": {"a": "x"}}"#),
                ("yarn.lock", ""),
                ("pnpm-lock.yaml", ""),
            ],
            true,
        ),
        (
            &[
                (
                    "package.json",
                    r#"{"scripts": {"a": "x"}, "packageManager": "yarn@4"}"#,
                ),
                ("yarn.lock", ""),
                ("package-lock.json", "{}"),
            ],
            false,
        ),
        (
            &[
                ("package.json", r#"{"scripts": {"a": "x"}}"#),
                ("bun.lock", ""),
                ("bun.lockb", ""),
            ],
            false,
        ),
    ] {
        let found = repository(files).discovery.discover();
        let said = found
            .problems
            .iter()
            .any(|it| it.message.contains("both here"));
        assert_eq!(said, problem, "{files:?} {:?}", found.problems);
        assert_eq!(found.commands.len(), 1);
    }
}

#[test]
fn moon_projects() {
    check(
        "moon",
        &[
            (
                &[
                    (".moon/workspace.yml", "projects:\n  web: apps/site\n"),
                    (
                        "apps/site/moon.yml",
                        "tasks:\n  build:\n    command: vite build\n  secret:\n    command: x\n    options:\n      internal: true\n",
                    ),
                ],
                &["apps/site/build | moon run web:build | apps/site"],
            ),
            (
                &[(
                    "apps/api/moon.yml",
                    "id: backend\ntasks:\n  dev: {command: [node, .]}\n",
                )],
                &["apps/api/dev | moon run backend:dev | apps/api"],
            ),
            (
                &[
                    (".moon/tasks.yml", "tasks:\n  lint:\n    command: eslint\n"),
                    (
                        ".moon/tasks/node.yml",
                        "tasks:\n  format: {command: prettier}\n",
                    ),
                ],
                &["lint | moon run :lint | .", "format | moon run :format | ."],
            ),
        ],
    );
}

#[test]
fn nx_targets() {
    check(
        "nx",
        &[
            (
                &[
                    ("nx.json", "{}"),
                    (
                        "apps/web/project.json",
                        r#"{"name": "site", "targets": {"build": {"executor": "@nx/vite:build"}}}"#,
                    ),
                ],
                &["apps/web/build | nx run site:build | apps/web"],
            ),
            (
                &[
                    ("nx.json", "{}"),
                    (
                        "libs/ui/project.json",
                        "{\n  // no name\n  \"targets\": {\"test\": {\"command\": \"jest\"}, \"lint\": {}}\n}",
                    ),
                    ("node_modules/.bin/nx", "#!/usr/bin/env node\n"),
                ],
                &[
                    "libs/ui/test | ../../node_modules/.bin/nx run ui:test | libs/ui",
                    "libs/ui/lint | ../../node_modules/.bin/nx run ui:lint | libs/ui",
                ],
            ),
            (&[("app/project.json", r#"{"targets": {"x": {}}}"#)], &[]),
        ],
    );
}

#[test]
fn runners_that_the_project_installed() {
    check(
        "local runners",
        &[
            (
                &[
                    ("turbo.json", r#"{"tasks": {"build": {}}}"#),
                    ("node_modules/.bin/turbo", "#!/bin/sh\n"),
                ],
                &["build | ./node_modules/.bin/turbo run build | ."],
            ),
            (
                &[
                    ("pyproject.toml", "[tool.poe.tasks]\nt = 'pytest'\n"),
                    (".venv/bin/poe", "#!/bin/sh\n"),
                ],
                &["t | ./.venv/bin/poe t | ."],
            ),
            (
                &[
                    ("a/tox.ini", "[testenv:lint]\ncommands = ruff\n"),
                    ("venv/bin/tox", "#!/bin/sh\n"),
                ],
                &["a/lint | ../venv/bin/tox -e lint | a"],
            ),
        ],
    );
}
