//! Systems Manager with several machines: one run, and one outcome of all.

use std::sync::Arc;

use serde_json::json;
use windlass_runs::CancellationToken;
use windlass_runs::hosts::{EcsOptions, SsmOptions};
use windlass_runs::record::RunStatus;

use crate::aws::{Aws, killed, sh};
use crate::{RecordingObserver, contains, created, failure, statuses, stdout};

const B: &str = "i-0000000000000000b";
const C: &str = "i-0000000000000000c";

fn on_all() -> Option<Aws> {
    let all = |_: &mut EcsOptions, ssm: &mut SsmOptions| {
        ssm.target = None;
        ssm.targets = vec!["tag:Role=build".to_owned(), C.to_owned()];
    };
    Aws::with(all)
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

#[tokio::test]
async fn a_run_succeeds_if_it_does_on_all_machines() {
    let Some(aws) = on_all() else { return };
    let mut spec = sh("ssm", "echo on $MACHINE; echo $MACHINE > $MACHINE.txt");
    spec["steps"][0]["artifacts"] = json!(["*.txt"]);
    let record = aws.project.run(spec).await;
    assert_eq!(
        record.status(),
        RunStatus::Success,
        "{:?}",
        record.failure()
    );
    let expected = [format!("[{B}] on {B}"), format!("[{C}] on {C}")];
    assert_eq!(sorted(stdout(&record)), expected);
    let artifacts = record.steps()[0].artifacts.iter();
    let names: Vec<&str> = artifacts.map(|it| &*it.name).collect();
    for name in [format!("{B}/{B}.txt"), format!("{C}/{C}.txt")] {
        assert!(names.contains(&&*name), "{names:?}");
    }
    let id = record.external().unwrap().id.clone().unwrap();
    assert!(id.ends_with(&format!("/{B},{C}")), "{id}");
    assert_eq!(aws.has_no_violations()["commands"], 1);
}

#[tokio::test]
async fn a_step_that_fails_on_one_machine_fails_the_run() {
    let Some(aws) = on_all() else { return };
    let mut spec = sh("ssm", "echo on $MACHINE");
    let second = format!("[ $MACHINE != {C} ] || exit 9");
    for (name, command) in [("second", &*second), ("third", "echo third")] {
        let step = json!({"name": name, "shell": "sh", "command": command});
        spec["steps"].as_array_mut().unwrap().push(step);
    }
    let record = aws.project.run(spec).await;
    assert_eq!(statuses(&record), ["success", "failed", "skipped"]);
    let expected = format!("on {C} (1 of 2 machines): exitCode: expected 0, got 9");
    assert_eq!(failure(&record), expected);
    assert_eq!(record.steps()[1].exit_code, Some(9));
}

#[tokio::test]
async fn a_machine_that_is_lost_fails_the_run_and_is_named() {
    let Some(aws) = on_all() else { return };
    aws.server.control(&json!({"lose_machine": true}));
    let record = aws
        .project
        .run(sh("ssm", "echo on $MACHINE; sleep 0.5"))
        .await;
    assert_eq!(record.status(), RunStatus::Failed);
    let expected = format!("{C}: the command ended: DeliveryTimedOut");
    assert!(failure(&record).contains(&expected), "{}", failure(&record));
}

#[tokio::test]
async fn cancelling_reaches_every_machine() {
    let Some(aws) = on_all() else { return };
    let mark = format!("1000.{}", std::process::id());
    let (record, spec) = created(sh("ssm", &format!("echo up; sleep {mark}")));
    let cancel = CancellationToken::new();
    let observer = Arc::new(RecordingObserver {
        cancel_at: Some((C, cancel.clone())),
        ..RecordingObserver::default()
    });
    let engine = aws.project.engine();
    let record = engine.execute(record, &spec, observer, &cancel).await;
    assert_eq!(record.unwrap().status(), RunStatus::Cancelled);
    assert!(!crate::is_running(&mark));
}

#[tokio::test]
async fn all_machines_are_found_again() {
    let Some(aws) = on_all() else { return };
    let command = "echo up; while [ ! -f go ]; do sleep 0.05; done; echo end";
    let spec = sh("ssm", command);
    let record = killed(&aws, &spec, |observer| {
        let output = observer.output.lock().unwrap();
        contains(&output, B) && contains(&output, C)
    })
    .await;
    let mut forgotten = serde_json::to_value(&record).unwrap();
    forgotten["external"].as_object_mut().unwrap().remove("id");
    aws.project.write("go", "");
    let (_, parsed) = created(spec);
    let (engine, cancel) = (aws.project.engine(), CancellationToken::new());
    let forgotten = serde_json::from_value(forgotten).unwrap();
    let resumed = engine.resume(forgotten, &parsed, Arc::new(()), &cancel);
    let resumed = resumed.await.unwrap();
    assert_eq!(
        resumed.status(),
        RunStatus::Success,
        "{:?}",
        resumed.failure()
    );
    let lines = sorted(stdout(&resumed)).len();
    assert_eq!(lines, 4, "{}", stdout(&resumed));
    assert_eq!(aws.has_no_violations()["commands"], 1);
}
