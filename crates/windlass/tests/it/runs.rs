//! Runs through a real server: the runs contract, real shells, and what may go wrong.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::http_server::HttpServer;
use crate::sample::{self, Sample};
use crate::server::Server;

fn spec(runtime: &str, commands: &[&str]) -> Json {
    let steps: Vec<Json> = commands
        .iter()
        .enumerate()
        .map(|(at, command)| json!({"name": format!("s{at}"), "shell": "bash", "command": command}))
        .collect();
    json!({"title": "A run", "runtime": runtime, "steps": steps})
}

fn error(server: &mut Server, tool: &str, arguments: Json) -> (i64, String) {
    let answer = server.call(tool, arguments).expect("an answer");
    let error = &answer["error"];
    let code = error["code"].as_i64().unwrap_or_else(|| panic!("{answer}"));
    (
        code,
        error["message"].as_str().unwrap_or_default().to_owned(),
    )
}

/// Lets the user of the tests allow everything of the project as it is now.
fn allow_all(project: &Path) {
    let folder = sample::config_of(project).join("windlass");
    fs::create_dir_all(&folder).expect("made");
    let entries = sample::allowlist_of_all(project);
    fs::write(folder.join("allowlist.toml"), entries).expect("written");
}

/// A project in which a person allowed everything, runs that come from no playbook included.
fn open_project() -> Sample {
    let sample = sample::empty();
    let config = sample.folder.path().join(".windlass/config.toml");
    fs::write(config, "[runs]\nadhoc = true\n").expect("written");
    allow_all(sample.folder.path());
    sample
}

fn created(server: &mut Server, spec: Json) -> String {
    let run = server.ok("run_create", json!({ "spec": spec }));
    assert_eq!(run["status"], "created");
    run["runId"].as_str().expect("an id").to_owned()
}

fn eventually(what: &str, mut check: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !check() {
        assert!(begin.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn processes_with(mark: &str) -> usize {
    let output = Command::new("pgrep").args(["-fc", mark]).output();
    let text = String::from_utf8_lossy(&output.expect("pgrep").stdout).into_owned();
    text.trim().parse().unwrap_or(0)
}

#[test]
fn the_contract_of_the_seed() {
    let sample = sample::empty();
    let mut server = Server::start(sample.folder.path());
    let run = server.ok(
        "run.create",
        json!({"spec": spec("dummy", &["npm install"])}),
    );
    let run_id = run["runId"].as_str().expect("an id").to_owned();
    assert!(run_id.starts_with("run-"), "{run_id}");
    assert_eq!(run["steps"], json!([{"name": "s0", "status": "pending"}]));
    assert!(run["createdAt"].is_string() && run.get("startedAt").is_none());
    let named = json!({"runId": run_id});
    let state = server.ok("run.status", named.clone());
    assert_eq!(state["status"], "created");
    let done = server.ok("run.execute", named.clone());
    assert_eq!(done["status"], "success");
    assert_eq!(done["steps"][0]["exitCode"], 0);
    for pair in [("createdAt", "startedAt"), ("startedAt", "completedAt")] {
        let full = server.ok("run.read", named.clone());
        let text = |key: &str| full[key].as_str().expect(key).to_owned();
        assert!(text(pair.0) <= text(pair.1), "{full}");
    }
    let again = error(&mut server, "run.execute", named);
    let message = format!("Run {run_id} has already been executed (status: success)");
    assert_eq!(again, (-32000, message));
    let playbooks = server.ok("playbook.list", json!({}));
    let ids: Vec<&str> = playbooks["playbooks"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|it| it["id"].as_str())
        .collect();
    assert_eq!(ids, ["hello-world", "multi-step-build", "pwsh-example"]);
}

/// The contract's complete workflow through the plain endpoint, simulated and for real.
#[test]
fn the_workflow_of_the_seed_over_http() {
    let sample = open_project();
    let folder = sample.folder.path().to_owned();
    let config = sample.config.path().to_str().expect("text");
    let server = HttpServer::start_with(&folder, &[], &[("XDG_CONFIG_HOME", config)]);
    for (runtime, commands) in [
        ("dummy", ["npm install", "npm run build"]),
        ("local", ["echo install", "echo build"]),
    ] {
        let step =
            |name: &str, command: &str| json!({"name": name, "shell": "bash", "command": command});
        let spec = json!({"title": "Build Project", "runtime": runtime, "steps": [
            step("Install", commands[0]), step("Build", commands[1])]});
        let answer = |tool: &str, arguments: Json| -> Json {
            let body = server.call(tool, arguments);
            let text = body["result"]["content"][0]["text"].as_str();
            let text = text.unwrap_or_else(|| panic!("{tool}: {body}"));
            serde_json::from_str(text).expect("JSON")
        };
        let run = answer("run.create", json!({ "spec": spec }));
        assert_eq!(run["status"], "created");
        let named = json!({"runId": run["runId"]});
        let done = answer("run.execute", named.clone());
        assert_eq!(done["status"], "success", "{done}");
        assert_eq!(answer("run.status", named.clone())["status"], "success");
        let read = answer("run.read", named.clone());
        assert_eq!(read["steps"][1]["name"], "Build");
        if runtime == "local" {
            assert_eq!(read["steps"][1]["stdout"], "build\n");
        }
        let again = server.call("run.execute", named);
        assert_eq!(again["error"]["code"], -32000);
    }
}

#[test]
fn errors_in_the_words_of_the_seed() {
    let sample = sample::empty();
    let mut server = Server::start(sample.folder.path());
    let mut without_title = spec("dummy", &["x"]);
    without_title
        .as_object_mut()
        .expect("an object")
        .remove("title");
    let mut twice = spec("dummy", &["x"]);
    twice["runId"] = json!("mine");
    created(&mut server, twice.clone());
    for (tool, input, expected) in [
        (
            "run.status",
            json!({"runId": "unknown-run-id"}),
            "Run unknown-run-id not found",
        ),
        (
            "run.read",
            json!({"runId": "missing-id"}),
            "Run missing-id not found",
        ),
        (
            "run.execute",
            json!({"runId": "missing-id"}),
            "Run missing-id not found",
        ),
        ("run.status", json!({}), "Validation error: runId: Required"),
        (
            "run.create",
            json!({"spec": without_title}),
            "Validation error: title: Required",
        ),
        (
            "run.create",
            json!({"spec": spec("invalid", &["x"])}),
            "Validation error: runtime: Invalid enum value.",
        ),
        (
            "run.create",
            json!({"spec": spec("dummy", &[])}),
            "Validation error: steps: Array must contain at least 1 element(s)",
        ),
        (
            "run.create",
            json!({"spec": twice}),
            "Run mine already exists",
        ),
        (
            "run.create",
            json!({"spec": spec("github-runner", &["echo"])}),
            "Runtime github-runner not supported by DummyExecutorAdapter. Only 'dummy' runtime is supported in I631.",
        ),
        (
            "playbook.get",
            json!({"id": "nothing"}),
            "Playbook nothing not found",
        ),
    ] {
        let (code, message) = error(&mut server, tool, input);
        assert_eq!(code, -32000, "{tool}: {message}");
        assert!(message.starts_with(expected), "{tool}: {message}");
    }
}

#[test]
fn shells_run_and_expectations_count() {
    let sample = open_project();
    let mut server = Server::start(sample.folder.path());
    let mut passing = spec("local", &["echo out; echo err >&2; touch made", "true"]);
    passing["steps"][0]["expect"] =
        json!({"stdoutRegex": ["^out$"], "stderrRegex": ["err"], "fileExists": ["made"]});
    passing["steps"][0]["artifacts"] = json!(["made"]);
    let run_id = created(&mut server, passing);
    let done = server.ok("run_execute", json!({"runId": run_id}));
    assert_eq!(done["status"], "success", "{done}");
    assert_eq!(done["steps"][0]["stdout"], "out\n");
    let kept = server.ok("run_artifacts", json!({"runId": run_id}));
    let names: Vec<&str> = kept["artifacts"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|it| it["name"].as_str())
        .collect();
    assert!(
        names.contains(&"made") && names.contains(&"stdout.log"),
        "{kept}"
    );
    let log = server.ok(
        "run_logs",
        json!({"runId": run_id, "step": 0, "stream": "stderr"}),
    );
    assert_eq!(log["text"], "err\n");

    let run_id = created(&mut server, spec("local", &["exit 3", "touch never"]));
    let failed = server.ok("run_execute", json!({"runId": run_id}));
    assert_eq!(failed["status"], "failed");
    assert_eq!(failed["steps"][0]["exitCode"], 3);
    assert_eq!(failed["steps"][0]["failure"]["kind"], "exitCode");
    assert_eq!(failed["steps"][1]["status"], "skipped");
    assert!(!sample.folder.path().join("never").exists());

    let mut slow = spec("local", &["sleep 471.1 & sleep 471.1", "true"]);
    slow["steps"][0]["timeoutSec"] = json!(0.3);
    let run_id = created(&mut server, slow);
    let late = server.ok("run_execute", json!({"runId": run_id}));
    assert_eq!(late["status"], "timeout");
    assert_eq!(late["steps"][0]["status"], "timeout");
    assert_eq!(processes_with("sleep 471.1"), 0);
}

#[test]
fn nothing_runs_that_a_person_did_not_allow() {
    let sample = sample::empty();
    let folder = sample.folder.path();
    let mut server = Server::start(folder);
    let marker = folder.join("ran");
    let command = "touch ran";
    let run_id = created(&mut server, spec("local", &[command]));
    let execute = json!({"runId": run_id});
    // Neither by default, nor because the project's own settings say so.
    let (code, _) = error(&mut server, "run_execute", execute.clone());
    assert_eq!(code, -32010);
    let config = folder.join(".windlass/config.toml");
    fs::write(&config, "[runs]\nadhoc = true\n").expect("written");
    assert_eq!(error(&mut server, "run_execute", execute).0, -32010);

    let playbooks = folder.join(".windlass/playbooks");
    fs::create_dir_all(&playbooks).expect("made");
    let text = "name = \"Mine\"\n[spec]\ntitle = \"t\"\nruntime = \"local\"\n\
                [[spec.steps]]\nname = \"s\"\nshell = \"bash\"\ncommand = \"touch ran\"\n";
    fs::write(playbooks.join("mine.toml"), text).expect("written");
    let answer = server
        .call("playbook_run", json!({"id": "mine"}))
        .expect("an answer");
    let refusal = &answer["result"]["structuredContent"];
    assert_eq!(refusal["error_type"], "NotAllowlisted", "{answer}");
    assert!(!marker.exists());

    allow_all(folder);
    let done = server.ok("playbook_run", json!({"id": "mine"}));
    assert_eq!(done["status"], "success", "{done}");
    assert!(marker.exists());
}

#[test]
fn a_playbook_is_executed_as_it_was_when_the_run_was_made() {
    let sample = open_project();
    let folder = sample.folder.path();
    let playbooks = folder.join(".windlass/playbooks");
    fs::create_dir_all(&playbooks).expect("made");
    let file = playbooks.join("greet.yaml");
    let text = "name: Greet\nvars:\n  who: {default: world}\nspec:\n  title: Greet ${who}\n  runtime: local\n  \
                steps:\n    - {name: hi, shell: bash, command: 'echo \"hello ${who}\"'}\n";
    fs::write(&file, text).expect("written");
    allow_all(folder);
    let mut server = Server::start(folder);
    let input = json!({"id": "greet", "vars": {"who": "$(touch pwned); touch pwned"}});
    let done = server.ok("playbook_run", input);
    assert_eq!(
        done["steps"][0]["stdout"],
        "hello $(touch pwned); touch pwned\n"
    );
    assert!(
        !folder.join("pwned").exists(),
        "a value is never shell text"
    );
    let again = server.ok("run_rerun", json!({"runId": done["runId"]}));
    assert_eq!(again["parentRunId"], done["runId"]);
    fs::write(&file, text.replace("hello", "goodbye")).expect("written");
    allow_all(folder);
    let (code, _) = error(&mut server, "run_execute", json!({"runId": again["runId"]}));
    assert_eq!(code, -32010, "the file is another one now");
}

#[test]
fn a_run_is_executed_by_one_of_many() {
    let sample = open_project();
    let folder = sample.folder.path();
    let mut server = Server::start(folder);
    let run_id = created(&mut server, spec("local", &["echo x >> count; sleep 0.3"]));
    let results: Vec<Json> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let run_id = run_id.clone();
                scope.spawn(move || {
                    let mut server = Server::start(folder);
                    server
                        .call("run_execute", json!({"runId": run_id}))
                        .expect("an answer")
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|it| it.join().expect("ended"))
            .collect()
    });
    let won = results.iter().filter(|it| it["result"].is_object()).count();
    assert_eq!(won, 1, "{results:?}");
    let count = fs::read_to_string(folder.join("count")).expect("read");
    assert_eq!(count, "x\n");
}

#[test]
fn a_run_can_be_called_off_from_another_process() {
    let sample = open_project();
    let folder = sample.folder.path();
    let mut server = Server::start(folder);
    let run_id = created(&mut server, spec("local", &["sleep 472.2", "true"]));
    let started = server.ok("run_execute", json!({"runId": run_id, "wait": false}));
    assert_eq!(started["status"], "running", "{started}");
    let output = sample::windlass()
        .args(["--json", "runs", "cancel", &run_id])
        .current_dir(folder)
        .output()
        .expect("started");
    let state: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(state["status"], "cancelled", "{state}");
    assert_eq!(processes_with("sleep 472.2"), 0);
}

#[test]
fn a_killed_server_leaves_a_failed_run_and_no_process() {
    let sample = open_project();
    let folder = sample.folder.path();
    let mut server = Server::start(folder);
    let earlier = created(&mut server, spec("dummy", &["x"]));
    server.ok("run_execute", json!({"runId": earlier}));
    let commands = ["echo before; sleep 473.3 & sleep 473.3", "true"];
    let run_id = created(&mut server, spec("local", &commands));
    server.ok("run_execute", json!({"runId": run_id, "wait": false}));
    eventually("the step runs", || processes_with("sleep 473.3") >= 2);
    eventually("its output is there", || {
        let log = server.ok("run_logs", json!({"runId": run_id, "step": 0}));
        log["text"] == "before\n"
    });
    server.child.kill().expect("killed");
    server.child.wait().expect("ended");
    eventually("no process is left", || processes_with("sleep 473.3") == 0);

    let mut server = Server::start(folder);
    let run = server.ok("run_read", json!({"runId": run_id}));
    assert_eq!(run["status"], "failed", "{run}");
    let failure = run["failure"]["message"].as_str().expect("a message");
    assert!(failure.contains("interrupted"), "{run}");
    assert_eq!(
        run["steps"][0]["stdout"], "before\n",
        "what it wrote is kept"
    );
    assert_eq!(run["steps"][1]["status"], "skipped");
    let run = server.ok("run_status", json!({"runId": earlier}));
    assert_eq!(run["status"], "success");
}

/// Every file below a folder that holds the text.
fn files_with(folder: &Path, text: &[u8], found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("read").flatten() {
        let path = entry.path();
        if entry.file_type().expect("known").is_dir() {
            files_with(&path, text, found);
        } else if let Ok(bytes) = fs::read(&path)
            && bytes.windows(text.len()).any(|part| part == text)
        {
            found.push(path.display().to_string());
        }
    }
}

#[test]
fn a_secret_is_found_nowhere() {
    let sample = open_project();
    let folder = sample.folder.path();
    let secret = "s3cr3t-Xy/9+zz-value";
    fs::write(sample.config.path().join("key"), secret).expect("written");
    let mut command = sample::windlass();
    command
        .args(["mcp", "--toolsets", "all", "--cwd"])
        .arg(folder)
        .env("XDG_CONFIG_HOME", sample.config.path())
        .env("THE_TOKEN", secret);
    let mut server = Server::of(command);
    let text = "echo \"plain $TOKEN\"; printf %s \"${TOKEN:0:7}\"; sleep 0.1; echo \"${TOKEN:7}\"; \
                printf %s \"$TOKEN\" | base64; echo \"err $TOKEN\" >&2; \
                mkdir -p out; echo harmless > out/a.txt; exit 1";
    let mut run = spec("local", &[text]);
    run["envRefs"] = json!({"TOKEN": "env:THE_TOKEN"});
    run["steps"][0]["artifacts"] = json!(["out/**"]);
    let run_id = created(&mut server, run);
    let answer = server.ok("run_execute", json!({"runId": run_id}));
    assert_eq!(answer["status"], "failed");
    let shown = answer.to_string();
    assert!(shown.contains("plain ***"), "{shown}");
    let events = server.ok("event_list", json!({}));
    let log = server.ok("run_logs", json!({"runId": run_id}));
    drop(server);
    for place in [shown, events.to_string(), log.to_string()] {
        assert!(!place.contains(secret), "{place}");
    }
    let mut found = Vec::new();
    // The forms in which it may turn up: as it is, and as base64 of its middle.
    files_with(folder, secret.as_bytes(), &mut found);
    files_with(folder, b"czNjcjN0LVh5LzkrenotdmFsdWU", &mut found);
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn pages_of_outputs_have_whole_characters() {
    let sample = open_project();
    let mut server = Server::start(sample.folder.path());
    let whole = "aé€😀日本語".repeat(5);
    let run = created(
        &mut server,
        spec("local", &[&format!("printf '%s' '{whole}'")]),
    );
    let ended = server.ok("run_execute", json!({ "runId": run }));
    assert_eq!(ended["status"], "success", "{ended}");
    for bytes in [1, 5, 7, 64] {
        let mut text = String::new();
        let mut from = 0;
        loop {
            let page = json!({"runId": run, "step": 0, "from": from, "maxBytes": bytes});
            let page = server.ok("run_logs", page);
            text += page["text"].as_str().expect("a text");
            from = page["next"].as_u64().expect("a number");
            if page["more"] == false {
                break;
            }
        }
        assert_eq!(text, whole, "pages of {bytes} bytes");
    }
    let kept = server.ok("run_artifacts", json!({ "runId": run }));
    let artifacts = kept["artifacts"].as_array().expect("a list");
    let stdout = artifacts.iter().find(|it| {
        it["name"]
            .as_str()
            .is_some_and(|name| name.contains("stdout"))
    });
    let key = &stdout.unwrap_or_else(|| panic!("{kept}"))["key"];
    let mut text = String::new();
    let mut from = json!(0);
    while !from.is_null() {
        let page = json!({"runId": run, "key": key, "from": from, "maxBytes": 7});
        let content = server.ok("run_artifacts", page)["content"].clone();
        text += content["text"].as_str().expect("a text");
        from = content["next"].clone();
    }
    assert_eq!(text, whole);
}

#[test]
fn a_mistake_in_a_playbook_is_named_wherever_it_is_asked_for() {
    let sample = sample::empty();
    let folder = sample.folder.path();
    let playbooks = folder.join(".windlass/playbooks");
    fs::create_dir_all(&playbooks).expect("made");
    fs::write(playbooks.join("broken.yaml"), "title: Broken\nsteps: 5\n").expect("written");
    let windlass = |words: &[&str]| {
        sample::windlass()
            .arg("--cwd")
            .arg(folder)
            .args(words)
            .env("XDG_CONFIG_HOME", sample.config.path())
            .output()
            .expect("started")
    };
    let checked = windlass(&["playbooks", "check"]);
    assert_eq!(checked.status.code(), Some(11), "{checked:?}");
    let shown = windlass(&["playbooks", "get", "broken"]);
    assert_eq!(shown.status.code(), Some(4), "{shown:?}");
    let told = String::from_utf8_lossy(&shown.stderr).into_owned();
    assert!(told.contains(".windlass/playbooks/broken.yaml:"), "{told}");
    fs::remove_file(playbooks.join("broken.yaml")).expect("removed");
    assert_eq!(windlass(&["playbooks", "check"]).status.code(), Some(0));
}
