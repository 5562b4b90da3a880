//! Runtimes that have settings: a harmless request to each.

use std::sync::Arc;

use windlass_ops::{JobHost, Lifetime, Workspace, check_runtimes};

use super::check::Check;
use crate::surface::cli::execute;

pub fn checks(workspace: Workspace) -> Vec<Check> {
    let Ok(config) = workspace.config().cloned() else {
        return Vec::new();
    };
    // What is not set up says so when a run asks for it.
    let is_set_up = |name: &str| {
        let is_docker_of_runs = name == "docker" && config.runs.docker.image.is_some();
        is_docker_of_runs || config.runtimes.has_settings_of(name)
    };
    if !["docker", "github-runner", "ecs-task", "ssm"]
        .into_iter()
        .any(is_set_up)
    {
        return Vec::new();
    }
    let host = JobHost::new(Arc::new(workspace), Lifetime::Command);
    let checked = execute::runtime().and_then(|runtime| {
        runtime.block_on(async {
            let checked = check_runtimes(&host.runs()?.engine).await;
            host.close().await;
            Ok(checked)
        })
    });
    let checked = match checked {
        Ok(checked) => checked,
        Err(error) => {
            let fix = "Fix [runtimes] in .windlass/config.toml.";
            return vec![Check::failed("runtimes", &error, fix)];
        }
    };
    let set_up = checked.into_iter().filter(|it| is_set_up(&it.runtime));
    set_up
        .map(|check| {
            let message = format!("{}: {}", check.runtime, check.message);
            if check.ready {
                return Check::ok("runtimes", message);
            }
            let fix = check.hint.unwrap_or_else(|| {
                format!("Try again with windlass runs check {}.", check.runtime)
            });
            Check::warning("runtimes", message, fix)
        })
        .collect()
}
