//! Artifacts that are too large for a log: uploaded from elsewhere to the bucket, by addresses that were
//! signed here.

use serde_json::json;
use sha2::{Digest as _, Sha256};
use windlass_runs::artifacts::{ArtifactStore, Location};
use windlass_runs::record::RunRecord;
use windlass_runs::script::Transfer;

use crate::aws::{Aws, BOTH, on};
use crate::moto::Moto;
use crate::{TOKEN, contains, one};

/// A project whose artifacts are in a bucket, and whose logs take small files only.
fn with_bucket() -> Option<(Moto, Aws)> {
    let small = Transfer::Inline {
        file_bytes: 1000,
        run_bytes: 1500,
    };
    let moto = Moto::start()?;
    let mut aws = Aws::with(|ecs, ssm| {
        ecs.transfer = small.clone();
        ssm.transfer = small;
    })?;
    let location = Location::parse_url("s3://windlass-test/artifacts").unwrap();
    let location = location.with_options(moto.variables());
    aws.project.options.artifacts = ArtifactStore::open(&location).unwrap();
    Some((moto, aws))
}

/// Name, size, and why it is not there.
fn about(record: &RunRecord) -> Vec<(&str, Option<u64>, Option<&str>)> {
    let artifacts = record.steps()[0].artifacts.iter();
    artifacts
        .map(|it| (&*it.name, it.bytes, it.skipped.as_deref()))
        .collect()
}

#[tokio::test]
async fn large_files_are_uploaded_from_there() {
    let Some((_moto, aws)) = with_bucket() else {
        return;
    };
    let large: Vec<u8> = (0..3_000_000u32).flat_map(u32::to_le_bytes).collect();
    aws.project.write("given/large [1] {a,b} ü", &large);
    for runtime in BOTH {
        let command = "mkdir -p out; cp given/* out/; echo small > out/small; \
            { head -c 5000 /dev/zero; echo \"$T\"; } > out/secret; sleep 0.3";
        let spec = one(command, json!({"shell": "sh", "artifacts": ["out/*"]}));
        let mut spec = on(runtime, spec);
        spec["envRefs"] = json!({"T": "env:TOKEN"});
        let record = aws.project.run(spec).await;
        let name = "out/large [1] {a,b} ü";
        let expected = [
            (name, Some(12_000_000), None),
            ("out/secret", None, Some("contains a secret of the run")),
            ("out/small", Some(6), None),
        ];
        assert_eq!(about(&record), expected, "{:?}", record.failure());
        let uploaded = &record.steps()[0].artifacts[0];
        let digest = windlass_core::hexadecimal(&Sha256::digest(&large));
        assert_eq!(uploaded.sha256.as_deref(), Some(&*digest));
        let engine = aws.project.engine();
        let (store, key) = (engine.artifacts(), uploaded.key.as_deref().unwrap());
        assert_eq!(
            store.read(key, 11_999_996..u64::MAX).await.unwrap(),
            large[11_999_996..]
        );
        let stored = store.list(record.run_id()).await.unwrap();
        let stored: Vec<&str> = stored.iter().map(|it| &*it.key).collect();
        assert_eq!(stored.len(), 2, "uploads are removed: {stored:?}");
        let _ = std::fs::remove_dir_all(aws.project.root.join("out"));
    }
    let texts = aws.server.texts();
    assert!(!texts.contains(TOKEN));
    let logs = &texts[texts.find("\"logs\"").unwrap()..];
    assert!(!logs.contains("X-Amz-Signature"), "no address is in a log");
    aws.has_no_violations();
}

#[tokio::test]
async fn a_bucket_that_cannot_be_reached_from_there_is_named() {
    let Some((moto, aws)) = with_bucket() else {
        return;
    };
    // The step ends the server of the bucket before its files are sent.
    let command = format!(
        "head -c 5000 /dev/zero > large; kill {}; sleep 0.5",
        moto.id()
    );
    let spec = one(&command, json!({"shell": "sh", "artifacts": ["large"]}));
    let record = aws.project.run(on("ecs-task", spec)).await;
    let why = about(&record)[0].2.unwrap_or_default().to_owned();
    let expected = "has 5000 bytes, more than can be sent in the log; its upload failed with curl's \
        exit code 7";
    assert_eq!(why, expected, "{:?}", record.failure());
}

#[tokio::test]
async fn addresses_are_left_out_where_they_do_not_fit() {
    let Some((_moto, aws)) = with_bucket() else {
        return;
    };
    let long: String = (0..88).map(|_| uuid::Uuid::new_v4().to_string()).collect();
    let command = format!("head -c 5000 /dev/zero > large; : {long}");
    let spec = one(&command, json!({"shell": "sh", "artifacts": ["large"]}));
    let record = aws.project.run(on("ecs-task", spec)).await;
    let why = "has 5000 bytes, more than can be sent in the log";
    assert_eq!(
        about(&record),
        [("large", None, Some(why))],
        "{:?}",
        record.failure()
    );
    let started = aws.server.texts();
    assert!(!contains(started.as_bytes(), "X-Amz-Signature"));
}
