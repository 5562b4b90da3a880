//! What runs is what was allowed, also while someone swaps the files: a start may happen with another
//! text, but it is stopped, and never answered as if the command had run.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle, sleep};
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::repository::{Repository, until};
use crate::server::Server;

const ALLOWED: &str = "build:\n\t@echo allowed\n";
const EVIL: &str = "build:\n\t@echo evil; touch evil-ran\n";

/// How many starts are tried; the variable asks for more.
#[expect(
    clippy::disallowed_methods,
    reason = "whoever runs the test says how long it may take"
)]
fn starts() -> usize {
    let wanted = std::env::var("WINDLASS_TEST_RACE_STARTS").ok();
    wanted.and_then(|it| it.parse().ok()).unwrap_or(100)
}

/// Swaps the makefile until it is dropped, and leaves the allowed text.
struct Swapper {
    end: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Swapper {
    fn begin(root: &Path, every: Duration) -> Self {
        let end = Arc::new(AtomicBool::new(false));
        let (root, told) = (root.to_owned(), Arc::clone(&end));
        let thread = thread::spawn(move || {
            for round in 0_usize.. {
                let text = if round % 2 == 0 { EVIL } else { ALLOWED };
                // Twenty swaps in place, then twenty by renaming, then a pause.
                swap(&root, text, round / 20 % 2 == 0);
                let ended = told.load(Ordering::Relaxed);
                if ended && text == ALLOWED {
                    return;
                }
                sleep(if round % 40 == 39 { every * 20 } else { every });
            }
        });
        Self {
            end,
            thread: Some(thread),
        }
    }
}

impl Drop for Swapper {
    fn drop(&mut self) {
        self.end.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the writer ended");
        }
    }
}

fn swap(root: &Path, text: &str, in_place: bool) {
    let makefile = root.join("Makefile");
    if in_place {
        fs::write(makefile, text).expect("written");
    } else {
        fs::write(root.join("next"), text).expect("written");
        fs::rename(root.join("next"), makefile).expect("renamed");
    }
}

fn repository(makefile: &str) -> Repository {
    let repository = Repository::new(&[("Makefile", makefile)]);
    let output = repository.as_person(&["allow", "build", "--yes"]);
    assert!(output.status.success(), "{output:?}");
    repository
}

fn start(server: &mut Server) -> Json {
    let input = json!({"unique_name": "build", "wait_seconds": 20});
    server.call("task_start", input).expect("an answer")
}

#[test]
fn no_start_is_answered_with_a_text_that_was_not_allowed() {
    let (mut ran, mut caught, mut refused, mut evil) = (0, 0, 0, 0);
    let repository = repository(ALLOWED);
    let mut server = repository.server();
    for every in [2, 60] {
        let swapper = Swapper::begin(&repository.root, Duration::from_millis(every));
        for _ in 0..starts() / 2 {
            let answer = start(&mut server);
            let result = &answer["result"]["structuredContent"];
            if result.is_object() {
                assert_eq!(result["initial_output"], "allowed\n", "{answer}");
                assert!(!repository.exists("evil-ran"), "{answer}");
                ran += 1;
            } else {
                let error = &answer["error"];
                assert!(!error.to_string().contains("evil\\n"), "{answer}");
                // Another text at the check, or none that could be read.
                let codes = [json!(-32010), json!(-32012)];
                assert!(codes.contains(&error["code"]), "{answer}");
                let reason = error["data"]["reason"].as_str().unwrap_or_default();
                if reason.contains("while it was being started") {
                    caught += 1;
                } else {
                    refused += 1;
                }
            }
            if repository.exists("evil-ran") {
                evil += 1;
                fs::remove_file(repository.root.join("evil-ran")).expect("removed");
            }
        }
        drop(swapper);
    }
    println!(
        "{ran} ran, {refused} were refused, {caught} were stopped; {evil} had begun with another text"
    );
    // The numbers say that the attempts came close: the check passed and the file was swapped then.
    assert!(caught > 0, "no swap fell between the check and the answer");
    let answer = start(&mut server);
    let result = &answer["result"]["structuredContent"];
    assert_eq!(result["initial_output"], "allowed\n", "{answer}");
    let jobs = server.ok("job_list", json!({"limit": 100}));
    for job in jobs["jobs"].as_array().expect("jobs") {
        let stopped = job["reason"].to_string().contains("changed while");
        assert!(job["state"] == "exited" || stopped, "{job}");
    }
    drop(server);
    repository.assert_nothing_left();
}

/// A runner reads its files again when it calls itself.
#[test]
fn a_job_of_an_agent_ends_when_its_text_changes_later() {
    let long = "build:\n\t@echo ready; while ! [ -e go ]; do sleep 0.05; done; $(MAKE) -s next\n\
                next:\n\t@echo as allowed; exec sleep 600\n";
    let repository = repository(long);
    let mut server = repository.server();
    let started = server.ok(
        "task_start",
        json!({"unique_name": "build", "wait_seconds": 0}),
    );
    let pid = started["pid"].as_i64().expect("a PID");
    server.ok(
        "task_wait",
        json!({"pid": pid, "until": "pattern", "pattern": "ready"}),
    );
    // It counts as started after a while; the same text written again is no change then.
    sleep(Duration::from_millis(2500));
    fs::write(repository.root.join("Makefile"), long).expect("written");
    sleep(Duration::from_millis(300));
    let output = server.ok("task_output", json!({"pid": pid}));
    assert_eq!(output["lines"], json!(["ready"]), "{output}");
    let evil = long
        .replace("as allowed", "evil; touch evil-ran")
        .replace("-s next", "-s next; true");
    fs::write(repository.root.join("Makefile"), evil).expect("written");
    until("the end of the job", || {
        let jobs = server.ok("task_status", json!({"unique_name": "build"}));
        jobs["jobs"][0]["state"] == "failed"
    });
    fs::write(repository.root.join("go"), "").expect("written");
    let error = server.refused("task_output", json!({"pid": pid}));
    assert_eq!(error["code"], -32010, "{error}");
    assert_eq!(error["data"]["changed"], json!(["Makefile"]), "{error}");
    assert!(
        error["message"].to_string().contains("while it ran"),
        "{error}"
    );
    until("the end of its processes", || {
        repository
            .processes()
            .iter()
            .all(|(_, words)| !words.contains("sleep"))
    });
    assert!(!repository.exists("evil-ran"));
}

/// A person who edits the file of what they run sees what happens.
#[test]
fn a_job_of_a_person_goes_on() {
    let text = "build:\n\t@echo ready; while ! [ -e go ]; do sleep 0.05; done; echo over\n";
    let repository = repository(text);
    let root = repository.root.clone();
    let edits = thread::spawn(move || {
        sleep(Duration::from_secs(6));
        fs::write(root.join("Makefile"), "other:\n").expect("written");
        sleep(Duration::from_millis(500));
        fs::write(root.join("go"), "").expect("written");
    });
    let output = repository.as_person(&["run", "build"]);
    edits.join().expect("edited");
    let said = String::from_utf8_lossy(&output.stdout).replace('\r', "");
    assert!(
        output.status.success() && said.contains("ready\nover\n"),
        "{said}"
    );
}

/// The output of `windlass run` goes out as it comes: not that of another text either.
#[test]
fn windlass_run_passes_nothing_on_of_another_text() {
    let repository = repository(ALLOWED);
    let swapper = Swapper::begin(&repository.root, Duration::from_millis(2));
    for _ in 0..20 {
        let output = repository.run(&["run", "build"]);
        let (out, error) = (
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
        );
        assert!(["", "allowed\n"].contains(&&*out), "{out} {error}");
        if output.status.success() {
            assert_eq!(out, "allowed\n", "{error}");
        } else {
            // Refused, or not there at that moment.
            assert!(
                [Some(6), Some(4)].contains(&output.status.code()),
                "{out} {error}"
            );
        }
    }
    drop(swapper);
    assert!(repository.run(&["run", "build"]).status.success());
}

/// A gate that ran with files that changed under it has not passed, whatever it returned.
#[test]
fn a_gate_whose_text_changes_has_not_passed() {
    let gates = "[[gate]]\nname = 'made'\ncommand = 'command:check'\n";
    let repository = Repository::new(&[
        ("Makefile", "check:\n\t@echo '# swapped' >> Makefile\n"),
        (".windlass/gates.toml", gates),
    ]);
    for target in ["check", ".windlass/gates.toml"] {
        let output = repository.as_person(&["allow", target, "--yes"]);
        assert!(output.status.success(), "{output:?}");
    }
    let mut server = Server::of(repository.command(&["mcp", "--toolsets", "all"]));
    let made = server.ok("work_create", json!({"description": "Checked"}));
    let id = made["number"].to_string();
    server.ok("work_start", json!({ "id": id }));
    let answer = server.ok("work_submit", json!({"id": id, "wait": true}));
    let failure = &answer["gate_failures"][0];
    let message = failure["message"].as_str().unwrap_or_default();
    assert!(message.contains("Makefile changed while"), "{answer}");
}
