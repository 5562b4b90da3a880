//! Executes the script of a run on machines that AWS Systems Manager manages: on one, or on several at
//! once.

mod follow;

use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::{Value as Json, json};

use super::aws::{AwsClient, AwsOptions, Service};
use super::{Follower, HostEnd, HostError, ScriptHost, ScriptJob, Started, not_configured};
use crate::runtimes::Unavailable;
use crate::script::{Place, Script, SecretSource, Transfer};
use crate::spec::RuntimeName;

/// A command with all its parameters may have 64 KiB.
const MOST_PACKED_BYTES: usize = 60_000;

/// The machines of one command at most.
const MOST_MACHINES: usize = 50;

pub(super) const EXAMPLE: &str = "[runtimes.ssm]\nregion = \"eu-central-1\"\ntarget = \"i-0123456789abcdef0\"\n\
    workspace = \"/srv/project\"";

/// The settings of the runtime `ssm`.
#[derive(Debug, Clone, Default)]
pub struct SsmOptions {
    /// Region, endpoint and credentials.
    pub aws: AwsOptions,
    /// The machine: `i-…`, `mi-…`, or `tag:Name=value` for the first of them that is online.
    pub target: Option<String>,
    /// Instead: all of these machines, and all with these tags that are online.
    pub targets: Vec<String>,
    /// The document that runs shell text.
    pub document: Option<String>,
    /// The log group that machines write outputs to. Without one, outputs are short and come at the
    /// end.
    pub log_group: Option<String>,
    /// The path of parameters with secrets; without one, secrets come from the machine's environment.
    pub parameters: Option<String>,
    /// The folder of the project on the machine.
    pub workspace: Option<String>,
    /// Files in the output.
    pub transfer: Transfer,
    /// The shortest time between two questions about a command.
    pub poll: Duration,
    /// How long it may take until the machine begins.
    pub start_within: Duration,
    /// Commands at once.
    pub max_parallel: usize,
}

/// Executes scripts as commands.
pub struct Ssm {
    aws: AwsClient,
    options: SsmOptions,
}

impl Ssm {
    /// Nothing is requested before the first run.
    pub fn new(options: SsmOptions) -> Self {
        Self {
            aws: AwsClient::new(options.aws.clone()),
            options,
        }
    }

    fn document(&self) -> &str {
        self.options
            .document
            .as_deref()
            .unwrap_or("AWS-RunShellScript")
    }

    /// The machines that execute the next command.
    async fn chosen(&self) -> Result<Vec<String>, HostError> {
        if let Some(target) = &self.options.target {
            let first = self.online(target).await?.into_iter().next();
            return Ok(first.into_iter().collect());
        }
        let mut chosen = Vec::new();
        for target in &self.options.targets {
            chosen.extend(self.online(target).await?);
        }
        chosen.sort_unstable();
        chosen.dedup();
        if chosen.len() > MOST_MACHINES {
            let count = chosen.len();
            let message =
                format!("{count} machines are online, and a command takes {MOST_MACHINES}");
            return Err(HostError::new(message).with_hint("Choose fewer by a narrower tag."));
        }
        Ok(chosen)
    }

    /// The machines of a target, sorted: the one that it names, or all with a tag that are online.
    async fn online(&self, target: &str) -> Result<Vec<String>, HostError> {
        let Some((tag, value)) = target
            .strip_prefix("tag:")
            .and_then(|tag| tag.split_once('='))
        else {
            return Ok(vec![target.to_owned()]);
        };
        let found = self.machines(&format!("tag:{tag}"), value).await?;
        let online = found.iter().filter(|(_, ping)| ping == "Online");
        let mut online: Vec<String> = online.map(|(id, _)| id.clone()).collect();
        online.sort_unstable();
        if online.is_empty() {
            let count = found.len();
            let message = format!("No machine with {target} is online ({count} known)");
            return Err(HostError::new(message).with_hint(
                "The agent of Systems Manager must run there, with a role that allows it.",
            ));
        }
        Ok(online)
    }

    /// Managed machines, with whether they answer.
    async fn machines(&self, key: &str, value: &str) -> Result<Vec<(String, String)>, HostError> {
        let input = json!({"Filters": [{"Key": key, "Values": [value]}], "MaxResults": 50});
        let answer: Json = self
            .aws
            .call(Service::Ssm, "DescribeInstanceInformation", &input)
            .await?;
        let list = answer["InstanceInformationList"].as_array().cloned();
        let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
        let about = |it: &Json| (text(&it["InstanceId"]), text(&it["PingStatus"]));
        Ok(list.unwrap_or_default().iter().map(about).collect())
    }

    async fn send_command(&self, job: &ScriptJob) -> Result<Started, HostError> {
        let machines = self.chosen().await?;
        let packed = job.script.packed_within(MOST_PACKED_BYTES);
        let packed = packed.map_err(|why| HostError::new(why.message).with_hint(why.hint))?;
        let seconds = self.options.start_within.as_secs().clamp(30, 2_592_000);
        let mut input = json!({
            "DocumentName": self.document(),
            "InstanceIds": machines,
            "Comment": comment(&job.token),
            "TimeoutSeconds": seconds,
            "Parameters": {
                "commands": [Script::launcher(&packed)],
                // The script has the timeouts of its steps; this is the longest that is allowed.
                "executionTimeout": ["172800"],
            },
        });
        if let Some(group) = &self.options.log_group {
            input["CloudWatchOutputConfig"] =
                json!({"CloudWatchLogGroupName": group, "CloudWatchOutputEnabled": true});
        }
        let answer: Json = self.aws.call(Service::Ssm, "SendCommand", &input).await?;
        let command = answer["Command"]["CommandId"].as_str().unwrap_or_default();
        Ok(self.started(command, &machines))
    }

    fn started(&self, command: &str, machines: &[String]) -> Started {
        let region = self.options.aws.region().unwrap_or_default();
        let place = match machines {
            [machine] => format!("{command}/{machine}"),
            _ => command.to_owned(),
        };
        let url = format!(
            "https://{region}.console.aws.amazon.com/systems-manager/run-command/{place}?region={region}"
        );
        Started {
            id: format!("{command}/{}", machines.join(",")),
            url: self.options.aws.endpoint.is_none().then_some(url),
        }
    }

    async fn find_command(&self, token: &str) -> Result<Option<Started>, HostError> {
        let mut next = Json::Null;
        loop {
            let mut input = json!({"MaxResults": 50});
            if next.is_string() {
                input["NextToken"] = next;
            }
            let answer: Json = self.aws.call(Service::Ssm, "ListCommands", &input).await?;
            let commands = answer["Commands"].as_array().cloned().unwrap_or_default();
            let own = commands.iter().find(|it| it["Comment"] == comment(token));
            if let Some(own) = own {
                let command = own["CommandId"].as_str().unwrap_or_default();
                let machines = own["InstanceIds"].as_array().into_iter().flatten();
                let machines = machines.filter_map(Json::as_str).map(str::to_owned);
                let mut machines: Vec<String> = machines.collect();
                machines.sort_unstable();
                return Ok(Some(self.started(command, &machines)));
            }
            next = answer["NextToken"].clone();
            if !next.is_string() {
                return Ok(None);
            }
        }
    }
}

fn comment(token: &str) -> String {
    format!("windlass {token}")
}

/// The command and the machines of an id.
fn parts(id: &str) -> (&str, Vec<&str>) {
    let (command, machines) = id.split_once('/').unwrap_or((id, ""));
    (command, machines.split(',').collect())
}

impl ScriptHost for Ssm {
    fn name(&self) -> RuntimeName {
        RuntimeName::Ssm
    }

    fn check(&self) -> Result<(), Unavailable> {
        let (one, many) = (&self.options.target, &self.options.targets);
        let missing = [
            (one.is_none() && many.is_empty(), "no target is set"),
            (
                one.is_some() && !many.is_empty(),
                "both target and targets are set",
            ),
            (self.options.workspace.is_none(), "no workspace is set"),
            (self.options.aws.region().is_none(), "no region is set"),
        ];
        match missing.into_iter().find(|(is_missing, _)| *is_missing) {
            Some((_, problem)) => Err(not_configured(self.name(), problem)),
            None => Ok(()),
        }
    }

    fn place(&self) -> Place {
        Place {
            workspace: self.options.workspace.clone().unwrap_or_default(),
            transfer: self.options.transfer.clone(),
            uploads: Vec::new(),
            secrets: match &self.options.parameters {
                Some(path) => SecretSource::Parameters(path.clone()),
                None => SecretSource::Environment,
            },
            most_packed_bytes: MOST_PACKED_BYTES,
            grace: Duration::from_secs(5),
        }
    }

    fn start<'a>(&'a self, job: &'a ScriptJob) -> BoxFuture<'a, Result<Started, HostError>> {
        Box::pin(self.send_command(job))
    }

    fn starts_once(&self) -> bool {
        false
    }

    fn find<'a>(&'a self, job: &'a ScriptJob) -> BoxFuture<'a, Result<Option<Started>, HostError>> {
        Box::pin(self.find_command(&job.token))
    }

    fn follow<'a>(
        &'a self,
        id: &'a str,
        follower: &'a Follower,
    ) -> BoxFuture<'a, Result<HostEnd, HostError>> {
        Box::pin(self.follow_command(id, follower))
    }

    fn stop<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), HostError>> {
        Box::pin(async move {
            let (command, machines) = parts(id);
            let input = json!({"CommandId": command, "InstanceIds": machines});
            let _: Json = self.aws.call(Service::Ssm, "CancelCommand", &input).await?;
            Ok(())
        })
    }

    fn probe(&self) -> BoxFuture<'_, Result<String, HostError>> {
        Box::pin(async {
            let mut seen = Vec::new();
            for machine in self.chosen().await? {
                let known = self.machines("InstanceIds", &machine).await?;
                let Some((id, ping)) = known.first() else {
                    let message = format!("{machine} is not managed by Systems Manager");
                    let hint =
                        "Start its agent, and give it a role with AmazonSSMManagedInstanceCore.";
                    return Err(HostError::new(message).with_hint(hint));
                };
                seen.push(format!("{id} is managed, and {ping}"));
            }
            Ok(seen.join("; "))
        })
    }

    fn has_one_script(&self) -> bool {
        self.options.targets.is_empty()
    }

    fn start_within(&self) -> Duration {
        self.options.start_within
    }

    fn max_parallel(&self) -> usize {
        self.options.max_parallel
    }
}
