//! Artifacts in S3, against moto, a server that speaks S3.

use serde_json::json;
use windlass_runs::artifacts::{ArtifactStore, Location};
use windlass_runs::record::RunStatus;

use crate::moto::Moto;
use crate::{Project, one};

#[tokio::test]
async fn artifacts_are_stored_in_a_bucket() {
    let Some(moto) = Moto::start() else {
        return;
    };
    let location = Location::parse_url("s3://windlass-test/some/prefix").unwrap();
    let location = location.with_options(moto.variables());
    let mut project = Project::new();
    project.options.artifacts = ArtifactStore::open(&location).unwrap();
    // The larger file needs more than one part.
    let command = "echo out; printf 0123456789 > 'small ü.txt'; head -c 20000000 /dev/zero > large";
    let record = project.run(one(command, json!({"artifacts": ["*"]}))).await;
    assert_eq!(
        record.status(),
        RunStatus::Success,
        "{:?}",
        record.failure()
    );
    let artifacts = &record.steps()[0].artifacts;
    let sizes: Vec<_> = artifacts
        .iter()
        .map(|file| (&*file.name, file.bytes))
        .collect();
    let expected = [
        ("stdout.log", Some(4)),
        ("large", Some(20_000_000)),
        ("small ü.txt", Some(10)),
    ];
    assert_eq!(sizes, expected, "{artifacts:?}");

    let engine = project.engine();
    let store = engine.artifacts();
    let listed = store.list(record.run_id()).await.unwrap();
    let prefix = format!("some/prefix/{}/0/", record.run_id());
    assert_eq!(listed.len(), 3);
    assert!(
        listed.iter().all(|found| found.key.starts_with(&prefix)),
        "{listed:?}"
    );
    let small = artifacts[2].key.as_deref().unwrap();
    assert_eq!(store.read(small, 3..6).await.unwrap(), "345");
    assert_eq!(store.read(small, 8..100).await.unwrap(), "89");
    let foreign = store.read("other/object", 0..9).await.unwrap_err();
    assert_eq!(foreign.to_string(), "`other/object` is not an artifact key");
    store.remove_run(record.run_id()).await.unwrap();
    assert!(store.list(record.run_id()).await.unwrap().is_empty());
}
