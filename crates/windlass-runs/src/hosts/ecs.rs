//! Executes the script of a run as a task of Amazon ECS, and reads its log from CloudWatch.

use std::time::Duration;

use futures::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use tokio::sync::OnceCell;

use super::aws::{AwsClient, AwsOptions, Service};
use super::backoff::Pace;
use super::cloudwatch::{LogStream, Reading};
use super::{Follower, HostEnd, HostError, ScriptHost, ScriptJob, Started, not_configured};
use crate::runtimes::Unavailable;
use crate::script::{Place, Script, SecretSource, Transfer};
use crate::spec::RuntimeName;

/// The overrides of a task may have 8,192 characters. The rest is for the launcher and its braces.
const MOST_PACKED_BYTES: usize = 7_900;

/// How often the log is read after the task has stopped: its last lines may come late.
const READS_AFTER_END: usize = 6;

pub(super) const EXAMPLE: &str = "[runtimes.ecs-task]\nregion = \"eu-central-1\"\ncluster = \"builds\"\n\
    task_definition = \"windlass-run\"\nsubnets = [\"subnet-0a1b2c3d\"]";

/// The settings of the runtime `ecs-task`.
#[derive(Debug, Clone, Default)]
pub struct EcsOptions {
    /// Region, endpoint and credentials.
    pub aws: AwsOptions,
    /// The cluster; the default one of the account if empty.
    pub cluster: Option<String>,
    /// The task definition: `family` or `family:revision`.
    pub task_definition: Option<String>,
    /// The container of the definition that executes the script; its first one if omitted.
    pub container: Option<String>,
    /// `FARGATE` or `EC2`; by default what the cluster decides.
    pub launch_type: Option<String>,
    /// The network of the task, where it has one of its own.
    pub subnets: Vec<String>,
    pub security_groups: Vec<String>,
    pub assign_public_ip: bool,
    /// The folder of the project in the image; the image's working folder if empty.
    pub workspace: String,
    /// Files in the log.
    pub transfer: Transfer,
    /// The shortest time between two questions about a task.
    pub poll: Duration,
    /// How long provisioning, pulling and starting may take.
    pub start_within: Duration,
    /// Tasks at once.
    pub max_parallel: usize,
}

/// Executes scripts as tasks.
pub struct EcsTask {
    aws: AwsClient,
    options: EcsOptions,
    /// Asked for once, also by many runs at the same time.
    definition: OnceCell<Definition>,
}

/// What is needed of a task definition.
#[derive(Debug, Clone)]
struct Definition {
    container: String,
    log_group: String,
    log_prefix: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Task {
    #[serde(rename = "taskArn")]
    arn: String,
    #[serde(default)]
    last_status: String,
    stopped_reason: Option<String>,
    #[serde(default)]
    containers: Vec<Container>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Container {
    #[serde(default)]
    name: String,
    exit_code: Option<i64>,
    reason: Option<String>,
}

#[derive(Deserialize)]
struct Tasks {
    #[serde(default)]
    tasks: Vec<Task>,
    #[serde(default)]
    failures: Vec<Json>,
}

impl EcsTask {
    /// Nothing is requested before the first run.
    pub fn new(options: EcsOptions) -> Self {
        Self {
            aws: AwsClient::new(options.aws.clone()),
            options,
            definition: OnceCell::new(),
        }
    }

    fn with_cluster(&self, mut input: Json) -> Json {
        if let Some(cluster) = &self.options.cluster {
            input["cluster"] = json!(cluster);
        }
        input
    }

    async fn definition(&self) -> Result<&Definition, HostError> {
        let ask = || self.ask_for_definition();
        self.definition.get_or_try_init(ask).await
    }

    async fn ask_for_definition(&self) -> Result<Definition, HostError> {
        let name = self.options.task_definition.clone().unwrap_or_default();
        let input = json!({"taskDefinition": name});
        let answer: Json = self
            .aws
            .call(Service::Ecs, "DescribeTaskDefinition", &input)
            .await?;
        let containers = &answer["taskDefinition"]["containerDefinitions"];
        self.read_definition(&name, containers)
    }

    fn read_definition(&self, name: &str, containers: &Json) -> Result<Definition, HostError> {
        let wanted = self.options.container.as_deref();
        let containers = containers.as_array().cloned().unwrap_or_default();
        let found = containers
            .iter()
            .find(|container| wanted.is_none_or(|wanted| container["name"] == wanted));
        let Some(found) = found else {
            let message = format!(
                "The task definition {name} has no container {}",
                wanted.unwrap_or("at all")
            );
            return Err(
                HostError::new(message).with_hint("Set `container` under [runtimes.ecs-task].")
            );
        };
        let log = &found["logConfiguration"];
        let option = |name: &str| log["options"][name].as_str().map(str::to_owned);
        match (
            log["logDriver"].as_str(),
            option("awslogs-group"),
            option("awslogs-stream-prefix"),
        ) {
            (Some("awslogs"), Some(log_group), Some(log_prefix)) => Ok(Definition {
                container: found["name"].as_str().unwrap_or_default().to_owned(),
                log_group,
                log_prefix,
            }),
            _ => Err(HostError::new(format!(
                "The container of the task definition {name} does not write to CloudWatch"
            ))
            .with_hint(
                "Its logConfiguration needs the driver awslogs with awslogs-group, \
                 awslogs-region and awslogs-stream-prefix.",
            )),
        }
    }

    async fn run_task(&self, job: &ScriptJob) -> Result<Started, HostError> {
        let definition = self.definition().await?;
        let packed = job.script.packed_within(MOST_PACKED_BYTES);
        let packed = packed.map_err(|why| HostError::new(why.message).with_hint(why.hint))?;
        let command = ["sh", "-c", &Script::launcher(&packed)].map(str::to_owned);
        let mut input = self.with_cluster(json!({
            "taskDefinition": self.options.task_definition,
            "count": 1,
            "clientToken": job.token,
            "startedBy": started_by(&job.token),
            "overrides": {"containerOverrides": [{"name": definition.container, "command": command}]},
        }));
        if let Some(launch_type) = &self.options.launch_type {
            input["launchType"] = json!(launch_type);
        }
        if !self.options.subnets.is_empty() {
            let public = if self.options.assign_public_ip {
                "ENABLED"
            } else {
                "DISABLED"
            };
            input["networkConfiguration"] = json!({"awsvpcConfiguration": {
                "subnets": self.options.subnets,
                "securityGroups": self.options.security_groups,
                "assignPublicIp": public,
            }});
        }
        let answer: Tasks = self.aws.call(Service::Ecs, "RunTask", &input).await?;
        if let Some(task) = answer.tasks.into_iter().next() {
            return Ok(self.started(task.arn));
        }
        let why = answer.failures.first();
        let why = why.and_then(|failure| failure["reason"].as_str());
        let why = why.unwrap_or("without a reason");
        Err(HostError::new(format!("ECS did not start the task: {why}")))
    }

    fn started(&self, arn: String) -> Started {
        let id = task_id(&arn);
        let region = self.options.aws.region().unwrap_or_default();
        let cluster = self.options.cluster.as_deref().unwrap_or("default");
        let url = format!(
            "https://{region}.console.aws.amazon.com/ecs/v2/clusters/{cluster}/tasks/{id}?region={region}"
        );
        Started {
            id: arn,
            url: self.options.aws.endpoint.is_none().then_some(url),
        }
    }

    async fn find_task(&self, token: &str) -> Result<Option<Started>, HostError> {
        for status in ["RUNNING", "STOPPED"] {
            let input = self.with_cluster(json!({
                "startedBy": started_by(token),
                "desiredStatus": status,
            }));
            let answer: Json = self.aws.call(Service::Ecs, "ListTasks", &input).await?;
            if let Some(arn) = answer["taskArns"][0].as_str() {
                return Ok(Some(self.started(arn.to_owned())));
            }
        }
        Ok(None)
    }

    async fn describe(&self, arn: &str) -> Result<Task, HostError> {
        let input = self.with_cluster(json!({"tasks": [arn]}));
        let answer: Tasks = self.aws.call(Service::Ecs, "DescribeTasks", &input).await?;
        answer.tasks.into_iter().next().ok_or_else(|| {
            HostError::new(
                "ECS does not know the task any more; it forgets stopped tasks after an hour",
            )
        })
    }

    async fn follow_task(&self, arn: &str, follower: &Follower) -> Result<HostEnd, HostError> {
        let definition = self.definition().await?;
        let name = format!(
            "{}/{}/{}",
            definition.log_prefix,
            definition.container,
            task_id(arn)
        );
        let mut log = LogStream::new(&definition.log_group, name);
        let mut pace = Pace::new(self.options.poll, self.options.poll * 5);
        let mut state = String::new();
        loop {
            let task = self.describe(arn).await?;
            let is_other = task.last_status != state;
            state.clone_from(&task.last_status);
            follower.state(&state).await;
            let is_new = log.read(&self.aws, Reading::Now, follower).await?;
            if state == "STOPPED" {
                for _ in 0..READS_AFTER_END {
                    log.read(&self.aws, Reading::ToTheEnd, follower).await?;
                    tokio::time::sleep(self.options.poll).await;
                }
                return Ok(end_of(&task, &definition.container));
            }
            pace.wait(is_new || is_other).await;
        }
    }
}

/// Why a task stopped.
fn end_of(task: &Task, container: &str) -> HostEnd {
    let own = task.containers.iter().find(|it| it.name == container);
    let reason = own.and_then(|it| it.reason.clone());
    let code = own.and_then(|it| it.exit_code);
    let parts = [
        task.stopped_reason.clone(),
        reason,
        code.map(|code| format!("exit code {code}")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    HostEnd {
        problem: (!parts.is_empty()).then(|| parts.join("; ")),
    }
}

fn started_by(token: &str) -> String {
    format!("windlass-{token}")
}

fn task_id(arn: &str) -> &str {
    arn.rsplit('/').next().unwrap_or(arn)
}

impl ScriptHost for EcsTask {
    fn name(&self) -> RuntimeName {
        RuntimeName::EcsTask
    }

    fn check(&self) -> Result<(), Unavailable> {
        if self.options.task_definition.is_none() {
            return Err(not_configured(self.name(), "no task_definition is set"));
        }
        if self.options.aws.region().is_none() {
            return Err(not_configured(self.name(), "no region is set"));
        }
        if self.options.launch_type.as_deref() == Some("FARGATE") && self.options.subnets.is_empty()
        {
            return Err(not_configured(self.name(), "FARGATE needs subnets"));
        }
        Ok(())
    }

    fn place(&self) -> Place {
        Place {
            workspace: self.options.workspace.clone(),
            transfer: self.options.transfer.clone(),
            uploads: Vec::new(),
            secrets: SecretSource::Environment,
            most_packed_bytes: MOST_PACKED_BYTES,
            grace: Duration::from_secs(5),
        }
    }

    fn start<'a>(&'a self, job: &'a ScriptJob) -> BoxFuture<'a, Result<Started, HostError>> {
        Box::pin(self.run_task(job))
    }

    fn starts_once(&self) -> bool {
        true
    }

    fn find<'a>(&'a self, job: &'a ScriptJob) -> BoxFuture<'a, Result<Option<Started>, HostError>> {
        Box::pin(self.find_task(&job.token))
    }

    fn follow<'a>(
        &'a self,
        id: &'a str,
        follower: &'a Follower,
    ) -> BoxFuture<'a, Result<HostEnd, HostError>> {
        Box::pin(self.follow_task(id, follower))
    }

    fn stop<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), HostError>> {
        Box::pin(async move {
            let input = self.with_cluster(json!({"task": id, "reason": "cancelled by windlass"}));
            let _: Json = self.aws.call(Service::Ecs, "StopTask", &input).await?;
            Ok(())
        })
    }

    fn probe(&self) -> BoxFuture<'_, Result<String, HostError>> {
        Box::pin(async {
            let found = self.definition().await?;
            Ok(format!(
                "the task definition has the container {}, which logs to {}",
                found.container, found.log_group
            ))
        })
    }

    fn start_within(&self) -> Duration {
        self.options.start_within
    }

    fn max_parallel(&self) -> usize {
        self.options.max_parallel
    }
}
