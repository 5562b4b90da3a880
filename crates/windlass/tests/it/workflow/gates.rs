//! Gates of shell text: every way in which one can end.

use std::fs;

use serde_json::{Value as Json, json};

use super::{
    allow, allow_all, eventually, gate, processes_with, project, refused, review_status, started,
    write_gates,
};
use crate::sample;
use crate::server::Server;

fn failure<'a>(answer: &'a Json, name: &str) -> &'a Json {
    let failures = answer["gate_failures"].as_array().expect("a list");
    let found = failures.iter().find(|it| it["name"] == name);
    found.unwrap_or_else(|| panic!("{name} did not fail: {answer}"))
}

#[test]
fn gates_pass_fail_and_are_mended() {
    let environment = "test \"$WINDLASS_GATE_NAME\" = environment && test \"$WINDLASS_ATTEMPT\" -ge 1 \
        && test -n \"$WINDLASS_TASK_ID\" && test -n \"$WINDLASS_REPO_ID\" \
        && test -n \"$WINDLASS_REVIEW_ID\" && test \"$PWD\" = \"$WINDLASS_REPO_PATH\"";
    let gates = [
        gate("passes", "echo fine", ""),
        gate("mend", "echo looking; echo missing >&2; test -f mended", ""),
        gate("pipe", "test -f mended | cat", ""),
        gate("environment", environment, ""),
    ];
    let sample = project(&gates.concat());
    let mut server = Server::start(sample.folder.path());
    let task = started(&mut server, "Mend it");
    let answer = server.ok("work_submit", json!({"id": task, "wait": true}));
    assert_eq!(answer["action_required"], "fix_and_resubmit", "{answer}");
    assert_eq!(answer["escalated_to_human"], false);
    assert_eq!(
        answer["gate_failures"].as_array().map(Vec::len),
        Some(2),
        "{answer}"
    );
    let failed = failure(&answer, "mend");
    assert_eq!(
        *failed,
        json!({"name": "mend", "exit_code": 1, "attempt": 1, "max_retries": 3,
            "stdout": "looking\n", "stderr": "missing\n", "escalated": false})
    );
    assert_eq!(failure(&answer, "pipe")["exit_code"], 1, "pipefail holds");
    fs::write(sample.folder.path().join("mended"), "").expect("written");
    let answer = server.ok("work_submit", json!({"id": task, "wait": true}));
    assert_eq!(answer["review"]["status"], "agent_pending", "{answer}");
    assert_eq!(answer["review"]["round"], 2);
    let results = server.ok("gate_results", json!({"review_id": "1"}));
    let attempts: Vec<(&str, &str)> = results["results"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|it| it["name"] == "mend")
        .filter_map(|it| Some((it["status"].as_str()?, it["stdout"].as_str()?)))
        .collect();
    assert_eq!(attempts, [("failed", "looking\n"), ("passed", "looking\n")]);
    let error = refused(&mut server, "work_submit", json!({"id": task}));
    assert_eq!(error["error_type"], "InvalidTransition");
    assert_eq!(error["state"], "agent_pending");
}

#[test]
fn after_the_last_try_the_agent_is_out() {
    let sample = project(&gate("never", "exit 9", "max_retries = 2"));
    let mut server = Server::start(sample.folder.path());
    let task = started(&mut server, "Hopeless");
    let answer = server.ok("work_submit", json!({"id": task, "wait": true}));
    assert_eq!(failure(&answer, "never")["escalated"], false);
    let answer = server.ok("gate_rerun", json!({"review_id": "1", "wait": true}));
    assert_eq!(failure(&answer, "never")["escalated"], true, "{answer}");
    assert_eq!(answer["escalated_to_human"], true);
    assert_eq!(answer["action_required"], "wait_for_human");
    let error = refused(&mut server, "gate_rerun", json!({"review_id": "1"}));
    assert_eq!(error["error_type"], "HumanOnly");
    let error = refused(&mut server, "review_approve", json!({"id": "1"}));
    assert_eq!(error["error_type"], "HumanOnly");
}

#[test]
fn not_yet_is_asked_again_until_it_is_or_it_is_too_late() {
    let polled = gate("slow", "test -f ready || exit 75", "poll_interval_secs = 1");
    let late = gate(
        "late",
        "exit 75",
        "poll_interval_secs = 1\nmax_pending_secs = 1",
    );
    let sample = project(&format!("{polled}{late}"));
    let mut server = Server::start(sample.folder.path());
    let task = started(&mut server, "Wait for it");
    let answer = server.ok("work_submit", json!({"id": task}));
    assert_eq!(answer["review"]["status"], "gates_pending");
    assert_eq!(
        answer["action_required"], "wait",
        "answers at once: {answer}"
    );
    let state = |server: &mut Server, name: &str| {
        let results = server.ok("gate_results", json!({"review_id": "1", "last": true}));
        let all = results["results"].as_array().expect("a list").clone();
        all.into_iter()
            .find(|it| it["name"] == name)
            .expect("there")
    };
    eventually("both said: not yet", || {
        ["slow", "late"]
            .iter()
            .all(|name| state(&mut server, name)["exit_code"] == 75)
    });
    eventually("one is too late", || {
        state(&mut server, "late")["status"] == "timeout"
    });
    assert_eq!(state(&mut server, "slow")["status"], "pending");
    assert!(state(&mut server, "slow")["polls"].as_u64() >= Some(1));
    fs::write(sample.folder.path().join("ready"), "").expect("written");
    eventually("the other is ready", || {
        state(&mut server, "slow")["status"] == "passed"
    });
    assert_eq!(
        state(&mut server, "slow")["attempt"],
        1,
        "asking is no attempt"
    );
}

#[test]
fn a_gate_that_takes_too_long_is_ended_with_all_its_processes() {
    let mark = format!("600.{}", std::process::id());
    let tree = format!(
        "setsid sleep {mark} & (trap '' TERM; sleep {mark} & wait) & echo begun; sleep {mark}"
    );
    let sample = project(&gate("tree", &tree, "timeout_secs = 1\nmax_retries = 1"));
    let mut server = Server::start(sample.folder.path());
    let task = started(&mut server, "Too long");
    let answer = server.ok("work_submit", json!({"id": task, "wait": true}));
    let failed = failure(&answer, "tree");
    assert!(failed.get("exit_code").is_none(), "{failed}");
    assert_eq!(failed["stdout"], "begun\n");
    assert!(
        failed["message"]
            .as_str()
            .is_some_and(|it| it.contains("1 s"))
    );
    assert_eq!(answer["review"]["gates"][0]["status"], "timeout");
    assert_eq!(processes_with(&format!("sleep {mark}")), 0);
}

#[test]
fn much_output_and_what_is_no_text() {
    let much =
        "head -c 3000000 /dev/zero | tr '\\0' 'x'; printf 'é%.0s' $(seq 40000); echo end; exit 3";
    let bytes = "printf '\\377\\376 and \\303\\050'; exit 4";
    let sample = project(&format!(
        "{}{}",
        gate("much", much, ""),
        gate("bytes", bytes, "")
    ));
    let mut server = Server::start(sample.folder.path());
    let task = started(&mut server, "Talk");
    let answer = server.ok("work_submit", json!({"id": task, "wait": true}));
    let text = failure(&answer, "much")["stdout"].as_str().expect("text");
    assert_eq!(text.chars().count(), 4_000);
    assert!(text.ends_with("éend\n"));
    let text = failure(&answer, "bytes")["stdout"].as_str().expect("text");
    assert_eq!(text, "\u{FFFD}\u{FFFD} and \u{FFFD}(");
    let store = sample.store();
    store
        .read(None, |reader| {
            let review = reader.review("1")?;
            for result in reader.gate_results(&review)? {
                assert!(result.stdout.len() <= 64 * 1024);
            }
            Ok(())
        })
        .expect("read");
    let results = server.ok("gate_results", json!({"review_id": "1"}));
    assert!(results.to_string().len() < 100_000, "an answer fits");
}

#[test]
fn a_file_that_nobody_allowed_makes_the_review_wait() {
    let sample = sample::empty();
    let folder = sample.folder.path().to_owned();
    write_gates(&sample, &gate("leaves a mark", "touch ran", ""));
    let mut server = Server::start(&folder);
    let task = started(&mut server, "Check it");
    let answer = server.ok("work_submit", json!({"id": task, "wait": true}));
    assert_eq!(answer["review"]["status"], "gates_pending", "{answer}");
    assert_eq!(answer["action_required"], "wait_for_human");
    let message = answer["message"].as_str().expect("text");
    assert!(
        message.contains("windlass allow .windlass/gates.toml"),
        "{message}"
    );
    assert_eq!(answer["review"]["gates"][0]["status"], "waiting");
    let error = refused(&mut server, "review_approve", json!({"id": "1"}));
    assert_eq!(error["error_type"], "InvalidTransition");
    assert!(!folder.join("ran").exists());
    // A person allows it, and the server goes on by itself.
    allow_all(&folder);
    eventually("it runs", || {
        review_status(&mut server, &task) == "agent_pending"
    });
    assert!(folder.join("ran").exists());
}

/// The easiest way past a gate must not be to delete or change it.
#[test]
fn a_file_that_was_allowed_and_is_gone_or_changed_makes_the_review_wait() {
    let sample = sample::empty();
    let folder = sample.folder.path().canonicalize().expect("there");
    let file = folder.join(".windlass/gates.toml");
    write_gates(&sample, &gate("strict", "exit 1", ""));
    allow(
        &folder,
        &format!("[[entries]]\npath = {}\nscope = \"File\"\n", json!(file)),
    );
    fs::remove_file(&file).expect("removed");
    let mut server = Server::start(&folder);
    let task = started(&mut server, "Go around");
    let answer = server.ok("work_submit", json!({"id": task, "wait": true}));
    assert_eq!(
        answer["review"]["gates"][0]["status"], "waiting",
        "{answer}"
    );
    assert!(
        answer["message"]
            .as_str()
            .is_some_and(|it| it.contains("no longer exists"))
    );
    write_gates(&sample, "[[gate]\n");
    allow_all(&folder);
    let list = server.ok("gate_list", json!({}));
    let why = list["gates"][0]["waiting"].as_str().expect("it waits");
    assert!(why.contains("line 1"), "{why}");
}

#[test]
fn a_task_that_is_cancelled_takes_its_gates_along() {
    let mark = format!("601.{}", std::process::id());
    let sample = project(&gate("long", &format!("sleep {mark}"), ""));
    let mut server = Server::start(sample.folder.path());
    let task = started(&mut server, "Never mind");
    server.ok("work_submit", json!({"id": task}));
    let pattern = format!("sleep {mark}");
    eventually("it runs", || processes_with(&pattern) > 0);
    let refused = server
        .call("work_cancel", json!({"id": task}))
        .expect("an answer");
    let error = &refused["result"]["structuredContent"]["error_type"];
    assert_eq!(*error, "ReviewActive", "its review decides");
    sample
        .store()
        .write(&sample::origin(), |writer| {
            let id = writer.resolve("id", &task)?;
            writer.cancel_task(&id)
        })
        .expect("a person may");
    eventually("it is ended", || processes_with(&pattern) == 0);
    assert_eq!(review_status(&mut server, &task), "withdrawn");
    let results = server.ok("gate_results", json!({"review_id": "1"}));
    assert_eq!(results["results"][0]["status"], "cancelled");
}
