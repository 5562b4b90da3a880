//! The docker runtime, with a real engine.

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};
use windlass_runs::CancellationToken;
use windlass_runs::record::{RunRecord, RunStatus};

use crate::{
    Project, RecordingObserver, TOKEN, contains, created, failure, podman, statuses, stdout, until,
};

pub struct Docker {
    pub project: Project,
    program: std::path::PathBuf,
}

impl Docker {
    pub fn new() -> Option<Self> {
        let program = podman::docker()?;
        let mut project = Project::new();
        let options = &mut project.options.docker;
        options.program.clone_from(&program);
        options.image = Some(podman::IMAGE.to_owned());
        options.pull = Some("never".to_owned());
        options.grace = Duration::from_millis(500);
        Some(Self { project, program })
    }

    /// The containers of a run.
    fn containers(&self, run_id: &str) -> String {
        let label = format!("label=windlass.run={run_id}");
        let output = Command::new(&self.program)
            .args(["ps", "--all", "--format", "{{.Names}}", "--filter", &label])
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }
}

/// A docker run of sh steps.
fn steps(run_id: &str, steps: &[(&str, Json)]) -> Json {
    let steps: Vec<Json> = steps
        .iter()
        .enumerate()
        .map(|(index, (command, more))| {
            let mut step = json!({"name": index.to_string(), "shell": "sh", "command": command});
            step.as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            step
        })
        .collect();
    json!({"runId": run_id, "title": "test", "runtime": "docker", "steps": steps})
}

fn unique(name: &str) -> String {
    format!("{name}-{}", std::process::id())
}

#[tokio::test]
async fn steps_share_a_container_and_the_project() {
    let Some(docker) = Docker::new() else { return };
    docker.project.write("web/x", "here");
    let id = unique("share");
    let mut spec = steps(
        &id,
        &[
            (
                "cat x; echo \"$SECRET\"; echo \"$PLAIN\"; echo \"$WINDLASS_RUN_ID\"; echo one >/tmp/one; env | grep -c WINDLASS_ENV || true",
                json!({"cwd": "web", "expect": {"stdoutRegex": ["^here", r"\p{Ll}"]}}),
            ),
            (
                "cat /tmp/one; mkdir dist; echo made > dist/a; head -c 100000 /dev/urandom > dist/b; ls /sys/class/net",
                json!({"artifacts": ["dist/**", "none"], "expect": {"fileExists": ["dist/a"]}}),
            ),
            (
                "echo wrong; exit 3",
                json!({"expect": {"exitCode": 3, "stdoutRegex": ["right"]}}),
            ),
            ("echo never", json!({})),
        ],
    );
    spec["envRefs"] = json!({"SECRET": "env:TOKEN", "PLAIN": "a\n'b'", "PATH": "/bin:/nowhere"});
    let observer = Arc::new(RecordingObserver::default());
    let record = docker.project.observed(spec, observer.clone()).await;
    assert_eq!(failure(&record), "stdoutRegex: nothing matches `right`");
    assert_eq!(
        statuses(&record),
        ["success", "success", "failed", "skipped"]
    );
    assert_eq!(stdout(&record), format!("here***\na\n'b'\n{id}\n0\n"));
    let second = &record.steps()[1];
    // No network but the loopback.
    assert_eq!(second.stdout.as_deref(), Some("one\nlo\n"));
    let names: Vec<(&str, Option<u64>, Option<&str>)> = second
        .artifacts
        .iter()
        .map(|it| (&*it.name, it.bytes, it.skipped.as_deref()))
        .collect();
    let expected = [
        ("stdout.log", Some(7), None),
        ("dist/a", Some(5), None),
        ("dist/b", Some(100_000), None),
        ("none", None, Some("nothing matches")),
    ];
    assert_eq!(names, expected);
    let external = record.external().unwrap();
    assert_eq!(external.id, Some(format!("windlass-{}", external.token)));
    assert_eq!(docker.containers(&id), "", "no container is left");
    for (path, content) in docker.project.files() {
        assert!(!contains(&content, TOKEN), "{}", path.display());
    }
    let scratch = std::fs::read_dir(&docker.project.options.scratch).unwrap();
    assert_eq!(scratch.count(), 0, "nothing is left");
}

#[tokio::test]
async fn a_timeout_and_a_missing_shell_fail_their_step() {
    let Some(docker) = Docker::new() else { return };
    let id = unique("timeout");
    let spec = steps(
        &id,
        &[(
            "echo a; sleep 1000 & sleep 1000",
            json!({"timeoutSec": 0.5}),
        )],
    );
    let record = docker.project.run(spec).await;
    assert_eq!(record.status(), RunStatus::Timeout);
    assert_eq!(failure(&record), "The step took longer than 500ms");
    assert_eq!(stdout(&record), "a\n");
    let spec = steps(&id, &[("true", json!({"shell": "bash"}))]);
    let record = docker.project.run(spec).await;
    assert_eq!(failure(&record), "The shell `bash` is not installed");
    let spec = steps(&id, &[("true", json!({"cwd": "none"}))]);
    let record = docker.project.run(spec).await;
    assert_eq!(failure(&record), "cwd: `none` does not exist");
    assert_eq!(docker.containers(&id), "");
}

#[tokio::test]
async fn an_image_that_is_missing_is_named() {
    let Some(mut docker) = Docker::new() else {
        return;
    };
    docker.project.options.docker.image = Some("nowhere.invalid/none:1".to_owned());
    let record = docker
        .project
        .run(steps("image", &[("true", json!({}))]))
        .await;
    assert_eq!(record.status(), RunStatus::Failed);
    assert!(
        failure(&record).contains("nowhere.invalid/none"),
        "{}",
        failure(&record)
    );
    let probed = docker
        .project
        .engine()
        .probe(record.runtime())
        .await
        .unwrap();
    assert!(probed.unwrap().contains("is pulled by the first run"));
}

#[tokio::test]
async fn cancelling_stops_the_container() {
    let Some(docker) = Docker::new() else { return };
    let id = unique("cancel");
    let spec = steps(
        &id,
        &[("echo up; sleep 1000", json!({})), ("true", json!({}))],
    );
    let (record, spec) = created(spec);
    let cancel = CancellationToken::new();
    let observer = Arc::new(RecordingObserver {
        cancel_at: Some(("up", cancel.clone())),
        ..RecordingObserver::default()
    });
    let engine = docker.project.engine();
    let record = engine
        .execute(record, &spec, observer, &cancel)
        .await
        .unwrap();
    assert_eq!(record.status(), RunStatus::Cancelled);
    assert_eq!(statuses(&record), ["failed", "skipped"]);
    assert_eq!(stdout(&record), "up\n");
    assert_eq!(docker.containers(&id), "");
}

/// The last record that was stored of a run whose server is killed once `output` appears.
async fn killed_at(docker: &Docker, spec: &Json, output: &'static str) -> RunRecord {
    let (record, spec) = created(spec.clone());
    let observer = Arc::new(RecordingObserver::default());
    let (engine, seen) = (docker.project.engine(), Arc::clone(&observer));
    let cancel = CancellationToken::new();
    let server = tokio::spawn(async move { engine.execute(record, &spec, seen, &cancel).await });
    until("the output", || {
        contains(&observer.output.lock().unwrap(), output)
    })
    .await;
    server.abort();
    let _ = server.await;
    let changes = observer.changes.lock().unwrap();
    changes.last().unwrap().1.clone()
}

#[tokio::test]
async fn a_killed_server_finds_its_container_again() {
    let Some(docker) = Docker::new() else { return };
    let id = unique("resume");
    let spec = steps(
        &id,
        &[
            ("echo begun >> starts; echo first", json!({})),
            (
                "echo second; while [ ! -f go ]; do sleep 0.1; done; echo gone on",
                json!({}),
            ),
        ],
    );
    let record = killed_at(&docker, &spec, "second").await;
    assert_eq!(statuses(&record), ["success", "running"]);
    docker.project.write("go", "");
    let (_, parsed) = created(spec);
    let engine = docker.project.engine();
    // Once as it was on record, and once as if the id had not reached the record.
    let mut forgotten = serde_json::to_value(&record).unwrap();
    forgotten["external"].as_object_mut().unwrap().remove("id");
    for record in [serde_json::from_value(forgotten).unwrap(), record] {
        let cancel = CancellationToken::new();
        let resumed = engine.resume(record, &parsed, Arc::new(()), &cancel).await;
        let resumed = resumed.unwrap();
        assert_eq!(
            resumed.status(),
            RunStatus::Success,
            "{:?}",
            resumed.failure()
        );
        let second = resumed.steps()[1].stdout.as_deref();
        assert_eq!(second, Some("second\ngone on\n"));
        if docker.containers(&id).is_empty() {
            break;
        }
    }
    let starts = std::fs::read_to_string(docker.project.root.join("starts")).unwrap();
    assert_eq!(starts, "begun\n", "nothing is started twice");
    assert_eq!(docker.containers(&id), "");
}
