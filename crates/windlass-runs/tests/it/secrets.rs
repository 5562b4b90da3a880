//! Secrets never appear in stored data.

use std::sync::Arc;

use serde_json::json;
use windlass_runs::record::RunStatus;

use crate::{Project, RecordingObserver, TOKEN, contains, failure, local, one, stdout};

#[tokio::test]
async fn secrets_never_appear_in_stored_data() {
    let project = Project::new();
    project.write(".windlass/key", "first line of key\nsecond line of key\n");
    let commands = [
        "echo \"token: $TOKEN\"; echo \"$TOKEN\" >&2",
        // The secret is split over two writes, with a pause between them.
        "printf %s \"${TOKEN:0:7}\"; sleep 0.05; printf '%s\\n' \"${TOKEN:7}\"",
        "printf %s \"$TOKEN\" | base64; printf 'user:%s' \"$TOKEN\" | base64 -w0",
        "printf 'x%s' \"$KEY\" | base64; echo \"$KEY\" | tail -n 1",
        "printf %s \"$TOKEN\" | sed 's,/,%2F,g;s,+,%2B,g;s,=,%3D,g'",
        "set -x; : \"$TOKEN\"",
        "printf %s \"$TOKEN\" > made.txt; printf fine > other.txt; > \"$(echo \"$KEY\" | tail -n 1).txt\"",
        "echo \"$TOKEN\"; exit 3",
    ];
    let mut spec = local(&commands);
    spec["envRefs"] = json!({"TOKEN": "env:TOKEN", "KEY": "file:.windlass/key"});
    spec["steps"][6]["artifacts"] = json!(["*.txt"]);
    let notes = Arc::new(RecordingObserver::default());
    let record = project.observed(spec, notes.clone()).await;
    assert_eq!(record.status(), RunStatus::Failed);
    assert_eq!(stdout(&record), "token: ***\n");
    let stored: Vec<_> = record.steps()[6]
        .artifacts
        .iter()
        .map(|artifact| (&*artifact.name, artifact.skipped.as_deref()))
        .collect();
    let expected = [
        ("made.txt", Some("contains a secret of the run")),
        ("other.txt", None),
        ("***.txt", Some("its name contains a secret of the run")),
    ];
    assert_eq!(stored, expected);

    std::fs::remove_file(project.root.join("made.txt")).unwrap();
    std::fs::remove_file(project.root.join(".windlass/key")).unwrap();
    let mut places: Vec<(String, Vec<u8>)> = project
        .files()
        .into_iter()
        .map(|(path, bytes)| (path.display().to_string(), bytes))
        .collect();
    assert!(places.iter().any(|(path, _)| path.ends_with("stdout.log")));
    places.push(("record".into(), serde_json::to_vec(&record).unwrap()));
    places.push(("observed".into(), notes.output.lock().unwrap().clone()));
    let encoded = ["czNjcjN0", "NjcjN0", "c2Vjb25kIGxpbm", "s3cr3t%2FT0ken"];
    for hidden in [TOKEN, "first line of key", "second line of key"]
        .iter()
        .chain(&encoded)
    {
        for (place, bytes) in &places {
            assert!(!contains(bytes, hidden), "{hidden} in {place}");
        }
    }
}

#[tokio::test]
async fn messages_are_masked_too() {
    let project = Project::new();
    let mut spec = one(
        "true",
        json!({"expect": {"stdoutRegex": [TOKEN.replace('+', "\\+")]}}),
    );
    spec["steps"][0]["expect"]["stdoutRegex"] = json!(["s3cr3t/T0ken"]);
    spec["envRefs"] = json!({"T": "file:part"});
    project.write("part", "s3cr3t/T0ken\n");
    let record = project.run(spec).await;
    assert_eq!(failure(&record), "stdoutRegex: nothing matches `***`");
}

#[tokio::test]
async fn plain_values_are_not_masked() {
    let project = Project::new();
    let mut spec = local(&["echo \"$A\""]);
    spec["envRefs"] = json!({"A": "plain value"});
    assert_eq!(stdout(&project.run(spec).await), "plain value\n");
}
