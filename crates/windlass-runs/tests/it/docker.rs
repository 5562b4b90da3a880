//! The docker runtime, with a fake docker program: it records how it was called, and runs the
//! command itself.

use std::path::PathBuf;

use serde_json::json;
use windlass_runs::record::RunStatus;

use crate::{Project, TOKEN, contains, executable, failure, is_running, one, stdout};

/// Records its arguments, one a line, its environment and the file of variables. `docker kill NAME`
/// ends the process with that name.
const FAKE_DOCKER: &str = r#"#!/usr/bin/env bash
here=$(dirname "$0")
printf '%s\n' "$@" >> "$here/arguments"
echo -- >> "$here/arguments"
case $1 in
kill) exit 0 ;;
ps) echo c0ffee; echo beef; exit 0 ;;
esac
env > "$here/environment"
while [ "$1" != debian:12 ]; do
    [ "$1" = --env-file ] && cat "$2" > "$here/env-file"
    shift
done
shift
exec "$@"
"#;

struct Docker {
    project: Project,
    folder: PathBuf,
}

impl Docker {
    fn new() -> Self {
        let mut project = Project::new();
        let folder = project.root.parent().unwrap().join("bin");
        std::fs::create_dir(&folder).unwrap();
        executable(&folder.join("docker"), FAKE_DOCKER);
        let options = &mut project.options.docker;
        options.program = folder.join("docker");
        options.image = Some("debian:12".to_owned());
        options.user = Some("1000:1000".to_owned());
        options.arguments = vec!["--memory=1g".to_owned()];
        options.grace = std::time::Duration::from_millis(200);
        Self { project, folder }
    }

    fn recorded(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.join(name)).unwrap_or_default()
    }
}

#[tokio::test]
async fn the_arguments_contain_no_values() {
    let docker = Docker::new();
    docker.project.write("web/x", "");
    let command = "echo \"$TOKEN\"; echo \"$PLAIN\"";
    let mut spec = one(command, json!({"cwd": "web"}));
    spec["runtime"] = json!("docker");
    spec["runId"] = json!("r-1");
    spec["envRefs"] = json!({"TOKEN": "env:TOKEN", "PLAIN": "a\nb", "PATH": "/opt:/usr/bin:/bin"});
    let record = docker.project.run(spec).await;
    assert_eq!(
        record.status(),
        RunStatus::Success,
        "{:?}",
        record.failure()
    );
    assert_eq!(stdout(&record), "***\na\nb\n");

    let arguments = docker.recorded("arguments");
    assert!(!contains(arguments.as_bytes(), TOKEN));
    let name = arguments.lines().nth(4).unwrap();
    assert!(name.starts_with("windlass-"));
    let scratch = docker.project.options.scratch.display();
    let root = docker.project.root.display();
    let expected = format!(
        "run\n--rm\n--init\n--name\n{name}\n--label\nwindlass.run=r-1\n--mount\n\
         type=bind,source={root},target=/workspace\n--workdir\n/workspace/web\n--user\n1000:1000\n\
         --env\nWINDLASS_RUN_ID=r-1\n--env\nPLAIN\n--env\nTOKEN\n--env-file\n{scratch}/{name}.env\n\
         --memory=1g\ndebian:12\nbash\n--noprofile\n--norc\n-e\n-o\npipefail\n-c\n{command}\n--\n"
    );
    assert_eq!(arguments, expected);
    // The client keeps its own PATH; the container gets the PATH of the run.
    assert_eq!(docker.recorded("env-file"), "PATH=/opt:/usr/bin:/bin\n");
    assert!(!docker.recorded("environment").contains("PATH=/opt:"));
    assert!(
        !docker
            .project
            .options
            .scratch
            .join(format!("{name}.env"))
            .exists()
    );
}

#[tokio::test]
async fn a_timeout_ends_the_container() {
    let docker = Docker::new();
    let mark = format!("{}.66", std::process::id());
    let mut spec = one(&format!("sleep {mark}"), json!({"timeoutSec": 0.5}));
    spec["runtime"] = json!("docker");
    let record = docker.project.run(spec).await;
    assert_eq!(record.status(), RunStatus::Timeout);
    let arguments = docker.recorded("arguments");
    let name = arguments.lines().nth(4).unwrap();
    assert!(
        arguments.ends_with(&format!("--\nkill\n{name}\n--\n")),
        "{arguments}"
    );
    assert!(!is_running(&mark));
}

#[tokio::test]
async fn an_engine_failure_is_not_a_command_failure() {
    let docker = Docker::new();
    let mut spec = one(
        "echo 'no such image' >&2; exit 125",
        json!({"expect": {"exitCode": 125}}),
    );
    spec["runtime"] = json!("docker");
    let record = docker.project.run(spec).await;
    assert_eq!(record.status(), RunStatus::Failed);
    assert_eq!(
        failure(&record),
        "docker could not run the container; see stderr for the reason"
    );
    assert_eq!(record.steps()[0].stderr.as_deref(), Some("no such image\n"));
}

#[tokio::test]
async fn a_missing_client_is_named() {
    let mut docker = Docker::new();
    docker.project.options.docker.program = docker.folder.join("none");
    let mut spec = one("true", json!({}));
    spec["runtime"] = json!("docker");
    let (_, spec) = crate::created(spec);
    let unavailable = docker.project.engine().check(&spec).unwrap_err();
    assert!(
        unavailable.message.ends_with("/none` is not installed"),
        "{unavailable}"
    );
}

#[tokio::test]
async fn containers_of_a_killed_server_are_stopped() {
    let docker = Docker::new();
    let mut spec = one("true", json!({}));
    spec["runtime"] = json!("docker");
    spec["runId"] = json!("r-1");
    let record = crate::interrupted(spec);
    let engine = docker.project.engine();
    engine.recover(record, "the server ended").await.unwrap();
    let expected = "ps\n--quiet\n--filter\nlabel=windlass.run=r-1\n--\nkill\nc0ffee\nbeef\n--\n";
    assert_eq!(docker.recorded("arguments"), expected);
}

#[tokio::test]
async fn a_value_that_the_client_cannot_pass_is_rejected() {
    let docker = Docker::new();
    let mut spec = one("true", json!({}));
    spec["runtime"] = json!("docker");
    spec["envRefs"] = json!({"LD_LIBRARY_PATH": "a\nb"});
    let record = docker.project.run(spec).await;
    let why = "a value of several lines cannot be passed to docker under this name";
    assert_eq!(failure(&record), format!("envRefs.LD_LIBRARY_PATH: {why}"));
    assert_eq!(docker.recorded("arguments"), "");
}
