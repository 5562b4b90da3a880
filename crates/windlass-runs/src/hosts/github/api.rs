//! The requests to GitHub that are needed, with its limits honoured.

use std::sync::OnceLock;
use std::time::Duration;

use reqwest::{Method, Response, StatusCode};
use serde::Deserialize;
use serde_json::{Value as Json, json};
use windlass_core::Timestamp;

use super::GithubOptions;
use crate::hosts::HostError;
use crate::hosts::backoff::Failed;
use crate::hosts::http::{self, unanswered};

/// The version of the interface that these requests were written for.
const VERSION: &str = "2022-11-28";

/// The runs of one answer: few, because a run is among the newest, and each has a dozen kilobytes. GitHub
/// returns a thousand in all.
const PAGE: usize = 30;
const MOST_PAGES: usize = 34;

pub struct Api {
    client: OnceLock<reqwest::Client>,
    options: GithubOptions,
}

#[derive(Debug, Deserialize)]
pub struct WorkflowRun {
    pub id: u64,
    #[serde(default)]
    pub name: Option<String>,
    #[serde(default)]
    pub display_title: String,
    #[serde(default)]
    pub created_at: String,
    pub status: Option<String>,
    pub conclusion: Option<String>,
    #[serde(default)]
    pub html_url: String,
}

#[derive(Debug, Deserialize)]
pub struct Job {
    pub id: u64,
}

#[derive(Deserialize)]
struct Runs {
    #[serde(default)]
    workflow_runs: Vec<WorkflowRun>,
}

#[derive(Deserialize)]
struct Jobs {
    #[serde(default)]
    jobs: Vec<Job>,
}

impl Api {
    pub fn new(options: GithubOptions) -> Self {
        Self {
            client: OnceLock::new(),
            options,
        }
    }

    fn repository(&self) -> &str {
        self.options.repository.as_deref().unwrap_or_default()
    }

    /// Starts the workflow. GitHub does not say which run that made.
    pub async fn dispatch(&self, git_ref: &str, inputs: &Json) -> Result<(), HostError> {
        let path = format!("actions/workflows/{}/dispatches", self.options.workflow);
        let body = json!({"ref": git_ref, "inputs": inputs});
        self.request(Method::POST, &path, Some(&body))
            .await
            .map(drop)
    }

    /// Looks for a run among those that were started since a moment, newest first. GitHub could leave
    /// out older ones itself, but its description does not allow the words for that.
    pub async fn find_since(
        &self,
        since: &Timestamp,
        is_wanted: impl Fn(&WorkflowRun) -> bool,
    ) -> Result<Option<WorkflowRun>, HostError> {
        for page in 1..=MOST_PAGES {
            let path = format!(
                "actions/workflows/{}/runs?event=workflow_dispatch&per_page={PAGE}&page={page}",
                self.options.workflow
            );
            let runs: Runs = self.read(&path).await?;
            let oldest = runs.workflow_runs.last();
            let oldest = oldest.and_then(|run| Timestamp::parse_foreign(&run.created_at));
            let is_old = oldest.is_some_and(|it| it.as_millis() < since.as_millis());
            let is_last = runs.workflow_runs.len() < PAGE || is_old;
            let found = runs.workflow_runs.into_iter().find(&is_wanted);
            if found.is_some() || is_last {
                return Ok(found);
            }
        }
        Ok(None)
    }

    pub async fn run(&self, id: &str) -> Result<WorkflowRun, HostError> {
        self.read(&format!("actions/runs/{id}")).await
    }

    pub async fn jobs(&self, id: &str) -> Result<Vec<Job>, HostError> {
        let jobs: Jobs = self
            .read(&format!("actions/runs/{id}/jobs?filter=latest"))
            .await?;
        Ok(jobs.jobs)
    }

    /// The log of a job that has ended; `None` if it is not there, or not any more.
    pub async fn log(&self, job: u64) -> Result<Option<Response>, HostError> {
        let path = format!("actions/jobs/{job}/logs");
        match self.request(Method::GET, &path, None).await {
            Ok(response) => Ok(Some(response)),
            Err(problem) if is_gone(&problem) => Ok(None),
            Err(problem) => Err(problem),
        }
    }

    pub async fn cancel(&self, id: &str) -> Result<(), HostError> {
        let path = format!("actions/runs/{id}/cancel");
        self.request(Method::POST, &path, None).await.map(drop)
    }

    pub async fn default_branch(&self) -> Result<String, HostError> {
        let about: Json = self.read("").await?;
        let branch = about["default_branch"].as_str();
        Ok(branch.unwrap_or("main").to_owned())
    }

    /// Whether the workflow is there, and its state.
    pub async fn workflow(&self) -> Result<Json, HostError> {
        self.read(&format!("actions/workflows/{}", self.options.workflow))
            .await
    }

    async fn read<T: serde::de::DeserializeOwned>(&self, path: &str) -> Result<T, HostError> {
        let response = self.request(Method::GET, path, None).await?;
        let text = response
            .bytes()
            .await
            .map_err(|problem| HostError::new(problem.without_url().to_string()))?;
        serde_json::from_slice(&text).map_err(|problem| {
            HostError::new(format!(
                "GitHub: the answer to {path} is not understood: {problem}"
            ))
        })
    }

    async fn request(
        &self,
        method: Method,
        path: &str,
        body: Option<&Json>,
    ) -> Result<Response, HostError> {
        let client = if let Some(client) = self.client.get() {
            client
        } else {
            let made = http::client()?;
            self.client.get_or_init(|| made)
        };
        let token = self.options.token.read().await?;
        let path = if path.is_empty() {
            String::new()
        } else {
            format!("/{path}")
        };
        let repository = self.repository();
        let url = format!(
            "{}/repos/{repository}{path}",
            self.options.api.trim_end_matches('/')
        );
        let mut tries = self.options.backoff.begin();
        loop {
            let mut request = client
                .request(method.clone(), &url)
                .header("accept", "application/vnd.github+json")
                .header("x-github-api-version", VERSION)
                .bearer_auth(&token);
            if let Some(body) = body {
                request = request
                    .header("content-type", "application/json")
                    .body(body.to_string());
            }
            let failed = match request.send().await {
                Ok(response) if response.status().is_success() => return Ok(response),
                Ok(response) => refused(&method, &path, response).await,
                Err(problem) => unanswered("GitHub", problem),
            };
            tries.after(failed).await?;
        }
    }
}

/// The mark of an answer that says that something does not exist.
const GONE: &[&str] = &["404 Not Found", "410 Gone"];

fn is_gone(problem: &HostError) -> bool {
    GONE.iter().any(|gone| problem.message.contains(gone))
}

async fn refused(method: &Method, path: &str, response: Response) -> Failed {
    let (status, wait) = (response.status(), wait_of(&response));
    let text = response.text().await.unwrap_or_default();
    let said: Json = serde_json::from_str(&text).unwrap_or_default();
    let said = said["message"].as_str().unwrap_or_default();
    let what = path
        .split('?')
        .next()
        .unwrap_or_default()
        .trim_start_matches('/');
    let problem = HostError::new(
        format!("GitHub: {method} {what}: {status} {said}")
            .trim()
            .to_owned(),
    );
    let is_limited = status == StatusCode::TOO_MANY_REQUESTS
        || (status == StatusCode::FORBIDDEN
            && (wait.is_some() || said.to_ascii_lowercase().contains("rate limit")));
    if is_limited {
        // A secondary limit without a time: GitHub asks for at least a minute.
        let wait = wait.unwrap_or(Duration::from_mins(1));
        return Failed::Again(problem, Some(wait));
    }
    if status.is_server_error() {
        return Failed::Again(problem, wait);
    }
    Failed::Finally(match status {
        StatusCode::UNAUTHORIZED => problem.with_hint(
            "The token is wrong or expired: set GITHUB_TOKEN, `token` under \
             [runtimes.github-runner], or log in with gh auth login.",
        ),
        StatusCode::FORBIDDEN => {
            problem.with_hint("The token needs the permission Actions: read and write.")
        }
        StatusCode::NOT_FOUND => problem.with_hint(
            "Is `repository` right, may the token see it, and is the workflow on its default \
             branch? `runs github install` on the command line writes it.",
        ),
        StatusCode::UNPROCESSABLE_ENTITY => problem.with_hint(
            "Is the workflow on the branch that `ref` names, as `runs github install` \
             writes it?",
        ),
        _ => problem,
    })
}

/// How long GitHub asks to wait: `retry-after`, or until its limit is reset.
fn wait_of(response: &Response) -> Option<Duration> {
    let header = |name: &str| {
        response
            .headers()
            .get(name)?
            .to_str()
            .ok()?
            .parse::<i64>()
            .ok()
    };
    if let Some(seconds) = header("retry-after") {
        return u64::try_from(seconds).ok().map(Duration::from_secs);
    }
    if header("x-ratelimit-remaining") == Some(0) {
        let left = header("x-ratelimit-reset")? - Timestamp::now().as_millis() / 1000;
        return Some(Duration::from_secs(u64::try_from(left).unwrap_or(0) + 1));
    }
    None
}
