//! The places that execute the script of a run: one folder or file each, behind one trait.
//!
//! A host only starts the script, returns what it writes, and stops it. It knows nothing of steps.

mod aws;
mod backoff;
mod cloudwatch;
mod docker;
mod ecs;
mod github;
mod http;
mod ssm;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::sync::mpsc;

pub use aws::AwsOptions;
pub use backoff::Backoff;
pub use docker::{Docker, DockerOptions};
pub use ecs::{EcsOptions, EcsTask};
pub use github::{GithubOptions, GithubRunner, TokenSource, Workflow};
pub use ssm::{Ssm, SsmOptions};

use crate::runtimes::Unavailable;
use crate::script::{Event, Place, Script};
use crate::spec::RuntimeName;

/// A place that executes scripts.
pub trait ScriptHost: Send + Sync {
    /// The runtime that it is.
    fn name(&self) -> RuntimeName;

    /// Checks the settings, without a request.
    fn check(&self) -> Result<(), Unavailable>;

    /// What a script has to know about it.
    fn place(&self) -> Place;

    /// Starts the script.
    fn start<'a>(&'a self, job: &'a ScriptJob) -> BoxFuture<'a, Result<Started, HostError>>;

    /// Whether a second start under the same token starts nothing, so that it may be tried.
    fn starts_once(&self) -> bool;

    /// Finds what was started under a token.
    fn find<'a>(&'a self, job: &'a ScriptJob) -> BoxFuture<'a, Result<Option<Started>, HostError>>;

    /// Sends the output of the script from its first byte on, and returns when nothing follows.
    fn follow<'a>(
        &'a self,
        id: &'a str,
        follower: &'a Follower,
    ) -> BoxFuture<'a, Result<HostEnd, HostError>>;

    /// Stops it. It may have ended already.
    fn stop<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), HostError>>;

    /// Removes what it leaves behind. Called when the run is over.
    fn clean_up<'a>(&'a self, id: &'a str) -> BoxFuture<'a, ()> {
        let _ = id;
        Box::pin(async {})
    }

    /// A harmless request, and what it showed.
    fn probe(&self) -> BoxFuture<'_, Result<String, HostError>>;

    /// How long it may take until the script begins.
    fn start_within(&self) -> Duration;

    /// Whether a run is executed by one script. Several would upload to the same places.
    fn has_one_script(&self) -> bool {
        true
    }

    /// The number of runs that it executes at once.
    fn max_parallel(&self) -> usize;
}

/// A script to execute.
pub struct ScriptJob {
    /// The run.
    pub run_id: String,
    /// The name under which it is started: letters and digits.
    pub token: String,
    /// The script.
    pub script: Script,
    /// Secrets for its environment, by the names that [`given_name`](crate::script::given_name)
    /// makes; only where the place takes secrets from here.
    pub secrets: BTreeMap<String, OsString>,
    /// A folder of this machine for the run, for places that share folders with it.
    pub folder: PathBuf,
    /// The project's folder.
    pub root: PathBuf,
}

/// A script that was started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    /// Its id there.
    pub id: String,
    /// A page that shows it.
    pub url: Option<String>,
}

/// How a script's place sees its end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostEnd {
    /// Why it ended, if the place ended it and not the script itself.
    pub problem: Option<String>,
}

/// What is known of a script while it runs.
#[derive(Debug)]
pub enum Followed {
    /// Its output.
    Output(Vec<u8>),
    /// What it said, where several scripts are seen as one.
    Event(Event),
    /// Its state, in the words of its place.
    State(String),
    /// It runs, though nothing of its output is known yet.
    Running,
}

/// Receives what a host follows.
pub struct Follower {
    nonce: String,
    sender: mpsc::Sender<Followed>,
}

impl Follower {
    /// A follower of a script with this nonce, and where its news arrive.
    pub fn new(nonce: &str) -> (Self, mpsc::Receiver<Followed>) {
        let (sender, receiver) = mpsc::channel(16);
        let nonce = nonce.to_owned();
        (Self { nonce, sender }, receiver)
    }

    /// What the frames of the script are recognised by.
    pub fn nonce(&self) -> &str {
        &self.nonce
    }

    /// Output; waits while there is more than is read.
    pub async fn output(&self, bytes: Vec<u8>) {
        if !bytes.is_empty() {
            // Nobody reads any more when the run is over.
            let _ = self.sender.send(Followed::Output(bytes)).await;
        }
    }

    /// Events, where the host itself reads the frames.
    pub async fn events(&self, events: Vec<Event>) {
        for event in events {
            let _ = self.sender.send(Followed::Event(event)).await;
        }
    }

    /// It runs.
    pub async fn running(&self) {
        let _ = self.sender.send(Followed::Running).await;
    }

    /// A state.
    pub async fn state(&self, state: &str) {
        let state = Followed::State(state.to_owned());
        let _ = self.sender.send(state).await;
    }
}

/// Why a host could not do something.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct HostError {
    /// What happened; it contains no secret.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl HostError {
    /// An error without a hint.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: None,
        }
    }

    /// Adds what to do.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl From<Unavailable> for HostError {
    fn from(problem: Unavailable) -> Self {
        Self::new(problem.message).with_hint(problem.hint)
    }
}

/// A runtime whose settings are missing or wrong.
pub(crate) fn not_configured(runtime: RuntimeName, problem: &str) -> Unavailable {
    Unavailable {
        runtime,
        message: format!("Runtime {runtime} not supported: {problem}"),
        hint: set_up(runtime),
    }
}

/// How to set a runtime up, with an example.
pub(crate) fn set_up(runtime: RuntimeName) -> String {
    let example = match runtime {
        RuntimeName::Docker => docker::EXAMPLE,
        RuntimeName::GithubRunner => github::EXAMPLE,
        RuntimeName::EcsTask => ecs::EXAMPLE,
        RuntimeName::Ssm => ssm::EXAMPLE,
        RuntimeName::Dummy | RuntimeName::Local => return "It needs no settings.".to_owned(),
    };
    format!("Set it up in .windlass/config.toml, and let a person allow the file:\n{example}")
}
