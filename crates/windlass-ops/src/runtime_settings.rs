//! `[runtimes.NAME]` of the settings: where runs are executed. All of it counts only while a person
//! allows exactly the current text of the file, because a run sends shell text there.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlass_core::{Error, ErrorKind, Result};
use windlass_runs::hosts::{
    AwsOptions, Backoff, DockerOptions, EcsOptions, EcsTask, GithubOptions, GithubRunner,
    ScriptHost, Ssm, SsmOptions, TokenSource,
};
use windlass_runs::script::Transfer;

use crate::config::out_of_bounds;
use crate::job_host::Machine;

/// The settings of runtimes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RuntimesConfig {
    pub docker: DockerSettings,
    pub github_runner: GithubSettings,
    pub ecs_task: EcsSettings,
    pub ssm: SsmSettings,
}

/// The runtime `docker`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DockerSettings {
    pub image: Option<String>,
    pub program: String,
    pub network: String,
    pub user: Option<String>,
    pub memory: Option<String>,
    pub cpus: Option<String>,
    pub pids: Option<String>,
    pub pull: Option<String>,
    pub max_parallel: usize,
}

impl Default for DockerSettings {
    fn default() -> Self {
        let usual = DockerOptions::default();
        Self {
            image: None,
            program: usual.program.to_string_lossy().into_owned(),
            network: usual.network,
            user: None,
            memory: None,
            cpus: None,
            pids: None,
            pull: None,
            max_parallel: usual.max_parallel,
        }
    }
}

/// The runtime `github-runner`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GithubSettings {
    pub repository: Option<String>,
    pub api: String,
    pub workflow: String,
    #[serde(rename = "ref")]
    pub git_ref: Option<String>,
    pub token: Option<String>,
    pub max_parallel: usize,
    pub poll_seconds: f64,
    pub start_within_seconds: f64,
}

impl Default for GithubSettings {
    fn default() -> Self {
        Self {
            repository: None,
            api: "https://api.github.com".to_owned(),
            workflow: "windlass-run.yml".to_owned(),
            git_ref: None,
            token: None,
            max_parallel: 20,
            poll_seconds: 5.0,
            start_within_seconds: 3600.0,
        }
    }
}

/// The runtime `ecs-task`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EcsSettings {
    pub task_definition: Option<String>,
    pub cluster: Option<String>,
    pub container: Option<String>,
    pub launch_type: Option<String>,
    pub subnets: Vec<String>,
    pub security_groups: Vec<String>,
    pub assign_public_ip: bool,
    pub workspace: String,
    pub region: Option<String>,
    pub endpoint: Option<String>,
    pub max_parallel: usize,
    pub poll_seconds: f64,
    pub start_within_seconds: f64,
}

impl Default for EcsSettings {
    fn default() -> Self {
        Self {
            task_definition: None,
            cluster: None,
            container: None,
            launch_type: None,
            subnets: Vec::new(),
            security_groups: Vec::new(),
            assign_public_ip: false,
            workspace: String::new(),
            region: None,
            endpoint: None,
            max_parallel: 20,
            poll_seconds: 2.0,
            start_within_seconds: 900.0,
        }
    }
}

/// The runtime `ssm`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SsmSettings {
    pub target: Option<String>,
    pub targets: Vec<String>,
    pub workspace: Option<String>,
    pub document: String,
    pub log_group: Option<String>,
    pub parameters: Option<String>,
    pub region: Option<String>,
    pub endpoint: Option<String>,
    pub max_parallel: usize,
    pub poll_seconds: f64,
    pub start_within_seconds: f64,
}

impl Default for SsmSettings {
    fn default() -> Self {
        Self {
            target: None,
            targets: Vec::new(),
            workspace: None,
            document: "AWS-RunShellScript".to_owned(),
            log_group: None,
            parameters: None,
            region: None,
            endpoint: None,
            max_parallel: 10,
            poll_seconds: 2.0,
            start_within_seconds: 600.0,
        }
    }
}

impl RuntimesConfig {
    pub fn check(&self) -> Result<()> {
        let most = 1000;
        for (name, value) in [
            ("docker", self.docker.max_parallel),
            ("github-runner", self.github_runner.max_parallel),
            ("ecs-task", self.ecs_task.max_parallel),
            ("ssm", self.ssm.max_parallel),
        ] {
            if !(1..=most).contains(&value) {
                let name = format!("runtimes.{name}.max_parallel");
                return Err(out_of_bounds(&name, 1, most));
            }
        }
        let (github, ecs, ssm) = (&self.github_runner, &self.ecs_task, &self.ssm);
        for (name, poll, start) in [
            (
                "github-runner",
                github.poll_seconds,
                github.start_within_seconds,
            ),
            ("ecs-task", ecs.poll_seconds, ecs.start_within_seconds),
            ("ssm", ssm.poll_seconds, ssm.start_within_seconds),
        ] {
            if !(0.05..=300.0).contains(&poll) {
                let name = format!("runtimes.{name}.poll_seconds");
                return Err(out_of_bounds(&name, 0.05, 300));
            }
            if !(1.0..=604_800.0).contains(&start) {
                let name = format!("runtimes.{name}.start_within_seconds");
                return Err(out_of_bounds(&name, 1, 604_800));
            }
        }
        for (name, url) in [
            ("runtimes.github-runner.api", Some(&github.api)),
            ("runtimes.ecs-task.endpoint", ecs.endpoint.as_ref()),
            ("runtimes.ssm.endpoint", ssm.endpoint.as_ref()),
        ] {
            let is_url = |url: &String| url.starts_with("https://") || url.starts_with("http://");
            if !url.is_none_or(is_url) {
                return Err(wrong(name, "must begin with https://"));
            }
        }
        let token = github.token.as_deref();
        if token.is_some_and(|token| !token.starts_with("env:")) {
            let problem = "must be env:NAME: a token does not belong into a file of the project";
            return Err(wrong("runtimes.github-runner.token", problem));
        }
        let kinds = ["FARGATE", "EC2", "EXTERNAL"];
        if ecs
            .launch_type
            .as_deref()
            .is_some_and(|it| !kinds.contains(&it))
        {
            let problem = "must be FARGATE, EC2 or EXTERNAL";
            return Err(wrong("runtimes.ecs-task.launch_type", problem));
        }
        let policies = ["missing", "always", "never", "newer"];
        if self
            .docker
            .pull
            .as_deref()
            .is_some_and(|it| !policies.contains(&it))
        {
            let problem = "must be missing, always, never or newer";
            return Err(wrong("runtimes.docker.pull", problem));
        }
        Ok(())
    }

    /// Whether a runtime has settings, whether or not they are enough.
    pub fn has_settings_of(&self, runtime: &str) -> bool {
        let none = Self::default();
        match runtime {
            "docker" => self.docker != none.docker,
            "github-runner" => self.github_runner != none.github_runner,
            "ecs-task" => self.ecs_task != none.ecs_task,
            "ssm" => self.ssm != none.ssm,
            _ => false,
        }
    }

    /// The runtime `docker`. `image` may also stand where it stood first, under `[runs.docker]`.
    pub fn docker(&self, image: Option<&String>) -> DockerOptions {
        let own = self.docker.clone();
        DockerOptions {
            program: own.program.into(),
            image: own.image.or_else(|| image.cloned()),
            network: own.network,
            user: own.user,
            memory: own.memory,
            cpus: own.cpus,
            pids: own.pids,
            pull: own.pull,
            max_parallel: own.max_parallel,
            ..DockerOptions::default()
        }
    }

    /// The other runtimes that have settings.
    pub fn hosts(&self, machine: &Machine) -> Vec<Arc<dyn ScriptHost>> {
        let mut hosts: Vec<Arc<dyn ScriptHost>> = Vec::new();
        if self.has_settings_of("github-runner") {
            hosts.push(Arc::new(GithubRunner::new(
                self.github_runner.options(machine),
            )));
        }
        if self.has_settings_of("ecs-task") {
            hosts.push(Arc::new(EcsTask::new(self.ecs_task.options(machine))));
        }
        if self.has_settings_of("ssm") {
            hosts.push(Arc::new(Ssm::new(self.ssm.options(machine))));
        }
        hosts
    }
}

impl GithubSettings {
    fn options(&self, machine: &Machine) -> GithubOptions {
        let host = self.api.split("://").nth(1).unwrap_or_default();
        let host = host.split(['/', ':']).next().unwrap_or_default();
        GithubOptions {
            api: self.api.clone(),
            repository: self.repository.clone(),
            workflow: self.workflow.clone(),
            git_ref: self.git_ref.clone(),
            token: TokenSource {
                reference: self.token.clone(),
                host: host.strip_prefix("api.").unwrap_or(host).to_owned(),
                lookup: machine.environment.0.clone(),
            },
            transfer: Transfer::default(),
            poll: seconds(self.poll_seconds),
            start_within: seconds(self.start_within_seconds),
            appear_within: Duration::from_mins(2),
            max_parallel: self.max_parallel,
            backoff: Backoff::default(),
        }
    }
}

impl EcsSettings {
    fn options(&self, machine: &Machine) -> EcsOptions {
        let own = self.clone();
        EcsOptions {
            aws: aws(own.region, own.endpoint, machine),
            cluster: own.cluster,
            task_definition: own.task_definition,
            container: own.container,
            launch_type: own.launch_type,
            subnets: own.subnets,
            security_groups: own.security_groups,
            assign_public_ip: own.assign_public_ip,
            workspace: own.workspace,
            transfer: Transfer::default(),
            poll: seconds(own.poll_seconds),
            start_within: seconds(own.start_within_seconds),
            max_parallel: own.max_parallel,
        }
    }
}

impl SsmSettings {
    fn options(&self, machine: &Machine) -> SsmOptions {
        let own = self.clone();
        SsmOptions {
            aws: aws(own.region, own.endpoint, machine),
            target: own.target,
            targets: own.targets,
            document: Some(own.document),
            log_group: own.log_group,
            parameters: own.parameters,
            workspace: own.workspace,
            transfer: Transfer::default(),
            poll: seconds(own.poll_seconds),
            start_within: seconds(own.start_within_seconds),
            max_parallel: own.max_parallel,
        }
    }
}

fn aws(region: Option<String>, endpoint: Option<String>, machine: &Machine) -> AwsOptions {
    let variables = machine.storage.0.iter();
    AwsOptions {
        region,
        endpoint,
        variables: variables
            .filter(|(name, _)| name.starts_with("AWS_"))
            .cloned()
            .collect(),
        backoff: Backoff::default(),
    }
}

fn wrong(name: &str, problem: &str) -> Error {
    Error::new(ErrorKind::InvalidConfig, format!("{name} {problem}")).with("field", name)
}

/// Checked when the file was read.
fn seconds(value: f64) -> Duration {
    Duration::try_from_secs_f64(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use crate::config::Config;

    #[test]
    fn wrong_settings_name_the_key() {
        for (text, message) in [
            (
                "[runtimes.ssm]\nmax_parallel = 0",
                "runtimes.ssm.max_parallel must be 1 to 1000",
            ),
            (
                "[runtimes.github-runner]\ntoken = \"ghp_x\"",
                "runtimes.github-runner.token must be env:NAME: a token does not belong into a file of the project",
            ),
            (
                "[runtimes.ecs-task]\nendpoint = \"x\"",
                "runtimes.ecs-task.endpoint must begin with https://",
            ),
            (
                "[runtimes.ecs-task]\nlaunch_type = \"fargate\"",
                "runtimes.ecs-task.launch_type must be FARGATE, EC2 or EXTERNAL",
            ),
            (
                "[runtimes.docker]\npull = \"often\"",
                "runtimes.docker.pull must be missing, always, never or newer",
            ),
        ] {
            let error = Config::parse("c", text).unwrap_err();
            assert_eq!(error.message(), message);
        }
        let error = Config::parse("c", "[runtimes.ecs-task]\ntask = \"x\"").unwrap_err();
        assert!(error.message().contains("task_definition"), "{error}");
    }
}
