//! Runtimes that execute nothing, and the schema of a spec.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use windlass_runs::CancellationToken;
use windlass_runs::engine::ExecuteError;
use windlass_runs::record::RunStatus;
use windlass_runs::spec::RunSpec;

use crate::{Project, created, local};

#[tokio::test]
async fn the_dummy_executes_nothing_and_always_has_the_same_output() {
    let project = Project::new();
    let spec = json!({
        "title": "t",
        "runtime": "dummy",
        "steps": [{
            "name": "a",
            "shell": "pwsh",
            "command": "touch made",
            "expect": {"exitCode": 9, "fileExists": ["made"]},
            "artifacts": ["**/*"],
        }],
        "envRefs": {"A": "env:NOT_SET"},
    });
    for _ in 0..2 {
        let record = project.run(spec.clone()).await;
        assert_eq!(record.status(), RunStatus::Success);
        let step = &record.steps()[0];
        assert_eq!(step.exit_code, Some(0));
        assert_eq!(step.stdout.as_deref(), Some("[dummy] pwsh: touch made\n"));
        assert_eq!(step.stderr.as_deref(), Some(""));
    }
    assert!(!project.root.join("made").exists());
}

#[tokio::test]
async fn runtimes_that_are_not_configured_are_rejected() {
    let project = Project::new();
    for (runtime, message, hint) in [
        (
            "ssm",
            "Runtime ssm not supported by DummyExecutorAdapter. Only 'dummy' runtime is supported in I631.",
            "[runtimes.ssm]",
        ),
        (
            "docker",
            "Runtime docker not supported: no image is set",
            "[runtimes.docker]",
        ),
    ] {
        let mut spec = local(&["true"]);
        spec["runtime"] = Json::from(runtime);
        let (record, spec) = created(spec);
        let engine = project.engine();
        let unavailable = engine.check(&spec).unwrap_err();
        assert_eq!(unavailable.to_string(), message);
        assert!(unavailable.hint.contains(hint));
        let cancel = CancellationToken::new();
        let error = engine
            .execute(record, &spec, Arc::new(()), &cancel)
            .await
            .unwrap_err();
        assert!(matches!(error, ExecuteError::Unavailable(_)), "{error}");
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn the_schema_of_a_spec_matches_its_rules() {
    let schema = serde_json::to_value(schemars::schema_for!(RunSpec)).unwrap();
    assert_eq!(schema["required"], json!(["title", "runtime", "steps"]));
    assert_eq!(schema["additionalProperties"], false);
    let step = &schema["$defs"]["Step"];
    assert_eq!(step["required"], json!(["name", "shell", "command"]));
    assert_eq!(step["additionalProperties"], false);
    assert_eq!(schema["$defs"]["Expect"]["additionalProperties"], false);
    for field in ["timeoutSec", "cwd", "expect", "artifacts"] {
        let described = step["properties"][field]["description"].as_str();
        assert!(
            described.is_some(),
            "{field}: {}",
            step["properties"][field]
        );
    }
}
