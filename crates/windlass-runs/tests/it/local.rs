//! The local runtime: steps as processes on this machine.

use std::os::unix::fs::symlink;

use serde_json::json;
use windlass_runs::record::RunStatus;

use crate::{Project, executable, failure, local, one, stdout};

#[tokio::test]
async fn steps_run_in_their_folder_with_their_environment() {
    let project = Project::new();
    project.write("web/x", "");
    let mut spec = one("pwd; echo $A; echo $WINDLASS_RUN_ID", json!({"cwd": "web"}));
    spec["envRefs"] = json!({"A": "a  value"});
    spec["runId"] = json!("r-1");
    let record = project.run(spec).await;
    let expected = format!("{}/web\na value\nr-1\n", project.root.display());
    assert_eq!(stdout(&record), expected);
}

#[tokio::test]
async fn shells_stop_at_the_first_failure() {
    let project = Project::new();
    for (shell, command, code) in [
        ("bash", "false\necho on", 1),
        ("bash", "exit 4 | cat", 4),
        ("sh", "false\necho on", 1),
        ("sh", "exit 4 | cat", 0),
        ("bash", "set +e\nfalse\ntrue", 0),
    ] {
        let record = project.run(one(command, json!({"shell": shell}))).await;
        let step = &record.steps()[0];
        assert_eq!(step.exit_code, Some(code), "{shell} {command}");
        assert_eq!(step.stdout.as_deref(), Some(""), "{shell} {command}");
    }
}

#[tokio::test]
async fn standard_input_is_empty() {
    let project = Project::new();
    let record = project
        .run(one("cat; echo done", json!({"timeoutSec": 30})))
        .await;
    assert_eq!(stdout(&record), "done\n");
}

#[tokio::test]
async fn a_missing_shell_is_named() {
    let mut project = Project::new();
    let none = project.root.join("none/pwsh");
    project.options.local.shells.insert("pwsh", none);
    let record = project.run(one("x", json!({"shell": "pwsh"}))).await;
    assert_eq!(record.status(), RunStatus::Failed);
    assert_eq!(failure(&record), "The shell `pwsh` is not installed");
    let hint = record.steps()[0].failure.as_ref().unwrap().hint.as_deref();
    assert!(hint.unwrap().contains("Install PowerShell 7"));
}

#[tokio::test]
async fn powershell_gets_the_same_arguments_as_in_ci_systems() {
    let mut project = Project::new();
    let fake = project.root.join("pwsh");
    executable(&fake, "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
    project.options.local.shells.insert("pwsh", fake);
    let record = project
        .run(one("Write-Output hi", json!({"shell": "pwsh"})))
        .await;
    let expected = "-NoLogo\n-NoProfile\n-NonInteractive\n-Command\n\
                    $ErrorActionPreference = 'stop'\nWrite-Output hi\n\
                    if ((Test-Path -LiteralPath variable:\\LASTEXITCODE)) { exit $LASTEXITCODE }\n";
    assert_eq!(stdout(&record), expected);
}

#[tokio::test]
async fn no_symlink_takes_a_step_out_of_the_project() {
    let project = Project::new();
    // The first step creates the symlink, so that no check before the run can see it.
    let mut spec = local(&["ln -s / out", "pwd"]);
    spec["steps"][1]["cwd"] = json!("out/tmp");
    let record = project.run(spec).await;
    assert_eq!(record.status(), RunStatus::Failed);
    assert_eq!(failure(&record), "cwd: `out/tmp` is outside the project");
    symlink("/etc/passwd", project.root.join("passwd")).unwrap();
    let record = project
        .run(one("true", json!({"expect": {"fileExists": ["passwd"]}})))
        .await;
    assert_eq!(
        failure(&record),
        "fileExists: `passwd` is outside the project"
    );
}

#[tokio::test]
async fn variables_hidden_by_the_server_are_not_passed_to_steps() {
    let mut project = Project::new();
    project.options.local.remove_environment = vec!["HOME".into()];
    let record = project.run(local(&["echo \"${HOME-nothing}\""])).await;
    assert_eq!(stdout(&record), "nothing\n");
}
