//! The runtime `github-runner`, against a server that executes workflows with act and checks requests
//! and answers by GitHub's own description.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};
use windlass_runs::CancellationToken;
use windlass_runs::hosts::{Backoff, GithubOptions, GithubRunner, TokenSource, Workflow};
use windlass_runs::record::{RunRecord, RunStatus};
use windlass_runs::script::Transfer;

use crate::script::{essence, playbooks};
use crate::standin::StandIn;
use crate::{Project, RecordingObserver, TOKEN, created, failure, one, stdout, until};

pub struct Github {
    pub project: Project,
    pub server: StandIn,
}

impl Github {
    pub fn new() -> Option<Self> {
        Self::with(|_| {})
    }

    pub fn with(change: impl FnOnce(&mut GithubOptions)) -> Option<Self> {
        let mut project = Project::new();
        let workflow = Workflow {
            secrets: vec!["TOKEN".to_owned()],
            ..Workflow::default()
        };
        let server = StandIn::github(&project.root, &workflow.text(), TOKEN)?;
        let mut options = GithubOptions {
            api: server.address(),
            repository: Some("o/r".to_owned()),
            workflow: "windlass-run.yml".to_owned(),
            git_ref: None,
            token: TokenSource {
                reference: Some("env:GITHUB_TOKEN".to_owned()),
                host: "github.com".to_owned(),
                lookup: Arc::new(|name| (name == "GITHUB_TOKEN").then(|| "of-the-test".into())),
            },
            transfer: Transfer::default(),
            poll: Duration::from_millis(50),
            start_within: Duration::from_secs(30),
            appear_within: Duration::from_secs(10),
            max_parallel: 20,
            backoff: Backoff {
                first: Duration::from_millis(5),
                ..Backoff::default()
            },
        };
        change(&mut options);
        project
            .options
            .hosts
            .push(Arc::new(GithubRunner::new(options)));
        Some(Self { project, server })
    }

    pub fn outside(&self) -> PathBuf {
        self.project.root.parent().unwrap().to_owned()
    }

    pub fn has_no_violations(&self) -> Json {
        let seen = self.server.seen();
        assert_eq!(seen["violations"], json!([]));
        seen
    }
}

pub fn on_github(mut spec: Json) -> Json {
    spec["runtime"] = json!("github-runner");
    spec
}

pub fn sh(command: &str) -> Json {
    on_github(one(command, json!({"shell": "sh"})))
}

#[tokio::test]
async fn the_records_equal_those_of_local_runs() {
    let Some(github) = Github::new() else { return };
    for spec in playbooks() {
        let here = Project::new().run(spec.clone()).await;
        let there = github.project.run(on_github(spec)).await;
        assert_eq!(essence(&there), essence(&here));
        let external = there.external().unwrap();
        assert!(external.url.as_deref().unwrap().contains("/actions/runs/"));
    }
    let seen = github.has_no_violations();
    assert_eq!(seen["runs"], 3);
}

#[tokio::test]
async fn errors_and_limits_are_waited_for() {
    let Some(github) = Github::new() else { return };
    github
        .server
        .control(&json!({"errors": 3, "limited": 1, "secondary": 1}));
    let record = github.project.run(sh("echo through")).await;
    assert_eq!(stdout(&record), "through\n", "{:?}", record.failure());
    github.has_no_violations();
}

#[tokio::test]
async fn cancelling_cancels_the_workflow_run() {
    let Some(github) = Github::new() else { return };
    // A runner has a checkout of its own.
    let outside = github.outside();
    let (record, spec) = created(sh(&format!(
        "touch '{}/begun'; sleep 1000",
        outside.display()
    )));
    let cancel = CancellationToken::new();
    let engine = github.project.engine();
    let (record, ()) = tokio::join!(
        engine.execute(record, &spec, Arc::new(()), &cancel),
        async {
            until("the step", || outside.join("begun").exists()).await;
            cancel.cancel();
        }
    );
    assert_eq!(record.unwrap().status(), RunStatus::Cancelled);
    github.has_no_violations();
}

#[tokio::test]
async fn runs_that_never_start_or_have_no_log_say_so() {
    let change = |options: &mut GithubOptions| options.start_within = Duration::from_millis(500);
    let Some(github) = Github::with(change) else {
        return;
    };
    github.server.control(&json!({"never_start": true}));
    let record = github.project.run(sh("true")).await;
    let expected = "The run did not begin within 500ms; its last state: queued";
    assert_eq!(failure(&record), expected);
    let Some(github) = Github::new() else { return };
    github.server.control(&json!({"log_gone": true}));
    let record = github.project.run(sh("true")).await;
    let expected = "The script did not begin: the workflow ended with success, and its log is gone";
    assert_eq!(failure(&record), expected);
    let hides = |options: &mut GithubOptions| options.appear_within = Duration::from_millis(200);
    let Some(github) = Github::with(hides) else {
        return;
    };
    github.server.control(&json!({"hidden": true}));
    let record = github.project.run(sh("true")).await;
    assert!(
        failure(&record).contains("does not show it"),
        "{}",
        failure(&record)
    );
}

#[tokio::test]
async fn a_killed_server_finds_its_run_again() {
    let Some(github) = Github::new() else { return };
    let outside = github.outside();
    let spec = sh(&format!(
        "cd '{}'; echo begun >> starts; while [ ! -f go ]; do sleep 0.05; done; echo end",
        outside.display()
    ));
    let (record, parsed) = created(spec);
    let observer = Arc::new(RecordingObserver::default());
    let (engine, seen) = (github.project.engine(), Arc::clone(&observer));
    let (cancel, of_run) = (CancellationToken::new(), parsed.clone());
    let server = tokio::spawn(async move { engine.execute(record, &of_run, seen, &cancel).await });
    until("the step", || outside.join("starts").exists()).await;
    until("the id", || {
        let changes = observer.changes.lock().unwrap();
        changes
            .last()
            .is_some_and(|(_, it)| it.external().is_some_and(|it| it.id.is_some()))
    })
    .await;
    server.abort();
    let _ = server.await;
    let known = observer.changes.lock().unwrap().last().unwrap().1.clone();
    let mut forgotten = serde_json::to_value(&known).unwrap();
    forgotten["external"].as_object_mut().unwrap().remove("id");
    std::fs::write(outside.join("go"), "").unwrap();
    let forgotten: RunRecord = serde_json::from_value(forgotten).unwrap();
    for record in [forgotten, known] {
        let (engine, cancel) = (github.project.engine(), CancellationToken::new());
        let resumed = engine
            .resume(record, &parsed, Arc::new(()), &cancel)
            .await
            .unwrap();
        assert_eq!(
            resumed.status(),
            RunStatus::Success,
            "{:?}",
            resumed.failure()
        );
        assert_eq!(stdout(&resumed), "end\n");
    }
    let starts = std::fs::read_to_string(outside.join("starts")).unwrap();
    assert_eq!(starts, "begun\n", "nothing is started twice");
    assert_eq!(github.has_no_violations()["runs"], 1);
}

#[tokio::test]
async fn the_workflow_and_the_token_are_checked_by_a_harmless_request() {
    let Some(github) = Github::new() else { return };
    let (_, spec) = created(sh("true"));
    let seen = github.project.engine().probe(spec.runtime).await.unwrap();
    let expected = "the repository has .github/workflows/windlass-run.yml, which is active";
    assert_eq!(seen.as_deref(), Some(expected));
    let wrong = |options: &mut GithubOptions| {
        options.token.lookup = Arc::new(|_| Some("of-somebody".into()));
    };
    let Some(github) = Github::with(wrong) else {
        return;
    };
    let problem = github
        .project
        .engine()
        .probe(spec.runtime)
        .await
        .unwrap_err();
    assert!(problem.message.contains("401"), "{problem}");
    assert!(problem.hint.unwrap().contains("GITHUB_TOKEN"));
}
