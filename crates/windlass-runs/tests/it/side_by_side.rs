//! One playbook on every runtime: the records are equal but for times, ids and where it ran.

use serde_json::{Value as Json, json};
use windlass_runs::record::RunRecord;

use crate::Project;
use crate::aws::{Aws, on};
use crate::docker::Docker;
use crate::github::Github;
use crate::script::{essence, playbooks};

/// What a person sees of a record, a line a fact.
fn lines(record: &RunRecord) -> Vec<String> {
    let failure = |message: Option<&str>| message.unwrap_or("-").to_owned();
    let mut lines = vec![
        record.status().name().to_owned(),
        failure(record.failure().map(|it| &*it.message)),
    ];
    for step in record.steps() {
        let code = step
            .exit_code
            .map_or("-".to_owned(), |code| code.to_string());
        let stdout = format!("{:?}", step.stdout.as_deref().unwrap_or("-"));
        lines.push(format!(
            "{} {} {code} {stdout}",
            step.name,
            step.status.name()
        ));
        for artifact in &step.artifacts {
            let sha256 = artifact.sha256.as_deref().unwrap_or("-");
            let bytes = artifact.bytes.map_or("-".to_owned(), |it| it.to_string());
            let why = failure(artifact.skipped.as_deref());
            let short = &sha256[..sha256.len().min(8)];
            lines.push(format!("  {} {bytes} {short} {why}", artifact.name));
        }
    }
    lines
}

/// The playbook, with files that must not be sent.
fn playbook(mut spec: Json) -> Json {
    let command = spec["steps"][0]["command"].as_str().unwrap().to_owned();
    let more = "; echo \"x $T y\" > dist/leak.txt; echo n > \"dist/n.$P\"";
    spec["steps"][0]["command"] = json!(format!("{command}{more}"));
    spec
}

#[tokio::test]
async fn records_of_five_runtimes_are_equal() {
    let (Some(docker), Some(github), Some(aws)) = (Docker::new(), Github::new(), Aws::new()) else {
        return;
    };
    for spec in playbooks().map(playbook) {
        let mut records = vec![("local", Project::new().run(spec.clone()).await)];
        for (runtime, project) in [
            ("docker", &docker.project),
            ("github-runner", &github.project),
            ("ecs-task", &aws.project),
            ("ssm", &aws.project),
        ] {
            records.push((runtime, project.run(on(runtime, spec.clone())).await));
        }
        let sides: Vec<Vec<String>> = records.iter().map(|(_, it)| lines(it)).collect();
        for (runtime, side) in records.iter().map(|(name, _)| name).zip(&sides) {
            eprintln!("{runtime}:\n  {}", side.join("\n  "));
        }
        for (runtime, record) in &records[1..] {
            assert_eq!(essence(record), essence(&records[0].1), "{runtime}");
        }
    }
    github.has_no_violations();
    aws.has_no_violations();
}
