//! Scripts through the real sockets: one session's filter, files, and a thousand of them.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value as Json, json};

use crate::sample;
use crate::server::Server;

fn windlass(folder: &Path, words: &[&str]) -> Output {
    command(folder, words)
        .stdin(Stdio::null())
        .output()
        .expect("started")
}

fn command(folder: &Path, words: &[&str]) -> Command {
    let mut command = sample::windlass();
    command
        .arg("--cwd")
        .arg(folder)
        .args(words)
        .env("HOME", sample::config_of(folder))
        .env("XDG_CONFIG_HOME", sample::config_of(folder))
        .env_remove("WINDLASS_SESSION")
        .env_remove("WINDLASS_CORRELATION_ID");
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_script_comes_from_a_file_the_command_line_or_standard_input() {
    let sample = sample::filled();
    let folder = sample.folder.path();
    let script = "const titles: string[] = [(await entities.get(1)).title]\ntitles[0]\n";
    std::fs::write(folder.join("script.ts"), script).expect("written");
    for words in [&["exec", "script.ts"][..], &["exec", "-e", script]] {
        let output = windlass(folder, words);
        assert_eq!(
            text(&output.stdout),
            "Use PostgreSQL\n",
            "{words:?} {output:?}"
        );
        assert!(output.status.success());
    }
    let mut child = command(folder, &["exec", "-", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(script.as_bytes()).expect("written");
    drop(input);
    let output = child.wait_with_output().expect("ended");
    let answer: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(answer["value"], "Use PostgreSQL");
}

#[test]
fn a_script_that_fails_says_so_with_its_exit_code() {
    let sample = sample::filled();
    let folder = sample.folder.path();
    let output = windlass(
        folder,
        &["exec", "-e", "await entities.get(1)\nthrow new Error('no')"],
    );
    assert_eq!(output.status.code(), Some(11));
    insta::assert_snapshot!(text(&output.stdout), @r"
    js_runtime_error: no
    at script (line 2, column 11): throw new Error('no')
    entities.get: ok
    ");
    let missing = windlass(folder, &["exec", "missing.ts"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).contains("missing.ts"), "{missing:?}");
    let people_only = windlass(
        folder,
        &["exec", "--json", "-e", "await allowlist.allow('all')"],
    );
    let answer: Json = serde_json::from_slice(&people_only.stdout).expect("JSON");
    assert_eq!(answer["error"]["data"]["tag"], "HumanOnly", "{answer}");
}

#[test]
fn the_declarations_are_printed_without_a_project() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = windlass(folder.path(), &["sdk", "types"]);
    assert!(output.status.success(), "{output:?}");
    let types = text(&output.stdout);
    assert!(types.contains("declare const entities: {"), "{types}");
}

#[test]
fn words_find_methods() {
    let sample = sample::filled();
    let output = windlass(sample.folder.path(), &["sdk", "search", "shortest", "path"]);
    assert!(
        text(&output.stdout).contains("declare const graph: {"),
        "{output:?}"
    );
}

#[test]
fn an_answer_has_what_helps_and_nothing_else() {
    let sample = sample::filled();
    let folder = sample.folder.path();
    let mut server = Server::start(folder);
    let answer = server.ok(
        "execute",
        json!({ "code": "(await entities.get(1)).title" }),
    );
    assert_eq!(answer, json!({ "ok": true, "value": "Use PostgreSQL" }));
    let code = "const task = entities.get(1);\n({ title: task.title })";
    let answer = server.ok("execute", json!({ "code": code }));
    let warning = "line 1: entities.get(...) was not awaited: put await before it";
    assert_eq!(
        answer,
        json!({ "ok": true, "value": {}, "warnings": [warning] })
    );
    let printed = windlass(folder, &["exec", "-e", code]);
    assert_eq!(text(&printed.stdout), format!("warning: {warning}\n{{}}\n"));
    let list = json!({ "code": "(await tasks.ready()).map(it => it.title)" });
    let answer = server.call("execute", list).expect("an answer");
    let error = &answer["result"]["structuredContent"]["error"];
    assert_eq!(
        error["message"],
        "tasks.ready() returns an object; the list is in .tasks: (await tasks.ready(...)).tasks.map(...)"
    );
}

#[test]
fn settings_limit_scripts() {
    let sample = sample::filled();
    let folder = sample.folder.path();
    let settings = folder.join(".windlass/config.toml");
    let limits = "[code]\ntimeout_seconds = 0.2\nmax_timeout_seconds = 0.5\nmax_calls = 2\nresult_characters = 200\n";
    std::fs::write(&settings, limits).expect("written");
    let mut server = Server::start(folder);
    let mut error = |input: Json| {
        let answer = server.call("execute", input).expect("an answer");
        let body = answer["result"]["structuredContent"].clone();
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        body["error"].clone()
    };
    let late = error(json!({ "code": "for (;;) {}" }));
    assert_eq!(late["message"], "The script did not finish within 200 ms");
    let greedy = error(json!({ "code": "1", "timeout_ms": 600 }));
    assert_eq!(greedy["message"], "timeout_ms: must be 1 to 500");
    assert_eq!(greedy["code"], "invalid_params");
    let many = error(json!({ "code": "for (;;) await tasks.next()" }));
    assert_eq!(many["code"], "too_many_calls");
    let long = server.ok("execute", json!({ "code": "'x'.repeat(1000)" }));
    assert_eq!(long["truncated"], true);
    assert!(long["value"].to_string().chars().count() <= 200);
    std::fs::write(&settings, "[code]\nmemory_mb = 100000\n").expect("written");
    let refused = windlass(folder, &["exec", "-e", "1"]);
    assert_eq!(refused.status.code(), Some(3));
    assert!(
        text(&refused.stderr).contains("code.memory_mb must be 2 to 512"),
        "{refused:?}"
    );
}

/// A session that has the tool can do by script what it can do by tools, and nothing else.
#[test]
fn the_filter_of_a_session_holds_inside_of_scripts() {
    let sample = sample::filled();
    let folder = sample.folder.path();
    let recipe = "purpose = \"Reads by script\"\n\
        tools = [\"execute\", \"describe\", \"entity_get\"]\n";
    let recipes = folder.join(".windlass/recipes");
    std::fs::create_dir_all(&recipes).expect("a folder");
    std::fs::write(recipes.join("scripts.toml"), recipe).expect("written");
    let started = windlass(
        folder,
        &["session", "start", "--recipe", "scripts", "--json"],
    );
    let started: Json = serde_json::from_slice(&started.stdout)
        .unwrap_or_else(|_| panic!("{}", text(&started.stderr)));
    let id = started["session"]["id"].as_str().expect("an id");
    let mut server = Server::of(command(folder, &["mcp", "--session", id]));
    let read = json!({ "code": "(await entities.get(1)).title" });
    assert_eq!(server.ok("execute", read)["value"], "Use PostgreSQL");
    for code in [
        "await entities.delete(1)",
        "await tasks.next()",
        "await events.list()",
    ] {
        let answer = server
            .call("execute", json!({ "code": code }))
            .expect("an answer");
        let error = &answer["result"]["structuredContent"]["error"];
        assert_eq!(error["data"]["tag"], "UnknownTool", "{code}: {answer}");
    }
    let described = server.ok("describe", json!({}));
    assert_eq!(
        described["methods"],
        json!(["entities.get", "code.describe"])
    );
}

/// The memory of a process and of its largest child, in KiB. A second worker may wait or not.
#[cfg(target_os = "linux")]
fn resident(pid: u32) -> u64 {
    let of = |pid: &str| -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.and_then(|rest| rest.trim().trim_end_matches("kB").trim().parse().ok())
            .unwrap_or(0)
    };
    let mut largest = 0;
    for task in std::fs::read_dir(format!("/proc/{pid}/task"))
        .expect("tasks")
        .flatten()
    {
        let children = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
        largest = children.split_whitespace().map(of).fold(largest, u64::max);
    }
    of(&pid.to_string()) + largest
}

#[cfg(target_os = "linux")]
#[test]
fn a_thousand_scripts_by_four_clients_leave_memory_as_it_was() {
    let sample = sample::filled();
    let folder = sample.folder.path();
    let client = |number: usize| {
        let mut server = Server::start(folder);
        let mut run = |count: usize| {
            for index in 0..count {
                let code = format!(
                    "const [all, one] = await Promise.all([entities.list({{type: 'task'}}), entities.get(1)]);
                     [{number}, {index}, one.title, all.entities.length > 0]"
                );
                let answer = server.ok("execute", json!({ "code": code }));
                assert_eq!(
                    answer["value"],
                    json!([number, index, "Use PostgreSQL", true])
                );
            }
            resident(server.child.id())
        };
        let before = run(50);
        let after = run(200);
        assert!(after < before + 6_000, "{before} KiB grew to {after} KiB");
    };
    std::thread::scope(|scope| {
        for number in 0..4 {
            scope.spawn(move || client(number));
        }
    });
}

/// Nothing of a server stays when it goes, even in the midst of a script that cannot be interrupted.
#[cfg(target_os = "linux")]
#[test]
fn workers_end_with_their_server() {
    let sample = sample::filled();
    let mut server = Server::start(sample.folder.path());
    server.ok("execute", json!({ "code": "1" }));
    let pid = server.child.id();
    let children = || -> Vec<String> {
        let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).expect("tasks");
        let lists = tasks
            .flatten()
            .map(|task| std::fs::read_to_string(task.path().join("children")).unwrap_or_default());
        lists
            .flat_map(|list| {
                list.split_whitespace()
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            })
            .collect()
    };
    let workers = children();
    assert!(!workers.is_empty());
    server.child.kill().expect("killed");
    server.child.wait().expect("ended");
    let begin = std::time::Instant::now();
    for worker in workers {
        while std::fs::read_to_string(format!("/proc/{worker}/status"))
            .is_ok_and(|status| !status.contains("State:\tZ"))
        {
            assert!(begin.elapsed().as_secs() < 10, "{worker} is still there");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }
}
