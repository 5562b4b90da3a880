//! Executes the script of a run in a workflow of GitHub Actions.
//!
//! A dispatch does not say which run it made, so the run is found by its name, which has the token. A
//! log is there when its job has ended: until then only the state of the run is known.

mod api;
mod token;
mod workflow;

use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::json;
use windlass_core::Timestamp;

use self::api::{Api, WorkflowRun};
use super::backoff::{Backoff, Pace};
use super::{Follower, HostEnd, HostError, ScriptHost, ScriptJob, Started, not_configured};
use crate::runtimes::Unavailable;
use crate::script::{Place, SecretSource, Transfer};
use crate::spec::RuntimeName;

pub use token::TokenSource;
pub use workflow::Workflow;

/// All inputs together may have 65,535 characters.
const MOST_PACKED_BYTES: usize = 65_000;

/// The clocks of this machine and of GitHub may differ by as much.
const CLOCK_DIFFERENCE: Duration = Duration::from_mins(5);

/// How often a log is asked for that should be there.
const TRIES_FOR_LOG: usize = 5;

pub(super) const EXAMPLE: &str = "[runtimes.github-runner]\nrepository = \"owner/name\"";

/// The settings of the runtime `github-runner`.
#[derive(Debug, Clone)]
pub struct GithubOptions {
    /// The address of the interface: `https://api.github.com`, or `https://HOST/api/v3`.
    pub api: String,
    /// `owner/name`.
    pub repository: Option<String>,
    /// The name of the workflow's file.
    pub workflow: String,
    /// The branch or tag that is run; the default branch if omitted.
    pub git_ref: Option<String>,
    /// The token.
    pub token: TokenSource,
    /// Files in the log.
    pub transfer: Transfer,
    /// The shortest time between two questions about a run.
    pub poll: Duration,
    /// How long a run may wait for a runner.
    pub start_within: Duration,
    /// How long a dispatched run may take to appear.
    pub appear_within: Duration,
    /// Runs at once.
    pub max_parallel: usize,
    /// How requests are repeated.
    pub backoff: Backoff,
}

/// Executes scripts in workflows.
pub struct GithubRunner {
    api: Api,
    options: GithubOptions,
}

impl GithubRunner {
    /// Nothing is requested before the first run.
    pub fn new(options: GithubOptions) -> Self {
        Self {
            api: Api::new(options.clone()),
            options,
        }
    }

    async fn dispatch(&self, job: &ScriptJob) -> Result<Started, HostError> {
        let packed = job.script.packed_within(MOST_PACKED_BYTES);
        let packed = packed.map_err(|why| HostError::new(why.message).with_hint(why.hint))?;
        let git_ref = match &self.options.git_ref {
            Some(git_ref) => git_ref.clone(),
            None => self.api.default_branch().await?,
        };
        let inputs = json!({"id": job.token, "script": packed});
        self.api.dispatch(&git_ref, &inputs).await?;
        let found = self.find_run(&job.token, CLOCK_DIFFERENCE).await?;
        found.ok_or_else(|| {
            let within = self.options.appear_within;
            HostError::new(format!(
                "GitHub took the run and does not show it within {within:?}"
            ))
            .with_hint("Is its name in the workflow `run-name: windlass ${{ inputs.id }}`?")
        })
    }

    /// Looks for the run of a token that was dispatched at most so long ago. It may take a while to
    /// appear.
    async fn find_run(&self, token: &str, ago: Duration) -> Result<Option<Started>, HostError> {
        let until = tokio::time::Instant::now() + self.options.appear_within;
        let ago = i64::try_from(ago.as_millis()).unwrap_or(0);
        let since = Timestamp::from_millis(Timestamp::now().as_millis() - ago);
        let name = format!("windlass {token}");
        let is_own =
            |run: &WorkflowRun| run.display_title == name || run.name.as_deref() == Some(&name);
        let mut pace = Pace::new(self.options.poll, self.options.poll * 3);
        loop {
            if let Some(run) = self.api.find_since(&since, is_own).await? {
                return Ok(Some(Started {
                    id: run.id.to_string(),
                    url: (!run.html_url.is_empty()).then_some(run.html_url),
                }));
            }
            if tokio::time::Instant::now() >= until {
                return Ok(None);
            }
            pace.wait(false).await;
        }
    }

    async fn follow_run(&self, id: &str, follower: &Follower) -> Result<HostEnd, HostError> {
        let mut pace = Pace::new(self.options.poll, self.options.poll * 4);
        let mut last = String::new();
        let run = loop {
            let run = self.api.run(id).await?;
            let state = run.status.clone().unwrap_or_default();
            if state == "completed" {
                break run;
            }
            let is_other = state != last;
            follower.state(&state).await;
            if state == "in_progress" {
                follower.running().await;
            }
            last = state;
            pace.wait(is_other).await;
        };
        let conclusion = run.conclusion.unwrap_or_default();
        follower.state(&conclusion).await;
        let has_log = self.read_logs(id, follower).await?;
        let mut problem = match conclusion.as_str() {
            "success" | "failure" => format!("the workflow ended with {conclusion}"),
            "cancelled" => "someone cancelled the workflow run".to_owned(),
            "timed_out" => "the job took longer than timeout-minutes of the workflow".to_owned(),
            "startup_failure" => "the workflow could not be started".to_owned(),
            "action_required" => "the workflow run needs an approval on GitHub".to_owned(),
            "stale" => "GitHub gave the run up".to_owned(),
            other => format!("the workflow ended with {other}"),
        };
        if !has_log {
            problem = format!("{problem}, and its log is gone");
        }
        Ok(HostEnd {
            problem: Some(problem),
        })
    }

    /// Sends the logs of all jobs. Returns whether there were any.
    async fn read_logs(&self, id: &str, follower: &Follower) -> Result<bool, HostError> {
        let mut has_log = false;
        for job in self.api.jobs(id).await? {
            for _ in 0..TRIES_FOR_LOG {
                let Some(mut log) = self.api.log(job.id).await? else {
                    tokio::time::sleep(self.options.poll).await;
                    continue;
                };
                has_log = true;
                let cut = |problem: reqwest::Error| {
                    HostError::new(format!("The log was cut off: {}", problem.without_url()))
                };
                while let Some(bytes) = log.chunk().await.map_err(cut)? {
                    follower.output(bytes.to_vec()).await;
                }
                break;
            }
        }
        Ok(has_log)
    }
}

impl ScriptHost for GithubRunner {
    fn name(&self) -> RuntimeName {
        RuntimeName::GithubRunner
    }

    fn check(&self) -> Result<(), Unavailable> {
        match self.options.repository.as_deref() {
            None => Err(not_configured(self.name(), "no repository is set")),
            Some(name) if name.split('/').filter(|part| !part.is_empty()).count() != 2 => {
                let problem = format!("repository = \"{name}\" is not owner/name");
                Err(not_configured(self.name(), &problem))
            }
            Some(_) => Ok(()),
        }
    }

    fn place(&self) -> Place {
        Place {
            workspace: String::new(),
            transfer: self.options.transfer.clone(),
            uploads: Vec::new(),
            secrets: SecretSource::Environment,
            most_packed_bytes: MOST_PACKED_BYTES,
            grace: Duration::from_secs(5),
        }
    }

    fn start<'a>(&'a self, job: &'a ScriptJob) -> BoxFuture<'a, Result<Started, HostError>> {
        Box::pin(self.dispatch(job))
    }

    fn starts_once(&self) -> bool {
        false
    }

    fn find<'a>(&'a self, job: &'a ScriptJob) -> BoxFuture<'a, Result<Option<Started>, HostError>> {
        // An earlier process dispatched it, which may have been a while ago.
        Box::pin(self.find_run(&job.token, Duration::from_hours(24) + CLOCK_DIFFERENCE))
    }

    fn follow<'a>(
        &'a self,
        id: &'a str,
        follower: &'a Follower,
    ) -> BoxFuture<'a, Result<HostEnd, HostError>> {
        Box::pin(self.follow_run(id, follower))
    }

    fn stop<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), HostError>> {
        Box::pin(self.api.cancel(id))
    }

    fn probe(&self) -> BoxFuture<'_, Result<String, HostError>> {
        Box::pin(async {
            let workflow = self.api.workflow().await?;
            let (name, state) = (&workflow["path"], &workflow["state"]);
            let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
            Ok(format!(
                "the repository has {}, which is {}",
                text(name),
                text(state)
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
