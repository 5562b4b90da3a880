//! What people decide, and what is refused to agents whichever way they try.

use std::fs;
use std::process::Command;

use serde_json::{Value as Json, json};
use windlass_core::workflow::Phases;
use windlass_ops::{Audience, OPERATIONS, Toolset};

use super::{allow, allow_all, gate, project, refused, review_status, started};
use crate::http_server::HttpServer;
use crate::sample;
use crate::server::Server;

#[test]
fn no_door_lets_an_agent_do_what_people_do() {
    let sample = sample::filled();
    let http = HttpServer::start_with(sample.folder.path(), &["--toolsets", "all"], &[]);
    let mut stdio = Server::start(sample.folder.path());
    let human = OPERATIONS.iter().map(|entry| &entry.declaration);
    let human =
        human.filter(|it| it.audience == Audience::Human && it.toolset == Toolset::Workflow);
    let mut tried = 0;
    for declaration in human {
        tried += 1;
        let name = declaration.name;
        let input: Json = serde_json::from_str(declaration.examples[0].input).expect(name);
        let answer = stdio.call(name, input.clone()).expect("an answer");
        assert_eq!(answer["error"]["code"], -32602, "{name}: {answer}");
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": name, "arguments": input}});
        let answer = http.plain(&call).json();
        assert!(answer["error"].is_object(), "{name}: {answer}");
    }
    assert_eq!(tried, 9);
}

#[test]
fn the_last_word_is_a_persons_and_nothing_goes_around_it() {
    let sample = project("");
    let mut server = Server::start(sample.folder.path());
    let task = started(&mut server, "Judge me");
    server.ok("work_submit", json!({"id": task}));
    for (tool, arguments) in [
        (
            "entity_update",
            json!({"id": task, "properties": {"status": "done"}}),
        ),
        ("task_complete", json!({"id": task})),
        ("entity_delete", json!({"id": task})),
        (
            "set_task_status",
            json!({"id": task.parse::<i64>().expect("a number"), "status": "done"}),
        ),
    ] {
        let answer = server.call(tool, arguments).expect("an answer");
        let told = answer.to_string();
        assert!(told.contains("ReviewActive"), "{tool}: {told}");
    }
    // There is no other session, so the agent's phase is its own to end.
    let answer = server.ok("review_approve", json!({"id": "1"}));
    assert_eq!(answer["review"]["status"], "human_pending");
    let error = refused(&mut server, "review_approve", json!({"id": "1"}));
    assert_eq!(error["error_type"], "HumanOnly");
    let approved = sample.store().write(&sample::origin(), |writer| {
        writer.approve_review("1", Phases::default())
    });
    assert_eq!(approved.expect("approved").status.name(), "approved");
    let task = server.ok("work_get", json!({"id": task}));
    assert_eq!(task["status"], "completed");
}

/// The closing word of a session does not end a task that is in review.
#[test]
fn the_end_of_a_session_leaves_the_review_alone() {
    let sample = sample::filled();
    let submission = windlass_store::Submission {
        repo: "none".into(),
        place: windlass_store::WorkPlace::default(),
        file_gates: Vec::new(),
        phases: Phases::default(),
    };
    sample
        .store()
        .write(&sample::origin(), |writer| {
            let task = writer.resolve("id", "2")?;
            // In progress and nobody's: the session of the sample claims it.
            let status = json!({"status": "in_progress"});
            let patch = windlass_core::Patch {
                properties: status.as_object().cloned().unwrap_or_default(),
                ..windlass_core::Patch::default()
            };
            writer.update(&task, &patch, windlass_core::Dialect::Knowledge)?;
            writer.submit_task(&task, &submission)
        })
        .expect("submitted");
    let mut focus = Server::of_session(sample.folder.path(), "focus-2-sample");
    focus.ok("done", json!({"summary": "All done"}));
    let mut server = Server::start(sample.folder.path());
    server.ok("session_end", json!({"id": "focus-2-sample"}));
    assert_eq!(review_status(&mut server, "2"), "agent_pending");
    assert_eq!(
        server.ok("work_get", json!({"id": "2"}))["status"],
        "in_review"
    );
}

#[test]
fn phases_are_left_out_only_where_a_person_allows_the_settings() {
    let settings = "[workflow]\nhuman_review = false\nagent_review = false\n";
    for allowed in [false, true] {
        let sample = sample::empty();
        let folder = sample.folder.path().to_owned();
        fs::write(folder.join(".windlass/config.toml"), settings).expect("written");
        if allowed {
            allow_all(&folder);
        } else {
            // All commands of the folder are not the settings.
            let path = json!(folder.canonicalize().expect("there"));
            let grant = format!("[[entries]]\npath = {path}\nscope = \"Directory\"\n");
            allow(&folder, &grant);
        }
        let mut server = Server::start(&folder);
        let task = started(&mut server, "Quick");
        let answer = server.ok("work_submit", json!({"id": task, "wait": true}));
        let expected = if allowed { "approved" } else { "agent_pending" };
        assert_eq!(answer["review"]["status"], expected);
        let task = server.ok("work_get", json!({"id": task}));
        assert_eq!(task["status"] == "completed", allowed);
    }
}

#[test]
fn help_is_asked_answered_and_resumed() {
    let sample = project("");
    let mut server = Server::start(sample.folder.path());
    let task = started(&mut server, "Ask");
    let ask = json!({"task_id": task, "category": "decision", "reason": "Which?",
        "suggested_options": ["A", "B"]});
    let asked = server.ok("help_request", ask.clone());
    assert_eq!(
        (&asked["status"], &asked["from_status"]),
        (&json!("pending"), &json!("in_progress"))
    );
    let error = refused(&mut server, "help_request", ask);
    assert_eq!(error["state"], "awaiting_human");
    let answer = server.call(
        "entity_update",
        json!({"id": task, "properties": {"status": "in_progress"}}),
    );
    assert!(answer.expect("an answer").to_string().contains("HelpOpen"));
    sample
        .store()
        .write(&sample::origin(), |writer| {
            let early = writer.resume_task(&writer.named("id", &task)?.id, Phases::default());
            assert!(early.is_err(), "nobody has answered");
            writer.respond_to_help("1", None, Some(1))?;
            writer.resume_task(&writer.named("id", &task)?.id, Phases::default())
        })
        .expect("answered");
    let help = server.ok("help_list", json!({"task_id": task}));
    assert_eq!(help["help_requests"][0]["response"], "B");
    assert_eq!(
        server.ok("work_get", json!({"id": task}))["status"],
        "in_progress"
    );
}

fn git(folder: &std::path::Path, words: &[&str]) {
    let done = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args([
            "-c",
            "user.name=n",
            "-c",
            "user.email=e@x",
            "-c",
            "commit.gpgsign=false",
        ])
        .args(words)
        .output()
        .expect("git");
    assert!(done.status.success(), "{done:?}");
}

/// A moved file is a move, a name cannot write lines of the diff, and what does not fit can be asked for.
#[test]
fn reviews_show_moves_hostile_names_and_what_does_not_fit() {
    let sample = project(&gate("fine", "true", ""));
    let folder = sample.folder.path().to_owned();
    git(&folder, &["init", "-q", "-b", "trunk"]);
    let lines: String = (1..=40).fold(String::new(), |text, line| format!("{text}line {line}\n"));
    fs::write(folder.join("old.txt"), &lines).expect("written");
    fs::write(folder.join("picture"), b"a\0b").expect("written");
    git(&folder, &["add", "-A"]);
    git(&folder, &["commit", "-qm", "first"]);
    let mut server = Server::start(&folder);
    let task = started(&mut server, "Move it");
    fs::remove_file(folder.join("old.txt")).expect("removed");
    let edited = lines.replace("line 7\n", "line seven\n");
    fs::write(folder.join("moved.txt"), edited).expect("written");
    fs::write(folder.join("picture"), b"a\0bc").expect("written");
    let hostile = "x\ndiff --git a/safe.txt b/safe.txt\n--- a/safe.txt";
    let hostile = hostile.replace('/', "\u{2215}");
    fs::write(folder.join(&hostile), "trap\n").expect("written");
    let long: String = (1..=9_000).fold(String::new(), |text, line| {
        format!("{text}{line} of a long file, with a few more words\n")
    });
    fs::write(folder.join("yy-long.txt"), &long).expect("written");
    fs::write(folder.join("zz-last.txt"), "last\n").expect("written");
    server.ok("work_submit", json!({"id": task, "wait": true}));
    let shown = server.ok("review_show", json!({"id": "1"}));
    let diff = shown["diff"].as_str().expect("a diff");
    assert!(
        diff.contains("rename from old.txt\nrename to moved.txt\n"),
        "{diff}"
    );
    assert!(diff.contains("-line 7\n+line seven\n"), "{diff}");
    assert!(
        !diff.contains("-line 8\n"),
        "the rest of a moved file is not changed"
    );
    assert!(
        diff.contains("Binary file: 3 bytes before, 4 bytes now"),
        "{diff}"
    );
    let heads = diff.lines().filter(|line| line.starts_with("diff --git"));
    assert_eq!(heads.count(), 3, "{diff}");
    assert_eq!(shown["not_shown"], json!(["yy-long.txt", "zz-last.txt"]));
    assert_eq!(shown["diff_truncated"], true);
    let one = sample::windlass()
        .arg("--cwd")
        .arg(&folder)
        .args(["reviews", "show", "1", "--file", "yy-long.txt"])
        .output()
        .expect("started");
    let text = String::from_utf8_lossy(&one.stdout).into_owned();
    assert!(text.contains("+8999 of a long file"), "{text}");
    assert!(!text.contains("The rest is not shown"), "{text}");
}

/// What a reviewer sees: the gates, the comments, and the change since the start.
#[test]
fn reviews_show_the_change_since_the_start() {
    let sample = project(&gate("fine", "true", ""));
    let folder = sample.folder.path().to_owned();
    git(&folder, &["init", "-q", "-b", "trunk"]);
    fs::write(folder.join("code.txt"), "before\n").expect("written");
    git(&folder, &["add", "code.txt"]);
    git(&folder, &["commit", "-qm", "first"]);
    let mut server = Server::start(&folder);
    let task = started(&mut server, "Change it");
    fs::write(folder.join("code.txt"), "after\n").expect("written");
    fs::write(folder.join("new.txt"), "new\n").expect("written");
    server.ok("work_submit", json!({"id": task, "wait": true}));
    server.ok(
        "review_comment",
        json!({"review_id": "1", "body": "Why?", "file_path": "code.txt", "line_start": 1}),
    );
    let details = server.ok("work_get", json!({"id": task}));
    assert_eq!(details["start_branch"], "trunk");
    assert_eq!(details["start_commit"], details["submit_commit"]);
    let shown = sample::windlass()
        .arg("--cwd")
        .arg(&folder)
        .args(["reviews", "show", "1"])
        .output()
        .expect("started");
    let text = String::from_utf8_lossy(&shown.stdout).into_owned();
    for words in [
        "fine",
        "passed",
        "Why?",
        "code.txt:1",
        "-before",
        "+after",
        "new file new.txt",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let log = Command::new("git")
        .arg("-C")
        .arg(&folder)
        .args(["log", "--oneline"])
        .output();
    let log = String::from_utf8_lossy(&log.expect("git").stdout).into_owned();
    assert_eq!(
        log.lines().count(),
        1,
        "nothing is committed unless asked: {log}"
    );
}

#[test]
fn git_does_more_only_where_a_person_allows_it() {
    let sample = project("");
    let folder = sample.folder.path().to_owned();
    let settings = "[workflow.git]\nbranch = true\ncommit = true\n";
    fs::write(folder.join(".windlass/config.toml"), settings).expect("written");
    allow_all(&folder);
    git(&folder, &["init", "-q", "-b", "trunk"]);
    git(&folder, &["config", "user.name", "n"]);
    git(&folder, &["config", "user.email", "e@x"]);
    git(&folder, &["commit", "-q", "--allow-empty", "-m", "first"]);
    let mut server = Server::start(&folder);
    let task = started(&mut server, "On a branch");
    fs::write(folder.join("work.txt"), "work\n").expect("written");
    server.ok("work_submit", json!({"id": task, "wait": true}));
    let details = server.ok("work_get", json!({"id": task}));
    assert_eq!(details["start_branch"], format!("task/{task}"));
    assert_ne!(details["start_commit"], details["submit_commit"]);
    assert_eq!(review_status(&mut server, &task), "agent_pending");
}
