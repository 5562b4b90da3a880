//! Secrets of runs that are executed elsewhere: in no request, no log, no record and no list of
//! processes.

use std::sync::Arc;

use serde_json::json;
use windlass_runs::CancellationToken;

use crate::aws::{Aws, BOTH};
use crate::github::Github;
use crate::standin::StandIn;
use crate::{Project, RecordingObserver, TOKEN, aws, contains, created, github, is_running, until};

async fn leaks_nothing(runtime: &str, project: &Project, server: &StandIn) {
    let outside = project.root.parent().unwrap();
    let command = format!(
        "echo \"is $T\"; echo \"is $T\" >&2; touch '{0}/up-{runtime}'; \
         while [ ! -f '{0}/go' ]; do sleep 0.05; done",
        outside.display()
    );
    let mut spec = aws::sh(runtime, &command);
    spec["envRefs"] = json!({"T": "env:TOKEN"});
    let (record, spec) = created(spec);
    let observer = Arc::new(RecordingObserver::default());
    let (engine, cancel) = (project.engine(), CancellationToken::new());
    let (record, ()) = tokio::join!(
        engine.execute(record, &spec, observer.clone(), &cancel),
        async {
            let up = outside.join(format!("up-{runtime}"));
            until("the step", || up.exists()).await;
            assert!(!is_running(TOKEN), "{runtime}: in the list of processes");
            std::fs::write(outside.join("go"), "").unwrap();
        }
    );
    let record = record.unwrap();
    assert_eq!(crate::stdout(&record), "is ***\n", "{:?}", record.failure());
    for (_, record) in observer.changes.lock().unwrap().iter() {
        let text = serde_json::to_string(record).unwrap();
        assert!(!text.contains(TOKEN), "{runtime}: {text}");
    }
    assert!(!contains(&observer.output.lock().unwrap(), TOKEN));
    let texts = server.texts();
    assert!(texts.contains("w1:"), "the log is there");
    assert!(!texts.contains(TOKEN), "{runtime}: in a request or a log");
    for (path, content) in project.files() {
        assert!(!contains(&content, TOKEN), "{runtime}: {}", path.display());
    }
}

#[tokio::test]
async fn secrets_stay_where_they_are_on_aws() {
    for runtime in BOTH {
        let Some(aws) = Aws::new() else { return };
        leaks_nothing(runtime, &aws.project, &aws.server).await;
    }
}

#[tokio::test]
async fn secrets_stay_where_they_are_on_github() {
    let Some(github) = Github::new() else { return };
    leaks_nothing("github-runner", &github.project, &github.server).await;
}

#[tokio::test]
async fn what_a_killed_stand_in_started_ends_with_it() {
    let Some(github) = Github::new() else { return };
    let mark = format!("1001.{}", std::process::id());
    let (record, spec) = created(github::sh(&format!("sleep {mark}")));
    let engine = github.project.engine();
    let cancel = CancellationToken::new();
    let run =
        tokio::spawn(async move { engine.execute(record, &spec, Arc::new(()), &cancel).await });
    until("the step", || is_running(&mark)).await;
    let id = github.server.id().to_string();
    let kill = std::process::Command::new("kill")
        .args(["-KILL", &id])
        .status();
    assert!(kill.unwrap().success());
    until("its end", || !is_running(&mark)).await;
    run.abort();
}
