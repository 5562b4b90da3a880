//! Attempts to run what no person allowed, each through `task_start` of a real server. All of them
//! are refused with a reason, and nothing runs: every command here leaves a mark where it does.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Value as Json, json};

use crate::repository::Repository;
use crate::server::Server;

/// What every command does.
const MARK: &str = "ran";
const DIRECTORY: &str = "[[entries]]\npath = 'ROOT'\nscope = 'Directory'\n";

fn repository() -> Repository {
    let repository = Repository::new(&[
        ("Makefile", "include more.mk\nbuild:\n\t@touch ran\n"),
        ("more.mk", "extra:\n\t@touch ran\n"),
        ("sub/Makefile", "build:\n\t@touch ran\n"),
        (
            "package.json",
            "{\"scripts\": {\"start\": \"touch ran\"}}\n",
        ),
        ("package-lock.json", "{}\n"),
        ("justfile", "fixed:\n  touch ran\none name:\n  touch ran\n"),
        ("run.sh", "#!/bin/sh\ntouch ran\n"),
        // Whatever a runner would be started for leaves the mark, so that none is started unseen.
        ("../bin/npm.sh", "#!/bin/sh\ntouch ran\n"),
        ("../outside/Makefile", "build:\n\t@touch ran\n"),
    ]);
    let bin = repository.base().join("bin");
    for name in ["npm", "yarn", "just"] {
        symlink(bin.join("npm.sh"), bin.join(name)).expect("linked");
    }
    symlink(&repository.root, repository.base().join("link")).expect("linked");
    repository
}

fn server(repository: &Repository) -> Server {
    let mut command = repository.command(&["mcp"]);
    let bin = repository.base().join("bin");
    command.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
    Server::of(command)
}

/// Whether anything has run.
fn marked(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    entries.into_iter().any(|entry| {
        let kind = entry.file_type().expect("a type");
        entry.file_name() == MARK || kind.is_dir() && marked(&entry.path())
    })
}

/// A start that must be refused with this code, for a reason that has these words.
fn refused(repository: &Repository, server: &mut Server, input: &Json, code: i64, says: &str) {
    let error = server.refused("task_start", input.clone());
    let data = &error["data"];
    assert_eq!(error["code"], code, "{input}: {error}");
    assert!(error.to_string().contains(says), "{input}: {error}");
    assert!(data["error_type"].is_string(), "{input}: {error}");
    // What is malformed is said by the message alone.
    let malformed =
        data["error_type"] == "InvalidParams" || data["error_type"] == "ValidationFailed";
    assert!(malformed || data["hint"].is_string(), "{input}: {error}");
    assert!(!marked(&repository.base()), "{input}: something ran");
}

/// The same where nobody allowed it.
fn not_allowed(repository: &Repository, server: &mut Server, name: &str, reason: &str) {
    let input = json!({"unique_name": name});
    refused(repository, server, &input, -32010, reason);
}

/// An allowlist, a command, and why it is refused under it.
const ENTRIES: &[(&str, &str, &str)] = &[
    ("", "build", "no entry allows it"),
    // Names that are not the command's.
    (
        "path = 'ROOT/Makefile'\nscope = 'Task'\ntasks = ['test']",
        "build",
        "no entry",
    ),
    (
        "path = 'ROOT/Makefile'\nscope = 'Task'\ntasks = ['BUILD']",
        "build",
        "no entry",
    ),
    (
        "path = 'ROOT/Makefile'\nscope = 'Task'\ntasks = ['build ']",
        "build",
        "no entry",
    ),
    (
        "path = 'ROOT/Makefile'\nscope = 'Task'\ntasks = ['buіld']",
        "build",
        "no entry",
    ),
    (
        "path = 'ROOT/Makefile'\nscope = 'Task'\ntasks = ['*']",
        "build",
        "no entry",
    ),
    (
        "path = 'ROOT/Makefile'\nscope = 'Task'",
        "build",
        "no entry",
    ),
    // Files and folders that are not the command's.
    ("path = 'ROOT/more.mk'\nscope = 'File'", "build", "no entry"),
    (
        "path = 'ROOT/Makefile'\nscope = 'File'",
        "extra",
        "no entry",
    ),
    (
        "path = 'ROOT/Makefile'\nscope = 'File'",
        "sub/build",
        "no entry",
    ),
    (
        "path = 'ROOT/sub/'\nscope = 'Directory'",
        "build",
        "no entry",
    ),
    (
        "path = 'ROOT/Makefile/'\nscope = 'File'",
        "sub/build",
        "no entry",
    ),
    (
        "path = 'ROOT/sub/..'\nscope = 'Directory'",
        "build",
        "no entry",
    ),
    (
        "path = 'ROOT/sub/../Makefile'\nscope = 'File'",
        "build",
        "no entry",
    ),
    (
        "path = 'BASE/link'\nscope = 'Directory'",
        "build",
        "no entry",
    ),
    (
        "path = 'BASE/link/Makefile'\nscope = 'File'",
        "build",
        "no entry",
    ),
    (
        "path = 'BASE/REPO'\nscope = 'Directory'",
        "build",
        "no entry",
    ),
    (
        "path = 'BASE/rеpo'\nscope = 'Directory'",
        "build",
        "no entry",
    ),
    (
        "path = 'BASE/rep'\nscope = 'Directory'",
        "build",
        "no entry",
    ),
    ("path = '.'\nscope = 'Directory'", "build", "no entry"),
    ("path = ''\nscope = 'Directory'", "build", "no entry"),
    (
        "path = 'ROOT/Makefile'\nscope = 'Directory'",
        "build",
        "no entry",
    ),
    ("path = 'ROOT'\nscope = 'File'", "build", "no entry"),
    (
        "path = 'ROOT/Makefile'\nscope = 'Once'",
        "build",
        "no entry",
    ),
    ("path = 'ROOT'\nscope = 'Once'", "build", "no entry"),
    // Allowed by folder, and denied by name, by file, by folder, however that is written.
    (
        "path = 'ROOT'\nscope = 'Directory'\n[[entries]]\npath = 'ROOT/Makefile'\nscope = 'Deny'\ntasks = ['build']",
        "build",
        "Deny",
    ),
    (
        "path = 'ROOT'\nscope = 'Directory'\n[[entries]]\npath = 'ROOT/Makefile'\nscope = 'Deny'",
        "build",
        "Deny",
    ),
    (
        "path = 'ROOT'\nscope = 'Directory'\n[[entries]]\npath = 'ROOT'\nscope = 'Deny'",
        "run",
        "Deny",
    ),
    (
        "path = 'ROOT'\nscope = 'Directory'\n[[entries]]\npath = 'ROOT/sub'\nscope = 'Deny'",
        "sub/build",
        "Deny",
    ),
    (
        "path = 'ROOT'\nscope = 'Deny'\ntasks = ['sub/build']\n[[entries]]\npath = 'ROOT'\nscope = 'Directory'",
        "sub/build",
        "Deny",
    ),
    (
        "path = 'ROOT'\nscope = 'Directory'\n[[entries]]\npath = 'BASE/link'\nscope = 'Deny'",
        "build",
        "Deny",
    ),
    (
        "path = 'ROOT'\nscope = 'Directory'\n[[entries]]\npath = 'ROOT/sub/..'\nscope = 'Deny'",
        "build",
        "Deny",
    ),
    // A pin of another definition.
    (
        "path = 'ROOT/Makefile'\nscope = 'Task'\ntasks = ['build']\npins = { build = 'abc' }",
        "build",
        "definition changed",
    ),
    // A file that cannot be understood allows nothing, and the reason says where.
    (
        "path = 'ROOT'\nscope = 'Directory'\n[[entries",
        "build",
        "allowlist.toml:4",
    ),
    (
        "path = 'ROOT'\nscope = 'Directory'\nscop = 'File'",
        "build",
        "cannot be used",
    ),
    (
        "path = 'ROOT'\nscope = 'Everything'",
        "build",
        "cannot be used",
    ),
    (
        "path = 'ROOT'\nscope = 'directory'",
        "build",
        "cannot be used",
    ),
    ("scope = 'Directory'", "build", "cannot be used"),
];

#[test]
fn entries_allow_no_more_than_they_say() {
    let repository = repository();
    let mut server = server(&repository);
    for (entry, name, reason) in ENTRIES {
        let text = match *entry {
            "" => String::new(),
            entry => format!("[[entries]]\n{entry}\n"),
        };
        repository.set_allowlist(&text);
        not_allowed(&repository, &mut server, name, reason);
        let why = server.ok("allowlist_list", json!({"name": name}));
        assert_eq!(why["explanation"]["allowlisted"], false, "{entry}: {why}");
    }
    assert!(ENTRIES.len() >= 35);
}

/// What the tables show would mean little if nothing ran in any case.
#[test]
fn what_is_allowed_runs() {
    let repository = repository();
    repository.set_allowlist(DIRECTORY);
    let mut server = server(&repository);
    for name in ["build", "extra", "sub/build", "start", "fixed", "run"] {
        let done = server.ok(
            "task_start",
            json!({"unique_name": name, "wait_seconds": 10}),
        );
        assert_eq!(done["exit_code"], 0, "{name}: {done}");
        assert!(marked(&repository.base()), "{name}");
        for folder in ["", "sub"] {
            let _ = fs::remove_file(repository.root.join(folder).join(MARK));
        }
    }
}

/// Files that stand in place of the allowlist, or beside it.
#[test]
fn an_allowlist_that_cannot_be_read_denies_everything() {
    let repository = repository();
    let mut server = server(&repository);
    let file = repository.allowlist();
    repository.set_allowlist(DIRECTORY);
    fs::write(&file, b"# \xff\n[[entries]]\n").expect("written");
    not_allowed(&repository, &mut server, "build", "cannot be used");
    fs::remove_file(&file).expect("removed");
    fs::create_dir(&file).expect("a folder in its place");
    not_allowed(&repository, &mut server, "build", "cannot be used");
    fs::remove_dir(&file).expect("removed");
    not_allowed(&repository, &mut server, "build", "no entry allows it");
    repository.set_allowlist(DIRECTORY);
    // The allowlists of another tool are honoured, and so is that they are broken.
    let other = repository.base().join(".dela/allowlist.toml");
    fs::create_dir(other.parent().expect("a folder")).expect("a folder");
    fs::write(&other, "[[entries]\n").expect("written");
    not_allowed(&repository, &mut server, "build", ".dela/allowlist.toml");
    let deny = format!(
        "[[entries]]\npath = '{}'\nscope = 'Deny'\n",
        repository.root.display()
    );
    fs::write(&other, deny).expect("written");
    not_allowed(&repository, &mut server, "build", "Deny");
}

/// A command that a person allowed as it stood, and what was changed since.
const CHANGES: &[(&str, &str, &str)] = &[
    (
        "build",
        "Makefile",
        "include more.mk\nbuild:\n\t@touch ran evil\n",
    ),
    (
        "build",
        "Makefile",
        "include more.mk\nbuild: evil\n\t@touch ran\nevil:\n\t@touch ran\n",
    ),
    (
        "build",
        "Makefile",
        "SHELL := ./evil\ninclude more.mk\nbuild:\n\t@touch ran\n",
    ),
    (
        "build",
        "more.mk",
        "SHELL := ./evil\nextra:\n\t@touch ran\n",
    ),
    ("build", "GNUmakefile", "build:\n\t@touch ran evil\n"),
    ("extra", "more.mk", "extra:\n\t@touch ran evil\n"),
    (
        "start",
        "package.json",
        "{\"scripts\": {\"start\": \"touch ran evil\"}}\n",
    ),
    (
        "start",
        "package.json",
        "{\"scripts\": {\"start\": \"touch ran\", \"prestart\": \"touch ran\"}}\n",
    ),
    ("start", "yarn.lock", "# yarn lockfile v1\n"),
    (
        "fixed",
        "justfile",
        "fixed:\n  touch ran evil\none name:\n  touch ran\n",
    ),
    (
        "fixed",
        "justfile",
        "set shell := ['./evil']\nfixed:\n  touch ran\none name:\n  touch ran\n",
    ),
    ("run", "run.sh", "#!/bin/sh\ntouch ran evil\n"),
];

#[test]
fn what_changed_after_it_was_allowed_is_refused() {
    for (name, file, text) in CHANGES {
        let repository = repository();
        let allowed = repository.as_person(&["allow", name]);
        assert!(allowed.status.success(), "{name}: {allowed:?}");
        let mut server = server(&repository);
        // It is seen as allowed, and then changed before the start.
        let listed = server.ok("list_tasks", json!({"query": name}));
        let before = listed["tasks"].as_array().expect("tasks").iter();
        let mut before = before.filter(|task| task["unique_name"] == *name);
        assert_eq!(
            before.next().expect("listed")["allowlisted"],
            true,
            "{name}"
        );
        if *file == "yarn.lock" {
            fs::remove_file(repository.root.join("package-lock.json")).expect("removed");
        }
        repository.write(file, text);
        let error = server.refused("task_start", json!({"unique_name": name}));
        // Another file of the same name may have taken its place.
        let codes = [json!(-32010), json!(-32012)];
        assert!(
            codes.contains(&error["code"]),
            "{name} with {text}: {error}"
        );
        assert!(!marked(&repository.base()), "{name} with {text}");
    }
    assert!(CHANGES.len() >= 12);
}

#[test]
fn a_definition_that_leads_out_of_the_project_is_refused() {
    let repository = repository();
    repository.set_allowlist("[[entries]]\npath = 'BASE'\nscope = 'Directory'\n");
    let mut server = server(&repository);
    let outside = repository.base().join("outside");
    fs::create_dir(repository.root.join("linked")).expect("a folder");
    symlink(
        outside.join("Makefile"),
        repository.root.join("linked/Makefile"),
    )
    .expect("linked");
    symlink(&outside, repository.root.join("folder")).expect("linked");
    for name in ["linked/build", "folder/build", "../outside/build"] {
        let error = server.refused("task_start", json!({"unique_name": name}));
        let codes = [json!(-32010), json!(-32012)];
        assert!(codes.contains(&error["code"]), "{name}: {error}");
    }
    // One that was listed, and is then swapped.
    server.ok("list_tasks", json!({}));
    fs::remove_file(repository.root.join("Makefile")).expect("removed");
    symlink(outside.join("Makefile"), repository.root.join("Makefile")).expect("linked");
    let error = server.refused("task_start", json!({"unique_name": "build"}));
    assert!(
        error["code"] == -32010 || error["code"] == -32012,
        "{error}"
    );
    assert!(!marked(&repository.base()));
}

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
        ("sub", "another definition"),
        (other.to_str().expect("text"), "another definition"),
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
        let says = if name.is_empty() { "not a name" } else { name };
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
        refused(&repository, &mut server, &input, -32602, "shell");
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
    let allowed = repository.as_person(&["allow", settings]);
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
        ("run", json!(["a\u{0}b"]), "zero byte"),
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

#[test]
fn an_agent_cannot_allow_itself_anything() {
    let repository = repository();
    let mut server = server(&repository);
    for tool in ["allowlist_allow", "allowlist_deny", "allowlist_revoke"] {
        let error = server.refused(tool, json!({"target": "build"}));
        assert_eq!(error["code"], -32602, "{tool}: {error}");
    }
    for words in [
        &["allow", "build"][..],
        &["allow", ".", "--scope", "directory"],
        &["allow", "build", "--no-pin"],
        &["deny", "build"],
        &["revoke", "build"],
    ] {
        let output = repository.run(words);
        assert_eq!(output.status.code(), Some(6), "{words:?}: {output:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("person"), "{words:?}: {said}");
        assert!(!repository.allowlist().exists(), "{words:?}");
    }
    for words in [
        &["run", "build"][..],
        &["run", "run", "--", "x"],
        &["run", "build", "--json"],
    ] {
        let output = repository.run(words);
        assert_eq!(output.status.code(), Some(6), "{words:?}: {output:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("not allowlisted"), "{words:?}: {said}");
    }
    repository.set_allowlist(DIRECTORY);
    for (words, code) in [
        (&["run", "build", "--", "-f", "other"][..], 2),
        (&["run", "build", "--env", "PATH=/tmp"], 2),
        (&["run", "build", "--in", ".."], 2),
        (&["run", "buil"], 4),
    ] {
        let output = repository.run(words);
        assert_eq!(output.status.code(), Some(code), "{words:?}: {output:?}");
    }
    assert!(!marked(&repository.base()));
}
