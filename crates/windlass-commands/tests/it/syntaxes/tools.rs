//! mise, task, compose, workflows, bazel, hooks, VS Code and Procfile.

use super::{check, repository};

#[test]
fn mise_files_and_includes() {
    check(
        "mise",
        &[
            (
                &[
                    ("mise-tasks/build", "#!/bin/sh\n"),
                    ("mise-tasks/test/unit.sh", "#!/bin/sh\n"),
                    ("mise-tasks/test/_default", "#!/bin/sh\n"),
                    ("mise-tasks/notes.md", "x\n"),
                ],
                &[
                    "build | mise run build | .",
                    "test | mise run test | .",
                    "test:unit | mise run test:unit | .",
                ],
            ),
            (
                &[
                    (
                        "mise.toml",
                        "[task_config]\nincludes = ['xtasks', 'more.toml']\n[tasks]\na = 'x'\n",
                    ),
                    ("xtasks/lint/ox", "#!/bin/sh\n"),
                    ("more.toml", "[fmt]\nrun = 'x'\n"),
                    ("mise-tasks/old", "#!/bin/sh\n"),
                ],
                &[
                    "a | mise run a | .",
                    "lint:ox | mise run lint:ox | .",
                    "fmt | mise run fmt | .",
                ],
            ),
            (
                &[
                    (".config/mise.toml", "[tasks]\n\"check:format\" = 'x'\n"),
                    ("api/.config/mise/config.toml", "[tasks]\nb = 'y'\n"),
                ],
                &[
                    "check:format | mise run check:format | .",
                    "api/b | mise run b | api",
                ],
            ),
            (
                &[
                    (
                        "mise.toml",
                        "[task_templates.base]\nrun = 'x'\n[tasks.t]\nextends = 'base'\n",
                    ),
                    (".mise.toml", "[tasks]\nt = 'other'\nu = 'x'\n"),
                    (".mise/tasks/deep.py", "#!/usr/bin/env python3\n"),
                ],
                &[
                    "u | mise run u | .",
                    "t | mise run t | .",
                    "deep | mise run deep | .",
                ],
            ),
        ],
    );
}

#[test]
fn task_wildcards_templates_and_excludes() {
    let system = std::env::consts::OS.replace("macos", "darwin");
    let file = format!("Taskfile_{system}.yml");
    let found = repository(&[
        (
            "Taskfile.yml",
            "version: '3'\nvars: {DIR: sub}\nincludes:\n  os: ./Taskfile_{{OS}}.yml\n  inner: '{{.DIR}}'\ntasks: {}\n",
        ),
        (&file, "version: '3'\ntasks: {native: x}\n"),
        ("sub/Taskfile.yml", "version: '3'\ntasks: {deep: x}\n"),
    ]);
    let found = found.discovery.discover();
    assert!(found.get("os:native").is_some() && found.get("inner:deep").is_some());
    assert!(found.get("os:native").unwrap().pins.unreadable.is_empty());
    check(
        "task",
        &[
            (
                &[(
                    "Taskfile.yml",
                    "version: '3'\ntasks:\n  release:*:\n    cmd: x {{index .MATCH 0}}\n  release:all: y\n",
                )],
                &[
                    "release:* | task 'release:*' | .",
                    "release:all | task release:all | .",
                ],
            ),
            (
                &[
                    (
                        "Taskfile.yml",
                        "version: '3'\nincludes:\n  lib: {taskfile: lib.yml, excludes: ['n:*', b]}\n",
                    ),
                    (
                        "lib.yml",
                        "version: '3'\nincludes: {n: more.yml}\ntasks: {a: x, b: y}\n",
                    ),
                    ("more.yml", "version: '3'\ntasks: {one: x}\n"),
                ],
                &["lib:a | task lib:a | ."],
            ),
            (&[("Taskfile.yml", "version: '2'\ntasks: {a: x}\n")], &[]),
        ],
    );
}

#[test]
fn compose_profiles_and_includes() {
    check(
        "compose",
        &[
            (
                &[(
                    ".devcontainer/docker-compose.yml",
                    "services:\n  app:\n    image: x\n",
                )],
                &[
                    ".devcontainer/up | docker compose up | .devcontainer",
                    ".devcontainer/down | docker compose down | .devcontainer",
                    ".devcontainer/app | docker compose run app | .devcontainer",
                ],
            ),
            (
                &[(
                    "compose.yaml",
                    "services:\n  web: {image: x}\n  debug: {image: y, profiles: [dev, ci]}\n",
                )],
                &[
                    "up | docker compose up | .",
                    "down | docker compose down | .",
                    "web | docker compose run web | .",
                    "debug | docker compose run debug | .",
                    "up:dev | docker compose --profile dev up | .",
                    "up:ci | docker compose --profile ci up | .",
                ],
            ),
            (
                &[
                    (
                        "compose.yaml",
                        "include:\n  - db/compose.part.yml\n  - path: [more.yml]\n",
                    ),
                    ("db/compose.part.yml", "services:\n  db: {image: pg}\n"),
                    ("more.yml", "services: {cache: {image: redis}}\n"),
                ],
                &[
                    "up | docker compose up | .",
                    "down | docker compose down | .",
                    "db | docker compose run db | .",
                    "cache | docker compose run cache | .",
                ],
            ),
        ],
    );
}

#[test]
fn workflows_with_the_right_event() {
    check(
        "act",
        &[
            (
                &[(
                    ".github/workflows/a.yml",
                    "on: [pull_request, workflow_dispatch]\njobs: {x: {runs-on: ubuntu-latest}}\n",
                )],
                &["a | act pull_request -W .github/workflows/a.yml | ."],
            ),
            (
                &[(
                    ".github/workflows/b.yml",
                    "on:\n  push:\n  pull_request:\njobs: {x: {}}\n",
                )],
                &["b | act -W .github/workflows/b.yml | ."],
            ),
            (
                &[(
                    ".github/workflows/c.yml",
                    "on:\n  schedule: [{cron: x}]\n  workflow_dispatch: {}\njobs: {x: {}}\n",
                )],
                &["c | act workflow_dispatch -W .github/workflows/c.yml | ."],
            ),
            (
                &[(
                    ".github/workflows/d.yml",
                    "on: workflow_call\njobs: {x: {}}\n",
                )],
                &["d | act -W .github/workflows/d.yml | ."],
            ),
        ],
    );
    for (text, available) in [
        (
            "on: workflow_call\njobs: {x: {runs-on: ubuntu-latest}}\n",
            false,
        ),
        ("on: push\njobs: {x: {runs-on: macos-14}}\n", false),
        (
            "on: push\njobs: {x: {runs-on: macos-14}, y: {runs-on: ubuntu-latest}}\n",
            true,
        ),
    ] {
        let found = repository(&[(".github/workflows/w.yml", text)])
            .discovery
            .discover();
        let command = found.get("w").unwrap();
        assert_eq!(found.is_available(command), available, "{text}");
    }
}

#[test]
fn bazel_targets_of_the_root() {
    check(
        "bazel",
        &[
            (
                &[
                    ("MODULE.bazel", ""),
                    (
                        "BUILD.bazel",
                        "load(\"//x:y.bzl\", \"z\")\nalias(\n    name = \"format\",\n    actual = \"//tools:format\",\n)\nconfig_setting(name = \"c\")\n",
                    ),
                ],
                &["format | bazel run //:format | ."],
            ),
            (
                &[
                    ("WORKSPACE", ""),
                    (
                        "BUILD",
                        "sh_binary(name = \"go\", srcs = [\"a.sh\"])\n\npy_test(\n    name = 'unit',\n)\ncc_library(\n    name = \"lib\",\n)\n",
                    ),
                ],
                &[
                    "go | bazel run //:go | .",
                    "unit | bazel test //:unit | .",
                    "lib | bazel build //:lib | .",
                ],
            ),
            (
                &[
                    ("BUILD", "alias(name = \"x\")\n"),
                    ("a/BUILD", "alias(name = \"y\")\n"),
                ],
                &[],
            ),
        ],
    );
}

#[test]
fn hooks_of_git() {
    check(
        "hooks",
        &[
            (
                &[(
                    "lefthook.yml",
                    "pre-commit:\n  parallel: true\n  commands:\n    lint: {run: eslint}\ncolors: false\n",
                )],
                &["pre-commit | lefthook run pre-commit | ."],
            ),
            (
                &[(
                    ".lefthook.toml",
                    "[pre-push.scripts.\"x.sh\"]\nrunner = 'bash'\n[commit-msg]\njobs = [{name = 'a', run = 'b'}]\n",
                )],
                &[
                    "pre-push | lefthook run pre-push | .",
                    "commit-msg | lefthook run commit-msg | .",
                ],
            ),
            (
                &[(
                    ".pre-commit-config.yaml",
                    "repos:\n  - repo: https://host/x\n    rev: v1\n    hooks:\n      - id: ruff\n      - id: fmt\n        alias: format\n",
                )],
                &[
                    "pre-commit | pre-commit run --all-files | .",
                    "ruff | pre-commit run ruff --all-files | .",
                    "format | pre-commit run format --all-files | .",
                ],
            ),
        ],
    );
}

#[test]
fn tasks_of_the_editor() {
    check(
        "VS Code",
        &[
            (
                &[(
                    ".vscode/tasks.json",
                    "{\n  // tasks\n  \"tasks\": [{\"label\": \"Build all\", \"type\": \"shell\", \"command\": \"make\", \"args\": [\"all\", \"a b\"]}]}",
                )],
                &["Build all | sh -c 'make all '\\''a b'\\''' | ."],
            ),
            (
                &[(
                    "sub/.vscode/tasks.json",
                    r#"{"tasks": [{"label": "x", "type": "process", "command": "${workspaceFolder}/go", "options": {"cwd": "web", "env": {"A": "b"}}}]}"#,
                )],
                &["sub/x | sh -c '(cd web && (export A=b; ./go))' | sub"],
            ),
            (
                &[(
                    ".vscode/tasks.json",
                    r#"{"tasks": [{"label": "a", "command": "one"}, {"label": "b", "dependsOn": ["a"], "command": "two"}, {"label": "c", "command": "run ${file}"}]}"#,
                )],
                &[
                    "a | sh -c one | .",
                    "b | sh -c 'one && two' | .",
                    "c | sh -c 'exit 1' | .",
                ],
            ),
        ],
    );
}

#[test]
fn processes() {
    check(
        "Procfile",
        &[
            (
                &[(
                    "Procfile",
                    "web: bin/rails server -p $PORT\n# x\nworker: bundle exec jobs\n",
                )],
                &[
                    "web | sh -c 'bin/rails server -p $PORT' | .",
                    "worker | sh -c 'bundle exec jobs' | .",
                ],
            ),
            (
                &[("Procfile.dev", "css: yarn build --watch\n")],
                &["css | sh -c 'yarn build --watch' | ."],
            ),
            (
                &[("app/Procfile", "web: x\nnot a process\n: y\nrelease:\n")],
                &["app/web | sh -c x | app"],
            ),
        ],
    );
}
