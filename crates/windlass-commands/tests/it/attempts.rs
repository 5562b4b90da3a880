//! Attempts to run what no human allowed. Every row is refused, and the reason is the right one.

use std::fs;
use std::os::unix::fs::symlink;

use windlass_commands::allowlist::{Reason, Scope, allow};
use windlass_commands::policy::{check_arguments, check_environment, full_invocation};

use crate::support::{Repository, write};

fn repository() -> Repository {
    Repository::new(&[
        (
            "Makefile",
            "include tools.mk\nbuild:\n\techo build\ntest: build\n\techo test\n",
        ),
        ("tools.mk", "ship:\n\techo ship\n"),
        ("package.json", r#"{"scripts": {"start": "node ."}}"#),
        ("repo2/Makefile", "build2:\n\techo\n"),
        ("justfile", "fixed:\n  x\none a:\n  x\nmany *a:\n  x\n"),
        ("Taskfile.yml", "tasks: {t: echo}\n"),
        ("turbo.json", r#"{"tasks": {"tb": {}}}"#),
        ("pom.xml", "<project/>"),
        ("build.gradle", "task gr {}\n"),
        (".github/workflows/ci.yml", "on: push\njobs: {a: {}}\n"),
        ("compose.yml", "services: {svc: {image: x}}\n"),
        (".travis.yml", "script: x\n"),
        ("CMakeLists.txt", "add_custom_target(cm)\n"),
        (
            ".cargo/config.toml",
            "[alias]\nal = 'test'\nxtask = 'run -p xtask --'\n",
        ),
        ("mise.toml", "[tasks]\nmi = 'x'\n"),
        ("deno.json", r#"{"tasks": {"de": "x"}}"#),
        ("composer.json", r#"{"scripts": {"co": "x"}}"#),
        ("Rakefile", "task :ra\n"),
        ("run.sh", "#!/bin/sh\necho\n"),
    ])
}

/// An allowlist, a command, and why it is refused under it.
const ENTRIES: &[(&str, &str, Reason)] = &[
    ("", "build", Reason::NotListed),
    // Other commands and other files than the granted ones.
    (
        "path = 'ROOT/Makefile'\nscope = 'Task'\ntasks = ['test']",
        "build",
        Reason::NotListed,
    ),
    (
        "path = 'ROOT/Makefile'\nscope = 'Task'\ntasks = []",
        "build",
        Reason::NotListed,
    ),
    (
        "path = 'ROOT/Makefile'\nscope = 'Task'",
        "build",
        Reason::NotListed,
    ),
    (
        "path = 'ROOT/Makefile'\nscope = 'Task'\ntasks = ['BUILD', 'bui', 'build ', 'buіld', '*']",
        "build",
        Reason::NotListed,
    ),
    (
        "path = 'ROOT/Makefile'\nscope = 'File'",
        "start",
        Reason::NotListed,
    ),
    (
        "path = 'ROOT/Makefile'\nscope = 'File'",
        "ship",
        Reason::NotListed,
    ),
    (
        "path = 'ROOT/Makefile'\nscope = 'File'",
        "repo2/build2",
        Reason::NotListed,
    ),
    (
        "path = 'ROOT/package.json'\nscope = 'Task'\ntasks = ['build']",
        "build",
        Reason::NotListed,
    ),
    ("path = 'ROOT'\nscope = 'File'", "build", Reason::NotListed),
    (
        "path = 'ROOT/Makefile'\nscope = 'Directory'",
        "build",
        Reason::NotListed,
    ),
    (
        "path = 'ROOT/Makefile'\nscope = 'Once'",
        "build",
        Reason::NotListed,
    ),
    ("path = 'ROOT'\nscope = 'Once'", "build", Reason::NotListed),
    // Paths that only look like the right one.
    (
        "path = 'ROOT/rep'\nscope = 'Directory'",
        "repo2/build2",
        Reason::NotListed,
    ),
    (
        "path = 'BASE/rep'\nscope = 'Directory'",
        "build",
        Reason::NotListed,
    ),
    (
        "path = 'BASE/REPO'\nscope = 'Directory'",
        "build",
        Reason::NotListed,
    ),
    (
        "path = 'BASE/rеpo'\nscope = 'Directory'",
        "build",
        Reason::NotListed,
    ),
    (
        "path = 'ROOT/makefile'\nscope = 'File'",
        "build",
        Reason::NotListed,
    ),
    (
        "path = 'ROOT/repo2/..'\nscope = 'Directory'",
        "build",
        Reason::NotListed,
    ),
    (
        "path = 'ROOT/repo2/../Makefile'\nscope = 'File'",
        "build",
        Reason::NotListed,
    ),
    (
        "path = 'ROOT/link'\nscope = 'Directory'",
        "build",
        Reason::NotListed,
    ),
    (
        "path = 'BASE/linked.mk'\nscope = 'File'",
        "build",
        Reason::NotListed,
    ),
    (
        "path = 'ROOT/*'\nscope = 'Directory'",
        "build",
        Reason::NotListed,
    ),
    (
        "path = 'ROOT/Makefile\\u0000'\nscope = 'File'",
        "build",
        Reason::NotListed,
    ),
    (
        "path = '.'\nscope = 'Directory'",
        "build",
        Reason::NotListed,
    ),
    ("path = ''\nscope = 'Directory'", "build", Reason::NotListed),
    (
        "path = 'ROOT/gone'\nscope = 'Directory'",
        "build",
        Reason::NotListed,
    ),
    (
        "path = 'ROOT/repo2/'\nscope = 'Directory'",
        "build",
        Reason::NotListed,
    ),
    // A denial wins over every grant, wherever it stands and however it is written.
    (
        "path = 'ROOT'\nscope = 'Directory'\n[[entries]]\npath = 'ROOT/Makefile'\nscope = 'Deny'",
        "build",
        Reason::Denied,
    ),
    (
        "path = 'ROOT/Makefile'\nscope = 'File'\n[[entries]]\npath = 'ROOT/repo2/..'\nscope = 'Deny'",
        "build",
        Reason::Denied,
    ),
    (
        "path = 'ROOT'\nscope = 'Deny'\n[[entries]]\npath = 'ROOT/Makefile'\nscope = 'Task'\ntasks = ['build']",
        "build",
        Reason::Denied,
    ),
    (
        "path = 'ROOT'\nscope = 'Directory'\n[[entries]]\npath = 'ROOT/Makefile'\nscope = 'Deny'\ntasks = ['build']",
        "build",
        Reason::Denied,
    ),
    (
        "path = 'ROOT'\nscope = 'Directory'\n[[entries]]\npath = 'ROOT/link'\nscope = 'Deny'",
        "build",
        Reason::Denied,
    ),
    (
        "path = 'ROOT'\nscope = 'Directory'\n[[entries]]\npath = 'ROOT/Makefile'\nscope = 'Deny'",
        "ship",
        Reason::Denied,
    ),
    (
        "path = 'ROOT'\nscope = 'Directory'\n[[entries]]\npath = 'ROOT'\nscope = 'Deny'\ntasks = ['repo2/build2']",
        "repo2/build2",
        Reason::Denied,
    ),
    // Pins of another definition.
    (
        "path = 'ROOT/Makefile'\nscope = 'Task'\ntasks = ['build']\npins = { build = 'abc' }",
        "build",
        Reason::Changed,
    ),
    (
        "path = 'ROOT/Makefile'\nscope = 'Task'\ntasks = ['build']\npin = { build = '' }",
        "build",
        Reason::Changed,
    ),
];

#[test]
fn entries_allow_no_more_than_they_name() {
    let repository = repository();
    symlink(&repository.root, repository.root.join("link")).unwrap();
    symlink(
        repository.root.join("Makefile"),
        repository.base.join("linked.mk"),
    )
    .unwrap();
    let allowlist = repository.allowlist();
    for (entry, name, expected) in ENTRIES {
        let text = if entry.is_empty() {
            String::new()
        } else {
            format!("[[entries]]\n{entry}\n")
        };
        repository.set_allowlist(&text.replace('\'', "\""));
        let decision = allowlist.decide(&repository.root, &repository.command(name));
        assert!(!decision.allowed, "{name} under {entry}");
        assert_eq!(decision.reason, *expected, "{name} under {entry}");
    }
    assert!(ENTRIES.len() >= 35);
}

#[test]
fn entries_allow_what_they_name() {
    let repository = repository();
    let allowlist = repository.allowlist();
    for (entry, name) in [
        (
            "path = 'ROOT/Makefile'\nscope = 'Task'\ntasks = ['build']",
            "build",
        ),
        ("path = 'ROOT/tools.mk'\nscope = 'File'", "ship"),
        ("path = 'ROOT/'\nscope = 'Directory'", "repo2/build2"),
        ("path = 'BASE'\nscope = 'Directory'", "start"),
        (
            "path = 'ROOT/Makefile'\nscope = 'Deny'\ntasks = ['test']\n[[entries]]\npath = 'ROOT'\nscope = 'Directory'",
            "build",
        ),
        (
            "path = 'ROOT/Makefile'\nscope = 'Task'\ntasks = ['build']\npins = { build = 'old' }\n[[entries]]\npath = 'ROOT/Makefile'\nscope = 'File'",
            "build",
        ),
    ] {
        repository.set_allowlist(&format!("[[entries]]\n{entry}\n").replace('\'', "\""));
        let decision = allowlist.decide(&repository.root, &repository.command(name));
        assert!(
            decision.allowed,
            "{name} under {entry}: {:?}",
            decision.reason
        );
    }
}

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

#[test]
fn arguments_never_reach_the_runner_itself() {
    let repository = repository();
    for (name, given) in [
        ("build", &["-f", "other.mk"] as &[&str]),
        ("build", &["--eval=$(shell touch x)"]),
        ("build", &["SHELL=/tmp/evil"]),
        ("build", &["ship"]),
        ("build", &["-C", "/tmp"]),
        ("fixed", &["--justfile", "other"]),
        ("fixed", &["one"]),
        ("one", &["a", "fixed"]),
        ("one", &["--set"]),
        ("many", &["--", "x"]),
        ("many", &["ok", "-f"]),
        ("clean", &["-f", "other.xml"]),
        ("clean", &["exec:exec"]),
        ("gr", &["--init-script", "x"]),
        ("gr", &["other"]),
        ("ci", &["-P", "x=y"]),
        ("svc", &["sh", "-c", "evil"]),
        ("up", &["-f", "other.yml"]),
        ("travis", &["x"]),
        ("cm", &["--", "-f", "x"]),
        ("ra", &["-f", "other"]),
        ("ra", &["ship"]),
        ("run", &["a\0b"]),
    ] {
        let command = repository.command(name);
        let given: Vec<String> = given.iter().map(|&word| word.to_owned()).collect();
        let refusal = check_arguments(&command, &given).expect_err(name);
        assert!(!refusal.reason.is_empty() && !refusal.hint.is_empty());
    }
    assert!(full_invocation(&repository.command("travis"), &[]).is_err());
}

#[test]
fn arguments_reach_the_command_as_given() {
    let repository = repository();
    for (name, given, expected) in [
        (
            "start",
            &["--prefix", "x y"] as &[&str],
            "npm run start -- --prefix 'x y'",
        ),
        ("t", &["-d", "x"], "task t -- -d x"),
        ("tb", &["--filter=x"], "turbo run tb -- --filter=x"),
        ("al", &["--config"], "cargo al -- --config"),
        ("xtask", &["--config"], "cargo xtask --config"),
        ("mi", &["-C"], "mise run mi -- -C"),
        ("de", &["--x"], "deno task de --x"),
        ("co", &["-d"], "composer run-script co -- -d"),
        ("one", &["a b"], "just one 'a b'"),
        ("many", &["a", "b=c"], "just many a b=c"),
        ("run", &["-x", "--"], "sh ./run.sh -x --"),
        ("build", &[], "make build"),
    ] {
        let given: Vec<String> = given.iter().map(|&word| word.to_owned()).collect();
        let invocation = full_invocation(&repository.command(name), &given).expect(name);
        assert_eq!(invocation.display(), expected);
    }
    let many = vec!["x".to_owned(); 1_001];
    assert!(check_arguments(&repository.command("run"), &many).is_err());
}

#[test]
fn the_environment_cannot_bring_in_programs() {
    for name in [
        "PATH",
        "Path",
        "LD_PRELOAD",
        "LD_LIBRARY_PATH",
        "DYLD_INSERT_LIBRARIES",
        "NODE_OPTIONS",
        "BASH_ENV",
        "ENV",
        "BASH_FUNC_ls",
        "PYTHONSTARTUP",
        "PYTHONPATH",
        "PYTHONHOME",
        "PYTHONWARNINGS",
        "PERL5OPT",
        "RUBYOPT",
        "RUSTC_WRAPPER",
        "RUSTFLAGS",
        "CARGO_BUILD_RUSTC_WRAPPER",
        "CARGO_TARGET_X_RUNNER",
        "CARGO_HOME",
        "GIT_SSH_COMMAND",
        "GIT_EXTERNAL_DIFF",
        "GIT_CONFIG_COUNT",
        "GIT_EXEC_PATH",
        "MAKEFLAGS",
        "MFLAGS",
        "MAKEFILES",
        "SHELL",
        "IFS",
        "PROMPT_COMMAND",
        "JAVA_TOOL_OPTIONS",
        "_JAVA_OPTIONS",
        "MAVEN_OPTS",
        "GRADLE_OPTS",
        "npm_config_prefix",
        "NPM_CONFIG_script_shell",
        "HOME",
        "EDITOR",
        "PAGER",
        "JUST_JUSTFILE",
        "COMPOSE_FILE",
        "DOCKER_HOST",
        "UV_INDEX_URL",
        "MISE_CONFIG_FILE",
        "GOFLAGS",
        "CC",
        "DOTNET_STARTUP_HOOKS",
        "WINDLASS_HOME",
        "",
        "A=B",
        "A B",
        "1A",
        "ПАТХ",
        "A\0",
    ] {
        let none: &[&str] = &[];
        assert!(check_environment(name, none).is_err(), "{name:?}");
    }
    for name in [
        "NODE_ENV",
        "CI",
        "DEBUG",
        "RUST_LOG",
        "PORT",
        "CARGO_TERM_COLOR",
        "PYTHONUNBUFFERED",
        "MY_PATH",
        "x",
    ] {
        let none: &[&str] = &[];
        assert!(check_environment(name, none).is_ok(), "{name:?}");
    }
    assert!(check_environment("NODE_OPTIONS", &["NODE_OPTIONS"]).is_ok());
    assert!(check_environment("node_options", &["NODE_OPTIONS"]).is_err());
    assert!(check_environment("A=B", &["A=B"]).is_err());
}
