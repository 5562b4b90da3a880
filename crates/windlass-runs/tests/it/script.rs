//! The script of a run, executed by a plain shell of this machine: everything that a place does, and
//! nothing of any place.

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::{Value as Json, json};
use windlass_runs::hosts::{Follower, HostEnd, HostError, ScriptHost, ScriptJob, Started};
use windlass_runs::record::{RunRecord, RunStatus};
use windlass_runs::runtimes::Unavailable;
use windlass_runs::script::{Place, Script, SecretSource, Transfer};
use windlass_runs::spec::RuntimeName;

use crate::{Project, RecordingObserver, failure, one, statuses, stdout};

/// Executes the packed script with a shell, in a folder.
pub struct ShellHost {
    pub shell: &'static str,
    pub root: PathBuf,
    pub transfer: Transfer,
    /// What the log service does to the output before it is read.
    pub log: fn(Vec<u8>) -> Vec<u8>,
    output: Mutex<Vec<u8>>,
}

impl ShellHost {
    pub fn new(root: PathBuf) -> Self {
        Self {
            shell: "sh",
            root,
            transfer: Transfer::default(),
            log: |output| output,
            output: Mutex::default(),
        }
    }
}

impl ScriptHost for ShellHost {
    fn name(&self) -> RuntimeName {
        RuntimeName::Ssm
    }

    fn check(&self) -> Result<(), Unavailable> {
        Ok(())
    }

    fn place(&self) -> Place {
        Place {
            workspace: self.root.to_string_lossy().into_owned(),
            transfer: self.transfer.clone(),
            uploads: Vec::new(),
            secrets: SecretSource::Environment,
            most_packed_bytes: 0,
            grace: Duration::from_millis(500),
        }
    }

    fn start<'a>(&'a self, job: &'a ScriptJob) -> BoxFuture<'a, Result<Started, HostError>> {
        Box::pin(async move {
            let mut command = std::process::Command::new(self.shell);
            if self.shell == "busybox" {
                command.arg("sh");
            }
            let launcher = Script::launcher(&job.script.packed());
            let launcher = launcher.replace(
                "{ sh ",
                &format!(
                    "{{ {} ",
                    match self.shell {
                        "busybox" => "busybox sh",
                        shell => shell,
                    }
                ),
            );
            let output = command
                .args(["-c", &launcher])
                .env("TOKEN", crate::TOKEN)
                .stdin(Stdio::null())
                .output()
                .map_err(|problem| HostError::new(problem.to_string()))?;
            *self.output.lock().unwrap() = (self.log)(output.stdout);
            Ok(Started {
                id: "here".to_owned(),
                url: None,
            })
        })
    }

    fn starts_once(&self) -> bool {
        false
    }

    fn find<'a>(&'a self, _: &'a ScriptJob) -> BoxFuture<'a, Result<Option<Started>, HostError>> {
        Box::pin(async { Ok(None) })
    }

    fn follow<'a>(
        &'a self,
        _id: &'a str,
        follower: &'a Follower,
    ) -> BoxFuture<'a, Result<HostEnd, HostError>> {
        let output = self.output.lock().unwrap().clone();
        Box::pin(async move {
            for piece in output.chunks(1000) {
                follower.output(piece.to_vec()).await;
            }
            let problem = Some("nothing follows".to_owned());
            Ok(HostEnd { problem })
        })
    }

    fn stop<'a>(&'a self, _id: &'a str) -> BoxFuture<'a, Result<(), HostError>> {
        Box::pin(async { Ok(()) })
    }

    fn probe(&self) -> BoxFuture<'_, Result<String, HostError>> {
        Box::pin(async { Ok("it is here".to_owned()) })
    }

    fn start_within(&self) -> Duration {
        Duration::from_mins(1)
    }

    fn max_parallel(&self) -> usize {
        4
    }
}

fn with_host(change: impl FnOnce(&mut ShellHost)) -> Project {
    let mut project = Project::new();
    let mut host = ShellHost::new(project.root.clone());
    change(&mut host);
    project.options.hosts.push(Arc::new(host));
    project
}

/// What a record says, without times, ids and where artifacts are.
pub fn essence(record: &RunRecord) -> Json {
    let mut json = serde_json::to_value(record).unwrap();
    for name in [
        "runId",
        "runtime",
        "createdAt",
        "startedAt",
        "completedAt",
        "durationMs",
        "external",
    ] {
        json.as_object_mut().unwrap().remove(name);
    }
    for step in json["steps"].as_array_mut().unwrap() {
        for name in ["startedAt", "completedAt", "durationMs"] {
            step.as_object_mut().unwrap().remove(name);
        }
        for artifact in step["artifacts"].as_array_mut().into_iter().flatten() {
            artifact.as_object_mut().unwrap().remove("key");
        }
    }
    json
}

/// The playbooks whose records must be equal everywhere: three steps with expectations, artifacts and
/// a secret; one that fails; one that takes too long.
pub fn playbooks() -> [Json; 3] {
    let build = json!({"name": "build", "shell": "sh", "command":
        "echo \"token $T\"; echo warned >&2; mkdir -p dist/deep; printf 'a\\0b' > dist/a.bin; seq 1 5000 > dist/deep/n.txt",
        "expect": {"stdoutRegex": ["^token"], "stderrRegex": ["warn(ed|ing)"], "fileExists": ["dist/a.bin"]},
        "artifacts": ["dist/**/*", "nothing/*"]});
    let test = json!({"name": "test", "shell": "sh", "cwd": "dist", "command": "wc -c < a.bin; exit 4",
        "expect": {"exitCode": 4}});
    let last = |more: Json| {
        let mut step = json!({"name": "last", "shell": "sh", "command": "echo end; sleep 0.1"});
        step.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        step
    };
    [
        last(json!({})),
        last(json!({"command": "echo oops >&2; exit 9"})),
        last(json!({"command": "echo begun; sleep 100", "timeoutSec": 0.5})),
    ]
    .map(|last| {
        json!({"title": "all", "runtime": "local", "envRefs": {"T": "env:TOKEN", "P": "it's"},
            "steps": [build, test, last, {"name": "after", "shell": "sh", "command": "true"}]})
    })
}

#[tokio::test]
async fn a_script_leaves_the_same_record_as_local_steps() {
    for spec in playbooks() {
        let here = Project::new().run(spec.clone()).await;
        for shell in ["dash", "bash", "busybox"] {
            if which::which(shell).is_err() {
                continue;
            }
            let mut spec = spec.clone();
            spec["runtime"] = json!("ssm");
            let there = with_host(|host| host.shell = shell).run(spec).await;
            assert_eq!(essence(&there), essence(&here), "{shell}");
        }
    }
}

fn script(command: &str, more: Json) -> Json {
    let mut spec = one(command, more);
    spec["runtime"] = json!("ssm");
    spec["steps"][0]["shell"] = json!("sh");
    spec
}

#[tokio::test]
async fn output_that_looks_like_frames_is_output() {
    let project = with_host(|_| {});
    let command = "printf 'w1:0:0:z::0:0::.\\n\\001\\377\\000'; echo 'w1:abc:1:e:0:met,0:0::.' >&2";
    let record = project.run(script(command, json!({}))).await;
    assert_eq!(record.status(), RunStatus::Success);
    let stderr = record.steps()[0].stderr.as_deref();
    assert_eq!(stderr, Some("w1:abc:1:e:0:met,0:0::.\n"));
    assert!(stdout(&record).starts_with("w1:0:0:z::0:0::.\n"));
}

#[tokio::test]
async fn long_output_arrives_whole_and_beyond_the_limit_is_cut() {
    let mut project = with_host(|_| {});
    project.options.artifact_limits.output_bytes = 100_000;
    let record = project.run(script("seq 1 10000", json!({}))).await;
    let log = &record.steps()[0].artifacts[0];
    assert_eq!((log.bytes, log.skipped.as_deref()), (Some(48_894), None));
    let record = project.run(script("seq 1 100000", json!({}))).await;
    let step = &record.steps()[0];
    assert_eq!(step.artifacts[0].bytes, Some(100_000));
    assert!(step.output_truncated && step.artifacts[0].skipped.is_some());
}

#[tokio::test]
async fn a_file_that_is_too_large_for_the_log_is_named() {
    let project = with_host(|host| {
        host.transfer = Transfer::Inline {
            file_bytes: 1000,
            run_bytes: 1500,
        };
    });
    let command =
        "head -c 1001 /dev/zero > a; head -c 900 /dev/zero > b; head -c 700 /dev/zero > c";
    let record = project
        .run(script(command, json!({"artifacts": ["?"]})))
        .await;
    let about: Vec<(&str, Option<u64>)> = record.steps()[0]
        .artifacts
        .iter()
        .map(|it| (&*it.name, it.bytes))
        .collect();
    assert_eq!(about, [("a", None), ("b", Some(900)), ("c", None)]);
    let why = record.steps()[0].artifacts[0].skipped.as_deref();
    assert_eq!(
        why,
        Some("has 1001 bytes, more than can be sent in the log")
    );
}

#[tokio::test]
async fn a_log_that_is_cut_off_fails_the_run_and_keeps_what_is_there() {
    let project = with_host(|host| {
        host.log = |mut output| {
            let end = output.windows(3).rposition(|it| it == b":e:").unwrap();
            output.truncate(end);
            output
        };
    });
    let observer = Arc::new(RecordingObserver::default());
    let spec = script("echo something", json!({}));
    let record = project.observed(spec, observer.clone()).await;
    assert_eq!(statuses(&record), ["failed"]);
    assert_eq!(stdout(&record), "something\n");
    let expected = "interrupted: the script ended without saying how: nothing follows";
    assert_eq!(failure(&record), expected);
    let nothing = with_host(|host| host.log = |_| Vec::new());
    let record = nothing.run(script("true", json!({}))).await;
    assert_eq!(
        failure(&record),
        "The script did not begin: nothing follows"
    );
}

#[tokio::test]
async fn what_a_place_cannot_do_is_refused_before_anything_starts() {
    let project = with_host(|_| {});
    let mut spec = script("true", json!({}));
    spec["envRefs"] = json!({"A": "file:secret"});
    let record = project.run(spec).await;
    assert_eq!(
        failure(&record),
        "envRefs.A: a file of this machine is not available there"
    );
    let spec = script("true", json!({"expect": {"stdoutRegex": ["a\\nb"]}}));
    let record = project.run(spec).await;
    let expected = "steps.0.expect.stdoutRegex.0: `a\\nb` matches a line break";
    assert_eq!(failure(&record), expected);
    let mut spec = script("true", json!({}));
    spec["envRefs"] = json!({"A": "env:NOT_THERE"});
    let record = project.run(spec).await;
    let expected = "envRefs.A: the variable that it refers to is not set there";
    assert_eq!(failure(&record), expected);
}
