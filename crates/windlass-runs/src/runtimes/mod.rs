//! Where steps are executed. Each runtime is one file behind one trait.

mod docker;
mod dummy;
mod local;
mod not_configured;
mod shell;
mod supervise;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;
use windlass_process::OutputSink;

pub use docker::{Docker, DockerOptions};
pub use dummy::Dummy;
pub use local::{Local, LocalOptions};
pub use not_configured::NotConfigured;
pub use supervise::RunJob;

use crate::record::Failure;
use crate::spec::{RunSpec, RuntimeName, Step};

/// Executes steps somewhere.
pub trait Runtime: Send + Sync {
    /// Its name.
    fn name(&self) -> RuntimeName;

    /// Whether it is set up for `spec`. Asked when a run is created, and again before it starts.
    fn check(&self, spec: &RunSpec) -> Result<(), Unavailable>;

    /// Whether nothing is executed, so that there is nothing to expect and nothing to keep.
    fn is_simulation(&self) -> bool {
        false
    }

    /// Executes one step to its end. When it answers, nothing of the step is running any more.
    fn run<'a>(&'a self, step: StepRequest<'a>) -> BoxFuture<'a, Outcome>;

    /// Ends what a run left behind whose server was killed. Processes of this machine end by
    /// themselves then.
    fn end_leftovers<'a>(&'a self, run_id: &'a str, root: &'a Path) -> BoxFuture<'a, ()> {
        let _ = (run_id, root);
        Box::pin(async {})
    }
}

/// One step to execute.
pub struct StepRequest<'a> {
    /// The run.
    pub run_id: &'a str,
    /// The step's index.
    pub index: usize,
    /// The step.
    pub step: &'a Step,
    /// The project, canonical.
    pub root: &'a Path,
    /// The step's folder, canonical and inside the project.
    pub cwd: &'a Path,
    /// The environment of the run.
    pub environment: &'a BTreeMap<String, OsString>,
    /// Takes the output; it masks by itself.
    pub output: Arc<dyn OutputSink>,
    /// When to give up.
    pub timeout: Option<Duration>,
    /// Whether to give up now.
    pub cancel: &'a CancellationToken,
}

/// How a step came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The command ended; a signal counts as 128 and its number.
    Ended {
        /// The exit code.
        code: i32,
        /// The signal that ended it.
        signal: Option<i32>,
    },
    /// It took longer than this, and was ended.
    TimedOut(Duration),
    /// It was ended since the run was cancelled.
    Cancelled,
    /// It could not be executed, or was lost.
    Failed(Failure),
}

/// A runtime that is not set up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Unavailable {
    /// Which.
    pub runtime: RuntimeName,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

impl Unavailable {
    /// A runtime that this binary does not have, in the words of the contract.
    pub fn not_supported(runtime: RuntimeName) -> Self {
        Self {
            runtime,
            message: format!(
                "Runtime {runtime} not supported by DummyExecutorAdapter. Only 'dummy' runtime is \
                 supported in I631."
            ),
            hint: format!(
                "Runs are executed by `dummy`, `local` and `docker` here. `{runtime}` will be set \
                 up under [runs.{runtime}] in .windlass/config.toml."
            ),
        }
    }
}
