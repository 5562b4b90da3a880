//! The artifacts of a run.

use serde_json::json;
use windlass_runs::Stream;
use windlass_runs::record::{ArtifactKind, RunStatus};

use crate::{Project, local, one};

#[tokio::test]
async fn outputs_and_files_are_stored_with_checksums() {
    let project = Project::new();
    project.write("web/x", "");
    let command = "mkdir -p dist/deep; printf hello > dist/a.txt; printf b > dist/deep/b; echo out";
    let spec = one(
        command,
        json!({"cwd": "web", "artifacts": ["dist/**/*", "none/*"]}),
    );
    let record = project.run(spec).await;
    let engine = project.engine();
    let mut seen = Vec::new();
    for artifact in &record.steps()[0].artifacts {
        let content = match &artifact.key {
            Some(key) => engine.artifacts().read(key, 0..100).await.unwrap(),
            None => "-".into(),
        };
        let content = String::from_utf8(content.to_vec()).unwrap();
        let why = artifact.skipped.clone().unwrap_or_default();
        seen.push((artifact.kind, artifact.name.clone(), content, why));
    }
    let expected = [
        (ArtifactKind::Log, "stdout.log", "out\n", ""),
        (ArtifactKind::File, "web/dist/a.txt", "hello", ""),
        (ArtifactKind::File, "web/dist/deep/b", "b", ""),
        (ArtifactKind::File, "none/*", "-", "nothing matches"),
    ]
    .map(|(kind, name, content, why)| (kind, name.to_owned(), content.to_owned(), why.to_owned()));
    assert_eq!(seen, expected);
    let hello = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
    let file = &record.steps()[0].artifacts[1];
    assert_eq!((file.bytes, file.sha256.as_deref()), (Some(5), Some(hello)));
    let listed = engine.artifacts().list(record.run_id()).await.unwrap();
    assert_eq!(listed.len(), 3);
}

#[tokio::test]
async fn files_that_are_too_large_are_skipped_with_a_reason() {
    let mut project = Project::new();
    project.options.artifact_limits.file_bytes = 1000;
    project.options.artifact_limits.run_bytes = 1500;
    let command =
        "head -c 1001 /dev/zero > a; head -c 900 /dev/zero > b; head -c 900 /dev/zero > c";
    let record = project.run(one(command, json!({"artifacts": ["*"]}))).await;
    assert_eq!(record.status(), RunStatus::Success);
    let skipped: Vec<_> = record.steps()[0]
        .artifacts
        .iter()
        .map(|artifact| {
            (
                &*artifact.name,
                artifact.skipped.as_deref().unwrap_or("stored"),
            )
        })
        .collect();
    let expected = [
        ("a", "has 1001 bytes, and at most 1000 can be stored"),
        ("b", "stored"),
        ("c", "has 900 bytes, and at most 600 can be stored"),
    ];
    assert_eq!(skipped, expected);
}

#[tokio::test]
async fn files_of_failed_steps_are_stored_too() {
    let project = Project::new();
    let record = project
        .run(one("echo x > log; exit 1", json!({"artifacts": ["log"]})))
        .await;
    assert_eq!(record.status(), RunStatus::Failed);
    assert_eq!(record.steps()[0].artifacts[0].name, "log");
    let record = project
        .run(one(
            "echo x > late; sleep 30",
            json!({"artifacts": ["late"], "timeoutSec": 0.3}),
        ))
        .await;
    assert_eq!(record.steps()[0].artifacts[0].bytes, Some(2));
}

#[tokio::test]
async fn outputs_are_read_by_cursor_while_a_step_runs_and_later() {
    let project = Project::new();
    let command = "echo first; until [ -e go ]; do sleep 0.01; done; echo second";
    let mut spec = local(&[command]);
    spec["runId"] = json!("a/strange id");
    let engine = project.engine();
    let (record, spec) = crate::created(spec);
    let running = tokio::spawn({
        let engine = engine.clone();
        async move {
            let cancel = windlass_runs::CancellationToken::new();
            engine
                .execute(record, &spec, std::sync::Arc::new(()), &cancel)
                .await
        }
    });
    let read = |offset, most| engine.read_output("a/strange id", 0, Stream::Stdout, offset, most);
    let page = loop {
        let page = read(0, 100).await.unwrap();
        if !page.bytes.is_empty() {
            break page;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(
        (&page.bytes[..], page.next, page.is_live),
        (&b"first\n"[..], 6, true)
    );
    project.write("go", "");
    running.await.unwrap().unwrap();
    let page = read(page.next, 3).await.unwrap();
    assert_eq!(
        (&page.bytes[..], page.next, page.is_live),
        (&b"sec"[..], 9, false)
    );
    let page = read(page.next, 100).await.unwrap();
    assert_eq!(page.bytes, b"ond\n");
    assert!(read(page.next, 100).await.unwrap().bytes.is_empty());
    let nothing = engine
        .read_output("a/strange id", 0, Stream::Stderr, 0, 9)
        .await
        .unwrap();
    assert!(nothing.bytes.is_empty());
    assert_eq!(
        std::fs::read_dir(&project.options.scratch).unwrap().count(),
        0
    );
}

#[tokio::test]
async fn the_output_of_an_interrupted_step_is_stored() {
    let project = Project::new();
    let mut spec = local(&["x", "y"]);
    spec["runId"] = json!("r-1");
    let record = crate::interrupted(spec);
    let spool = project.options.scratch.join("r-1");
    std::fs::create_dir_all(&spool).unwrap();
    std::fs::write(spool.join("0-stdout.log"), "so far\n").unwrap();
    let engine = project.engine();
    let record = engine.recover(record, "the server ended").await.unwrap();
    assert_eq!(record.status(), RunStatus::Failed);
    assert_eq!(crate::failure(&record), "interrupted: the server ended");
    assert_eq!(crate::statuses(&record), ["failed", "skipped"]);
    assert_eq!(crate::stdout(&record), "so far\n");
    let page = engine
        .read_output("r-1", 0, Stream::Stdout, 0, 100)
        .await
        .unwrap();
    assert_eq!((&page.bytes[..], page.is_live), (&b"so far\n"[..], false));
    assert!(!spool.exists());
    assert!(engine.recover(record, "again").await.is_err());
}
