//! Attempts to reach the runner or other programs through what a caller adds.

use windlass_commands::policy::{check_arguments, check_environment, full_invocation};

use crate::support::repository;

#[test]
fn arguments_are_never_interpreted_by_the_runner() {
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
fn the_environment_cannot_start_other_programs() {
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
