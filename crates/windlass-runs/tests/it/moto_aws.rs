//! The runtimes `ecs-task` and `ssm` against moto, which keeps what it is given as AWS does. What it
//! lacks (it executes nothing) is added in `moto_aws.py`; states that it does not have are in `aws.rs`.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::json;
use windlass_runs::CancellationToken;
use windlass_runs::hosts::{EcsOptions, SsmOptions};
use windlass_runs::record::RunStatus;

use crate::aws::{Aws, BOTH, killed, on, sh};
use crate::script::{essence, playbooks};
use crate::standin::StandIn;
use crate::{Project, RecordingObserver, TOKEN, contains, created, executable, moto, stdout};

/// A project whose AWS is moto.
fn with_moto(change: impl FnOnce(&mut SsmOptions)) -> Option<Aws> {
    let project = Project::new();
    let programs = project.root.with_file_name("programs");
    std::fs::create_dir(&programs).unwrap();
    let server = StandIn::moto(&project.root, TOKEN, &programs)?;
    let seen = server.seen();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let address = text(&seen["address"]);
    let settings = |ecs: &mut EcsOptions, ssm: &mut SsmOptions| {
        ecs.subnets = vec![text(&seen["subnet"])];
        ecs.security_groups = vec![text(&seen["group"])];
        ssm.target = Some(text(&seen["machines"][0]));
        change(ssm);
    };
    Some(Aws::of(project, server, &address, settings))
}

#[tokio::test]
async fn the_records_equal_those_of_local_runs() {
    let Some(aws) = with_moto(|_| {}) else { return };
    for spec in playbooks() {
        let here = Project::new().run(spec.clone()).await;
        for runtime in BOTH {
            let there = aws.project.run(on(runtime, spec.clone())).await;
            assert_eq!(essence(&there), essence(&here), "{runtime}");
        }
    }
}

#[tokio::test]
async fn what_runs_there_is_cancelled() {
    let Some(aws) = with_moto(|_| {}) else { return };
    for runtime in BOTH {
        let (record, spec) = created(sh(runtime, "echo up; sleep 1000"));
        let cancel = CancellationToken::new();
        let observer = Arc::new(RecordingObserver {
            cancel_at: Some(("up", cancel.clone())),
            ..RecordingObserver::default()
        });
        let engine = aws.project.engine();
        let ended = engine.execute(record, &spec, observer, &cancel).await;
        assert_eq!(ended.unwrap().status(), RunStatus::Cancelled, "{runtime}");
    }
}

#[tokio::test]
async fn runs_are_found_again() {
    let Some(aws) = with_moto(|_| {}) else { return };
    for runtime in BOTH {
        let marks = format!("starts-{runtime}");
        let spec = sh(
            runtime,
            &format!(
                "echo begun >> {marks}; echo up; while [ ! -f go-{runtime} ]; do sleep 0.05; done; echo end"
            ),
        );
        let record = killed(&aws, &spec, |observer| {
            contains(&observer.output.lock().unwrap(), "up")
        })
        .await;
        let mut forgotten = serde_json::to_value(&record).unwrap();
        forgotten["external"].as_object_mut().unwrap().remove("id");
        aws.project.write(&format!("go-{runtime}"), "");
        let (_, parsed) = created(spec);
        let (engine, cancel) = (aws.project.engine(), CancellationToken::new());
        let forgotten = serde_json::from_value(forgotten).unwrap();
        let resumed = engine.resume(forgotten, &parsed, Arc::new(()), &cancel);
        let resumed = resumed.await.unwrap();
        assert_eq!(stdout(&resumed), "up\nend\n", "{:?}", resumed.failure());
        assert_eq!(
            resumed.external().unwrap().id,
            record.external().unwrap().id
        );
        let starts = std::fs::read_to_string(aws.project.root.join(marks)).unwrap();
        assert_eq!(starts, "begun\n", "{runtime}");
    }
}

/// The command line of AWS, installed once.
fn aws_command_line() -> Option<PathBuf> {
    moto::install("awscli", &["awscli==1.45.11"])
}

#[tokio::test]
async fn a_machine_reads_secrets_from_parameters_itself() {
    let Some(packages) = aws_command_line() else {
        return;
    };
    let path = |ssm: &mut SsmOptions| ssm.parameters = Some("/project".to_owned());
    let Some(aws) = with_moto(path) else { return };
    let script = format!(
        "#!/bin/sh\nPYTHONPATH='{}' exec python3 -m awscli \"$@\"\n",
        packages.display()
    );
    let programs = aws.project.root.with_file_name("programs");
    executable(&programs.join("aws"), &script);
    // Nothing but the parameter has the value.
    let command = "echo \"is $T\"; printf %s \"$T\" | wc -c; env | grep -c '^TOKEN=' || true";
    let mut spec = sh("ssm", &format!("unset TOKEN; {command}"));
    spec["envRefs"] = json!({"T": "env:TOKEN"});
    let record = aws.project.run(spec).await;
    let expected = format!("is ***\n{}\n0\n", TOKEN.len());
    assert_eq!(stdout(&record), expected, "{:?}", record.failure());
    let said = serde_json::to_string(&record).unwrap();
    assert!(!said.contains(TOKEN));
    let mut spec = sh("ssm", "true");
    spec["envRefs"] = json!({"T": "env:NOT_THERE"});
    let record = aws.project.run(spec).await;
    let expected = "envRefs.T: the variable that it refers to is not set there";
    assert_eq!(crate::failure(&record), expected);
}
