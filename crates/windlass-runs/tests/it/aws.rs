//! The runtimes `ecs-task` and `ssm`, against a server that executes what it is given and checks
//! signatures, requests and answers by the services' own descriptions.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};
use windlass_runs::CancellationToken;
use windlass_runs::hosts::{AwsOptions, Backoff, EcsOptions, EcsTask, Ssm, SsmOptions};
use windlass_runs::record::{RunRecord, RunStatus};
use windlass_runs::script::Transfer;

use crate::script::{essence, playbooks};
use crate::standin::StandIn;
use crate::{
    Project, RecordingObserver, TOKEN, contains, created, failure, one, statuses, stdout, until,
};

pub struct Aws {
    pub project: Project,
    pub server: StandIn,
}

impl Aws {
    pub fn new() -> Option<Self> {
        Self::with(|_, _| {})
    }

    pub fn with(change: impl FnOnce(&mut EcsOptions, &mut SsmOptions)) -> Option<Self> {
        let project = Project::new();
        let server = StandIn::aws(&project.root, TOKEN)?;
        let address = server.address();
        Some(Self::of(project, server, &address, change))
    }

    /// A project whose AWS has this address.
    pub fn of(
        mut project: Project,
        server: StandIn,
        address: &str,
        change: impl FnOnce(&mut EcsOptions, &mut SsmOptions),
    ) -> Self {
        let root = project.root.to_string_lossy().into_owned();
        let aws = AwsOptions {
            region: Some("eu-central-1".to_owned()),
            endpoint: Some(address.to_owned()),
            variables: [
                ("AWS_ACCESS_KEY_ID", "test"),
                ("AWS_SECRET_ACCESS_KEY", "secret-of-the-test"),
            ]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
            backoff: Backoff {
                first: Duration::from_millis(5),
                ..Backoff::default()
            },
        };
        let mut ecs = EcsOptions {
            aws: aws.clone(),
            cluster: Some("builds".to_owned()),
            task_definition: Some("windlass-run".to_owned()),
            container: Some("main".to_owned()),
            launch_type: Some("FARGATE".to_owned()),
            subnets: vec!["subnet-1".to_owned()],
            poll: Duration::from_millis(20),
            start_within: Duration::from_secs(20),
            max_parallel: 200,
            transfer: Transfer::default(),
            ..EcsOptions::default()
        };
        let mut ssm = SsmOptions {
            aws,
            target: Some("tag:Role=build".to_owned()),
            log_group: Some("/windlass".to_owned()),
            workspace: Some(root),
            poll: Duration::from_millis(20),
            start_within: Duration::from_secs(20),
            max_parallel: 200,
            transfer: Transfer::default(),
            ..SsmOptions::default()
        };
        change(&mut ecs, &mut ssm);
        project.options.hosts.push(Arc::new(EcsTask::new(ecs)));
        project.options.hosts.push(Arc::new(Ssm::new(ssm)));
        Self { project, server }
    }

    pub fn has_no_violations(&self) -> Json {
        let seen = self.server.seen();
        assert_eq!(seen["violations"], json!([]));
        seen
    }
}

pub fn on(runtime: &str, mut spec: Json) -> Json {
    spec["runtime"] = json!(runtime);
    spec
}

pub fn sh(runtime: &str, command: &str) -> Json {
    on(runtime, one(command, json!({"shell": "sh"})))
}

pub const BOTH: [&str; 2] = ["ecs-task", "ssm"];

#[tokio::test]
async fn the_records_equal_those_of_local_runs() {
    let Some(aws) = Aws::new() else { return };
    for spec in playbooks() {
        let here = Project::new().run(spec.clone()).await;
        for runtime in BOTH {
            let observer = Arc::new(RecordingObserver::default());
            let there = aws
                .project
                .observed(on(runtime, spec.clone()), observer.clone())
                .await;
            assert_eq!(essence(&there), essence(&here), "{runtime}");
            let states: Vec<String> = observer
                .changes
                .lock()
                .unwrap()
                .iter()
                .filter_map(|(_, record)| record.external()?.state.clone())
                .collect();
            let first = if runtime == "ssm" {
                "Pending"
            } else {
                "PROVISIONING"
            };
            assert_eq!(states.first().map(String::as_str), Some(first));
        }
    }
    aws.has_no_violations();
}

#[tokio::test]
async fn throttling_and_errors_are_waited_for() {
    let Some(aws) = Aws::new() else { return };
    for runtime in BOTH {
        aws.server.control(&json!({"throttle": 3, "errors": 3}));
        let record = aws.project.run(sh(runtime, "echo through")).await;
        assert_eq!(
            stdout(&record),
            "through\n",
            "{runtime}: {:?}",
            record.failure()
        );
    }
}

#[tokio::test]
async fn cancelling_stops_what_runs_there() {
    let Some(aws) = Aws::new() else { return };
    for runtime in BOTH {
        let (record, spec) = created(sh(runtime, "echo up; sleep 1000"));
        let cancel = CancellationToken::new();
        let observer = Arc::new(RecordingObserver {
            cancel_at: Some(("up", cancel.clone())),
            ..RecordingObserver::default()
        });
        let engine = aws.project.engine();
        let record = engine
            .execute(record, &spec, observer, &cancel)
            .await
            .unwrap();
        assert_eq!(record.status(), RunStatus::Cancelled);
        assert_eq!(
            (statuses(&record), stdout(&record)),
            (vec!["failed"], "up\n")
        );
    }
    aws.has_no_violations();
}

#[tokio::test]
async fn a_task_that_never_starts_or_is_killed_says_why() {
    let change = |ecs: &mut EcsOptions, _: &mut SsmOptions| {
        ecs.start_within = Duration::from_millis(300);
    };
    let Some(aws) = Aws::with(change) else { return };
    aws.server.control(&json!({"never_start": true}));
    let record = aws.project.run(sh("ecs-task", "true")).await;
    let expected = "The run did not begin within 300ms; its last state: PROVISIONING";
    assert_eq!(failure(&record), expected);
    let Some(aws) = Aws::new() else { return };
    aws.server.control(&json!({"kill_task": true}));
    let record = aws
        .project
        .run(sh("ecs-task", "echo before; sleep 1000"))
        .await;
    assert!(
        failure(&record).contains("OutOfMemoryError"),
        "{}",
        failure(&record)
    );
    assert!(
        failure(&record).contains("exit code"),
        "{}",
        failure(&record)
    );
}

#[tokio::test]
async fn what_does_not_fit_is_refused_before_anything_starts() {
    let Some(aws) = Aws::new() else { return };
    // It cannot be compressed.
    let long: String = (0..400).map(|_| uuid::Uuid::new_v4().to_string()).collect();
    let record = aws
        .project
        .run(sh("ecs-task", &format!("echo {long}")))
        .await;
    assert!(
        failure(&record).contains("takes at most 7900"),
        "{}",
        failure(&record)
    );
    assert_eq!(aws.server.seen()["tasks"], 0);
}

#[tokio::test]
async fn without_a_log_group_a_long_output_says_what_to_set() {
    let Some(aws) = Aws::with(|_, ssm| ssm.log_group = None) else {
        return;
    };
    let record = aws.project.run(sh("ssm", "echo short")).await;
    assert_eq!(stdout(&record), "short\n");
    let record = aws.project.run(sh("ssm", "seq 1 20000")).await;
    assert!(
        failure(&record).contains("set log_group"),
        "{}",
        failure(&record)
    );
}

#[tokio::test]
async fn wrong_credentials_and_settings_are_explained() {
    let Some(aws) = Aws::with(|ecs, _| {
        ecs.aws.variables[1].1 = "wrong".to_owned();
    }) else {
        return;
    };
    let record = aws.project.run(sh("ecs-task", "true")).await;
    assert!(
        failure(&record).contains("InvalidSignatureException"),
        "{}",
        failure(&record)
    );
    let hint = record.failure().unwrap().hint.clone().unwrap();
    assert!(hint.contains("AWS_ACCESS_KEY_ID"), "{hint}");
    let Some(aws) = Aws::with(|ecs, ssm| {
        ecs.task_definition = None;
        ssm.workspace = None;
    }) else {
        return;
    };
    for (runtime, problem) in [
        ("ecs-task", "no task_definition is set"),
        ("ssm", "no workspace is set"),
    ] {
        let (_, spec) = created(sh(runtime, "true"));
        let unavailable = aws.project.engine().check(&spec).unwrap_err();
        assert_eq!(
            unavailable.message,
            format!("Runtime {runtime} not supported: {problem}")
        );
        assert!(unavailable.hint.contains(&format!("[runtimes.{runtime}]")));
    }
}

#[tokio::test]
async fn both_answer_a_harmless_request() {
    let Some(aws) = Aws::new() else { return };
    let engine = aws.project.engine();
    for (runtime, expected) in [
        (
            "ecs-task",
            "the task definition has the container main, which logs to /windlass",
        ),
        ("ssm", "i-0000000000000000b is managed, and Online"),
    ] {
        let (_, spec) = created(sh(runtime, "true"));
        let seen = engine.probe(spec.runtime).await.unwrap();
        assert_eq!(seen.as_deref(), Some(expected));
    }
    aws.has_no_violations();
}

/// The last record that was stored of a run whose server is killed once `condition` holds.
pub async fn killed(
    aws: &Aws,
    spec: &Json,
    condition: impl Fn(&RecordingObserver) -> bool,
) -> RunRecord {
    let (record, spec) = created(spec.clone());
    let observer = Arc::new(RecordingObserver::default());
    let (engine, seen) = (aws.project.engine(), Arc::clone(&observer));
    let cancel = CancellationToken::new();
    let server = tokio::spawn(async move { engine.execute(record, &spec, seen, &cancel).await });
    until("the moment", || condition(&observer)).await;
    server.abort();
    let _ = server.await;
    let changes = observer.changes.lock().unwrap();
    changes.last().unwrap().1.clone()
}

#[tokio::test]
async fn a_killed_server_finds_its_runs_again() {
    for runtime in BOTH {
        let Some(aws) = Aws::new() else { return };
        let command =
            "echo begun >> starts; echo up; while [ ! -f go ]; do sleep 0.05; done; echo end";
        let spec = sh(runtime, command);
        let record = killed(&aws, &spec, |observer| {
            contains(&observer.output.lock().unwrap(), "up")
        })
        .await;
        // Killed in the middle, and again between the start and the record of its id.
        let mut forgotten = serde_json::to_value(&record).unwrap();
        forgotten["external"].as_object_mut().unwrap().remove("id");
        let (_, parsed) = created(spec);
        let forgotten: RunRecord = serde_json::from_value(forgotten).unwrap();
        aws.project.write("go", "");
        for record in [forgotten, record] {
            let (engine, cancel) = (aws.project.engine(), CancellationToken::new());
            let resumed = engine
                .resume(record.clone(), &parsed, Arc::new(()), &cancel)
                .await;
            let resumed = resumed.unwrap();
            assert_eq!(
                resumed.status(),
                RunStatus::Success,
                "{:?}",
                resumed.failure()
            );
            assert_eq!(stdout(&resumed), "up\nend\n");
        }
        let starts = std::fs::read_to_string(aws.project.root.join("starts")).unwrap();
        assert_eq!(starts, "begun\n", "nothing is started twice");
        let seen = aws.has_no_violations();
        let started = seen["tasks"].as_u64().unwrap() + seen["commands"].as_u64().unwrap();
        assert_eq!(started, 1, "{runtime}");
    }
}

#[tokio::test]
async fn a_run_that_was_never_sent_is_not_sent_by_guess() {
    let Some(aws) = Aws::new() else { return };
    let record = killed(&aws, &sh("ssm", "true"), |it| {
        !it.changes.lock().unwrap().is_empty()
    })
    .await;
    let mut lost = serde_json::to_value(&record).unwrap();
    lost["external"]["token"] = json!("never");
    lost["external"].as_object_mut().unwrap().remove("id");
    lost["status"] = json!("running");
    for name in ["completedAt", "durationMs"] {
        lost.as_object_mut().unwrap().remove(name);
    }
    let (_, spec) = created(sh("ssm", "true"));
    let lost = serde_json::from_value(lost).unwrap();
    let cancel = CancellationToken::new();
    let ended = aws
        .project
        .engine()
        .resume(lost, &spec, Arc::new(()), &cancel)
        .await;
    assert!(failure(&ended.unwrap()).starts_with("interrupted: "));
}

/// The memory of this process, in kilobytes.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Executes so many runs at once, and returns how many requests each took.
#[expect(clippy::print_stderr, reason = "tells a person the numbers")]
async fn many(count: usize, at_once: usize) -> u64 {
    let change = |ecs: &mut EcsOptions, _: &mut SsmOptions| {
        ecs.max_parallel = at_once;
        ecs.start_within = Duration::from_mins(10);
        ecs.poll = Duration::from_millis(500);
    };
    let Some(aws) = Aws::with(change) else {
        return 0;
    };
    let (engine, before, begin) = (aws.project.engine(), memory(), std::time::Instant::now());
    let runs: Vec<_> = (0..count)
        .map(|index| {
            let (engine, command) = (engine.clone(), format!("echo {index}; sleep 0.2"));
            let (record, spec) = created(sh("ecs-task", &command));
            tokio::spawn(async move {
                let cancel = CancellationToken::new();
                engine
                    .execute(record, &spec, Arc::new(()), &cancel)
                    .await
                    .unwrap()
            })
        })
        .collect();
    for (index, run) in runs.into_iter().enumerate() {
        let record = run.await.unwrap();
        assert_eq!(
            record.status(),
            RunStatus::Success,
            "{:?}",
            record.failure()
        );
        assert_eq!(stdout(&record), format!("{index}\n"));
    }
    let seen = aws.has_no_violations();
    assert_eq!(seen["tasks"], count);
    assert!(
        seen["most_tasks"].as_u64().unwrap() <= at_once as u64,
        "{seen}"
    );
    let grown = memory().saturating_sub(before);
    assert!(grown < 50_000, "{grown} kB more");
    let calls: u64 = seen["calls"]
        .as_object()
        .unwrap()
        .values()
        .filter_map(Json::as_u64)
        .sum();
    let each = calls / count as u64;
    let took = begin.elapsed();
    eprintln!("{count} runs, {at_once} at once: {took:?}, {grown} kB more, {each} requests each");
    each
}

#[tokio::test(flavor = "multi_thread")]
async fn many_runs_stay_within_their_limit() {
    assert!(many(12, 4).await < 60);
}

/// For numbers: `cargo nextest run -p windlass-runs --run-ignored only two_hundred --no-capture`.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes a minute and is only of interest for its numbers"]
async fn two_hundred_runs_at_once() {
    many(200, 200).await;
}
