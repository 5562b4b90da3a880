//! Executes the script of a run on a machine that AWS Systems Manager manages.

use std::time::Duration;

use futures::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::aws::{AwsClient, AwsOptions, Service};
use super::backoff::Pace;
use super::cloudwatch::LogStream;
use super::{Follower, HostEnd, HostError, ScriptHost, ScriptJob, Started, not_configured};
use crate::runtimes::Unavailable;
use crate::script::{Place, Script, SecretSource, Transfer};
use crate::spec::RuntimeName;

/// A command with all its parameters may have 64 KiB.
const MOST_PACKED_BYTES: usize = 60_000;

/// Systems Manager returns as many characters of an output; the rest is only in CloudWatch.
const MOST_OUTPUT: usize = 24_000;

/// How often the log is read after the command has ended: its last lines may come late.
const READS_AFTER_END: usize = 6;

/// How often a command is asked for that was just sent and is not known yet.
const TRIES_UNTIL_KNOWN: usize = 20;

const EXAMPLE: &str = "[runtimes.ssm]\nregion = \"eu-central-1\"\ntarget = \"i-0123456789abcdef0\"\n\
    workspace = \"/srv/project\"";

/// The settings of the runtime `ssm`.
#[derive(Debug, Clone, Default)]
pub struct SsmOptions {
    /// Region, endpoint and credentials.
    pub aws: AwsOptions,
    /// The machine: `i-…`, `mi-…`, or `tag:Name=value` for the first of them that is online.
    pub target: Option<String>,
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

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Invocation {
    #[serde(default)]
    status: String,
    #[serde(default)]
    status_details: String,
    #[serde(default)]
    standard_output_content: String,
    #[serde(default)]
    standard_error_content: String,
}

impl Invocation {
    /// Pending, InProgress, Delayed and Cancelling are not.
    fn has_ended(&self) -> bool {
        matches!(
            &*self.status,
            "Success" | "Cancelled" | "TimedOut" | "Failed"
        )
    }
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

    /// The machine that executes the next command.
    async fn machine(&self) -> Result<String, HostError> {
        let target = self.options.target.as_deref().unwrap_or_default();
        let Some((tag, value)) = target
            .strip_prefix("tag:")
            .and_then(|tag| tag.split_once('='))
        else {
            return Ok(target.to_owned());
        };
        let found = self.machines(&format!("tag:{tag}"), value).await?;
        let online = found.iter().filter(|(_, ping)| ping == "Online");
        let online = online.map(|(id, _)| id.clone()).min();
        online.ok_or_else(|| {
            let count = found.len();
            HostError::new(format!(
                "No machine with {target} is online ({count} known)"
            ))
            .with_hint("The agent of Systems Manager must run there, with a role that allows it.")
        })
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
        let machine = self.machine().await?;
        let packed = job.script.packed_within(MOST_PACKED_BYTES);
        let packed = packed.map_err(|why| HostError::new(why.message).with_hint(why.hint))?;
        let seconds = self.options.start_within.as_secs().clamp(30, 2_592_000);
        let mut input = json!({
            "DocumentName": self.document(),
            "InstanceIds": [machine],
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
        Ok(self.started(command, &machine))
    }

    fn started(&self, command: &str, machine: &str) -> Started {
        let region = self.options.aws.region().unwrap_or_default();
        let url = format!(
            "https://{region}.console.aws.amazon.com/systems-manager/run-command/{command}/{machine}?region={region}"
        );
        Started {
            id: format!("{command}/{machine}"),
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
                let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
                let (command, machine) = (text(&own["CommandId"]), text(&own["InstanceIds"][0]));
                return Ok(Some(self.started(&command, &machine)));
            }
            next = answer["NextToken"].clone();
            if !next.is_string() {
                return Ok(None);
            }
        }
    }

    async fn follow_command(&self, id: &str, follower: &Follower) -> Result<HostEnd, HostError> {
        let (command, machine) = parts(id);
        let plugin = "aws-runShellScript";
        let mut log = self
            .options
            .log_group
            .as_deref()
            .map(|group| LogStream::new(group, format!("{command}/{machine}/{plugin}/stdout")));
        let mut pace = Pace::new(self.options.poll, self.options.poll * 5);
        let (mut state, mut unknown) = (String::new(), 0);
        loop {
            let input = json!({"CommandId": command, "InstanceId": machine});
            let asked = self
                .aws
                .call(Service::Ssm, "GetCommandInvocation", &input)
                .await;
            let invocation: Invocation = match asked {
                Ok(invocation) => invocation,
                // It was sent a moment ago.
                Err(problem)
                    if problem.is("InvocationDoesNotExist") && unknown < TRIES_UNTIL_KNOWN =>
                {
                    unknown += 1;
                    pace.wait(true).await;
                    continue;
                }
                Err(problem) => return Err(problem.into()),
            };
            let is_other = invocation.status != state;
            state.clone_from(&invocation.status);
            follower.state(&state).await;
            let mut is_new = false;
            if let Some(log) = &mut log {
                is_new = log.read(&self.aws, follower).await?;
            }
            if invocation.has_ended() {
                if let Some(log) = &mut log {
                    for _ in 0..READS_AFTER_END {
                        tokio::time::sleep(self.options.poll).await;
                        log.read(&self.aws, follower).await?;
                    }
                }
                return Ok(self.end_of(invocation, log.is_some(), follower).await);
            }
            pace.wait(is_new || is_other).await;
        }
    }

    async fn end_of(&self, ended: Invocation, has_log: bool, follower: &Follower) -> HostEnd {
        let length = ended.standard_output_content.chars().count();
        let mut output = ended.standard_output_content.into_bytes();
        output.push(b'\n');
        follower.output(output).await;
        let mut problem = format!("the command ended: {}", ended.status_details);
        let said = ended.standard_error_content.trim();
        if !said.is_empty() {
            let said: String = said.chars().take(500).collect();
            problem = format!("{problem}; {said}");
        }
        if !has_log && length >= MOST_OUTPUT {
            problem = format!(
                "{problem}; only the first {MOST_OUTPUT} characters of its output are known: set \
                 log_group under [runtimes.ssm]"
            );
        }
        HostEnd {
            problem: Some(problem),
        }
    }
}

fn comment(token: &str) -> String {
    format!("windlass {token}")
}

/// The command and the machine of an id.
fn parts(id: &str) -> (&str, &str) {
    id.split_once('/').unwrap_or((id, ""))
}

impl ScriptHost for Ssm {
    fn name(&self) -> RuntimeName {
        RuntimeName::Ssm
    }

    fn check(&self) -> Result<(), Unavailable> {
        let missing = [
            (self.options.target.is_none(), "no target is set"),
            (self.options.workspace.is_none(), "no workspace is set"),
            (self.options.aws.region().is_none(), "no region is set"),
        ];
        match missing.into_iter().find(|(is_missing, _)| *is_missing) {
            Some((_, problem)) => Err(not_configured(self.name(), problem, EXAMPLE)),
            None => Ok(()),
        }
    }

    fn place(&self) -> Place {
        Place {
            workspace: self.options.workspace.clone().unwrap_or_default(),
            transfer: self.options.transfer.clone(),
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
            let (command, machine) = parts(id);
            let input = json!({"CommandId": command, "InstanceIds": [machine]});
            let _: Json = self.aws.call(Service::Ssm, "CancelCommand", &input).await?;
            Ok(())
        })
    }

    fn probe(&self) -> BoxFuture<'_, Result<String, HostError>> {
        Box::pin(async {
            let machine = self.machine().await?;
            let known = self.machines("InstanceIds", &machine).await?;
            match known.first() {
                Some((id, ping)) => Ok(format!("{id} is managed, and {ping}")),
                None => Err(HostError::new(format!("{machine} is not managed by Systems Manager"))
                    .with_hint("Start its agent, and give it a role with AmazonSSMManagedInstanceCore.")),
            }
        })
    }

    fn start_within(&self) -> Duration {
        self.options.start_within
    }

    fn max_parallel(&self) -> usize {
        self.options.max_parallel
    }
}
