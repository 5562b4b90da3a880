//! Names, folders, variables and arguments that would make an allowed command another one.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use super::{DIRECTORY, MARK, refused, repository, server};

#[test]
fn folders_outside_or_with_another_definition_are_refused() {
    let repository = repository();
    repository.set_allowlist(DIRECTORY);
    symlink(
        repository.base().join("outside"),
        repository.root.join("away"),
    )
    .expect("linked");
    let mut server = server(&repository);
    let outside = repository.base().join("outside");
    let other = repository.root.join("sub");
    for (cwd, says) in [
        ("..", "'..'"),
        ("../outside", "'..'"),
        ("sub/../..", "'..'"),
        ("/", "outside the project"),
        (outside.to_str().expect("text"), "outside the project"),
        ("away", "outside the project"),
        ("Makefile", "not a folder"),
        ("nowhere", "cannot be used"),
        ("sub\u{0}", "cannot be used"),
        ("sub", "reads others"),
        (other.to_str().expect("text"), "reads others"),
        (".git/..", "'..'"),
    ] {
        let input = json!({"unique_name": "build", "cwd": cwd});
        refused(&repository, &mut server, &input, -32602, says);
    }
    for name in ["start", "fixed"] {
        let input = json!({"unique_name": name, "cwd": "away"});
        refused(
            &repository,
            &mut server,
            &input,
            -32602,
            "outside the project",
        );
    }
}

#[test]
fn variables_that_decide_what_runs_are_refused() {
    let repository = repository();
    repository.set_allowlist(DIRECTORY);
    let mut server = server(&repository);
    for name in [
        "PATH",
        "Path",
        "LD_PRELOAD",
        "LD_LIBRARY_PATH",
        "LD_AUDIT",
        "DYLD_INSERT_LIBRARIES",
        "DYLD_LIBRARY_PATH",
        "NODE_OPTIONS",
        "NODE_PATH",
        "BASH_ENV",
        "ENV",
        "SHELL",
        "IFS",
        "PYTHONSTARTUP",
        "PYTHONPATH",
        "PERL5OPT",
        "RUBYOPT",
        "JAVA_TOOL_OPTIONS",
        "GIT_SSH_COMMAND",
        "GIT_CONFIG_COUNT",
        "GIT_EXTERNAL_DIFF",
        "MAKEFLAGS",
        "MAKEFILES",
        "GNUMAKEFLAGS",
        "GO",
        "GOCACHEPROG",
        "TAR_OPTIONS",
        "PYTEST_ADDOPTS",
        "RSYNC_RSH",
        "KUBECONFIG",
        "npm_config_script_shell",
        "NPM_CONFIG_PREFIX",
        "JUST_JUSTFILE",
        "CARGO_BUILD_RUSTC_WRAPPER",
        "RUSTC_WRAPPER",
        "CC",
        "HOME",
        "XDG_CONFIG_HOME",
        "WINDLASS_SESSION",
        "PROMPT_COMMAND",
        "EDITOR",
        "BASH_FUNC_make%%",
        "A=B",
        "",
        "1X",
        "X Y",
    ] {
        let input = json!({"unique_name": "build", "env": {name: "x"}});
        let says = if name.is_empty() {
            "not a valid name"
        } else {
            name
        };
        refused(&repository, &mut server, &input, -32602, says);
    }
    // Make expands what its variables hold, and puts them into the text of a shell.
    for value in [
        "$(shell touch ran)",
        "x; touch ran",
        "`touch ran`",
        "x\ntouch ran",
    ] {
        let input = json!({"unique_name": "build", "env": {"PORT": value}});
        refused(&repository, &mut server, &input, -32602, "must be a number");
    }
    let input = json!({"unique_name": "build", "env": {"FINE": "a\u{0}b"}});
    refused(&repository, &mut server, &input, -32602, "zero byte");
}

/// The settings are a file of the repository. Names in it count while a person allows it as it stands.
#[test]
fn settings_let_a_variable_through_only_with_a_persons_word() {
    let settings = ".windlass/config.toml";
    let repository = repository();
    repository.set_allowlist("[[entries]]\npath = 'ROOT/Makefile'\nscope = 'File'\n");
    repository.write(settings, "[commands]\nallow_env = ['NODE_OPTIONS']\n");
    let input = json!({"unique_name": "build", "env": {"NODE_OPTIONS": "--x"}});
    let mut server = server(&repository);
    refused(&repository, &mut server, &input, -32602, "NODE_OPTIONS");
    let allowed = repository.as_person(&["allow", settings, "--yes"]);
    assert!(allowed.status.success(), "{allowed:?}");
    assert_eq!(server.ok("task_start", input.clone())["exit_code"], 0);
    fs::remove_file(repository.root.join(MARK)).expect("it ran");
    repository.write(
        settings,
        "[commands]\nallow_env = ['NODE_OPTIONS', 'PATH']\n",
    );
    refused(&repository, &mut server, &input, -32602, "NODE_OPTIONS");
    let path = json!({"unique_name": "build", "env": {"PATH": "/tmp"}});
    refused(&repository, &mut server, &path, -32602, "PATH");
}

#[test]
fn arguments_never_become_options_of_the_runner() {
    let repository = repository();
    repository.set_allowlist(DIRECTORY);
    let mut server = server(&repository);
    let many = vec!["x"; 2000];
    let long = "x".repeat(200_000);
    for (name, args, says) in [
        ("build", json!(["-f", "other.mk"]), "takes no arguments"),
        ("build", json!(["-fother.mk"]), "takes no arguments"),
        ("build", json!(["SHELL=./evil"]), "takes no arguments"),
        (
            "build",
            json!(["--eval=$(shell touch ran)"]),
            "takes no arguments",
        ),
        ("build", json!(["-C", "sub"]), "takes no arguments"),
        ("build", json!(["extra"]), "takes no arguments"),
        ("build", json!([""]), "takes no arguments"),
        ("fixed", json!(["--justfile", "other"]), "at most 0"),
        ("fixed", json!(["one"]), "names of other commands"),
        ("one", json!(["--justfile=other"]), "option"),
        ("one", json!(["--"]), "option"),
        ("one", json!(["-f"]), "option"),
        ("one", json!(["a", "fixed"]), "names of other commands"),
        ("one", json!(["x; touch ran"]), "shell"),
        ("one", json!(["$(touch ran)"]), "shell"),
        ("one", json!(["`touch ran`"]), "shell"),
        ("one", json!(["x\ntouch ran"]), "shell"),
        ("one", json!(["x' && touch ran '"]), "shell"),
        ("one", json!(["x --config evil.toml"]), "shell"),
        ("one", json!(["*"]), "shell"),
        ("run", json!(["a\u{0}b"]), "NUL byte"),
        ("run", json!(many), "arguments"),
        ("run", json!([long]), "bytes"),
        ("start", json!(many), "arguments"),
    ] {
        let input = json!({"unique_name": name, "args": args});
        refused(&repository, &mut server, &input, -32602, says);
    }
    // Behind the dashes they are arguments of the script, whatever they look like.
    let input = json!({"unique_name": "start", "args": ["--prefix", "sub"], "dry_run": true});
    let plan = server.ok("task_start", input);
    assert_eq!(
        plan["dry_run"]["command"], "npm run start -- --prefix sub",
        "{plan}"
    );
    for wrong in [json!("-f x"), json!([1]), json!({"0": "x"})] {
        let input = json!({"unique_name": "build", "args": wrong});
        refused(&repository, &mut server, &input, -32602, "args");
    }
}

#[test]
fn names_are_taken_to_the_letter() {
    let repository = repository();
    repository.set_allowlist(DIRECTORY);
    let mut server = server(&repository);
    for name in [
        "build\n",
        " build",
        "build ",
        "BUILD",
        "buіld",
        "../build",
        "./build",
        "sub/../build",
        "build;touch ran",
        "build touch",
        "$(touch ran)",
        "`touch ran`",
        "build\u{0}",
        "",
        "Makefile",
        "make build",
        "-f",
        "--eval=x",
        "sub//build",
        "/bin/sh",
        "run.sh",
        "*",
    ] {
        let input = json!({"unique_name": name});
        refused(&repository, &mut server, &input, -32012, "not found");
    }
    for wrong in [json!(null), json!(["build"]), json!(7)] {
        let input = json!({"unique_name": wrong});
        refused(&repository, &mut server, &input, -32602, "unique_name");
    }
    // A field that the tool does not know is refused, not passed over.
    let input = json!({"unique_name": "build", "command": "touch ran"});
    refused(&repository, &mut server, &input, -32602, "command");
}
