//! Runtimes that have settings: a harmless request to each.

use std::sync::Arc;

use windlass_ops::{JobHost, Lifetime, Workspace, check_runtimes};

use super::check::Check;
use crate::surface::cli::execute;

pub fn checks(workspace: Workspace) -> Vec<Check> {
    // What is not set up says so when a run asks for it.
    let is_set_up = |name: &str, config: &windlass_ops::Config| match name {
        "docker" => config.runtimes.docker.image.is_some() || config.runs.docker.image.is_some(),
        "github-runner" => config.runtimes.github_runner != Default::default(),
        "ecs-task" => config.runtimes.ecs_task != Default::default(),
        "ssm" => config.runtimes.ssm != Default::default(),
        _ => false,
    };
    let Ok(config) = workspace.config().cloned() else {
        return Vec::new();
    };
    let names = ["docker", "github-runner", "ecs-task", "ssm"];
    if !names.iter().any(|name| is_set_up(name, &config)) {
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
    let set_up = checked
        .into_iter()
        .filter(|it| is_set_up(&it.runtime, &config));
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
