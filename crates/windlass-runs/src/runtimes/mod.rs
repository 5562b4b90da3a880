//! The runtimes that execute steps: one file each, behind one trait.

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

pub use dummy::Dummy;
pub use local::{Local, LocalOptions};
pub use not_configured::NotConfigured;
pub(crate) use shell::{arguments as shell_arguments, shell_missing};
pub use supervise::RunJob;
pub(crate) use supervise::{StopConditions, supervise};

use crate::hosts::set_up;
use crate::record::Failure;
use crate::spec::{RunSpec, RuntimeName, Step};

/// Executes steps.
pub trait Runtime: Send + Sync {
    /// Its name.
    fn name(&self) -> RuntimeName;

    /// Checks whether it is configured for `spec`. Called when a run is created, and again before
    /// it starts.
    fn check(&self, spec: &RunSpec) -> Result<(), Unavailable>;

    /// Whether nothing is executed, so that there are no expectations to check and no artifacts to
    /// store.
    fn is_simulation(&self) -> bool {
        false
    }

    /// Executes one step until it ends. When it returns, no process of the step is running.
    fn run<'a>(&'a self, step: StepRequest<'a>) -> BoxFuture<'a, Outcome>;

    /// Stops what is left of a run whose server was killed. Processes of this machine exit by
    /// themselves in that case.
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
    /// The project folder, canonical.
    pub root: &'a Path,
    /// The step's folder, canonical and inside the project.
    pub cwd: &'a Path,
    /// The environment of the run.
    pub environment: &'a BTreeMap<String, OsString>,
    /// Receives the output and masks it.
    pub output: Arc<dyn OutputSink>,
    /// The time limit.
    pub timeout: Option<Duration>,
    /// Cancels the step.
    pub cancel: &'a CancellationToken,
}

/// The result of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The command ended; a signal counts as exit code 128 plus its number.
    Ended {
        /// The exit code.
        code: i32,
        /// The signal that ended it.
        signal: Option<i32>,
    },
    /// It exceeded this time limit and was stopped.
    TimedOut(Duration),
    /// It was stopped because the run was cancelled.
    Cancelled,
    /// It could not be executed, or its process was lost.
    Failed(Failure),
}

/// A runtime that is not configured.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Unavailable {
    /// The runtime.
    pub runtime: RuntimeName,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

impl Unavailable {
    /// A runtime that this binary does not have, with the message that the runs contract fixes.
    pub fn not_supported(runtime: RuntimeName) -> Self {
        Self {
            runtime,
            message: format!(
                "Runtime {runtime} not supported by DummyExecutorAdapter. Only 'dummy' runtime is \
                 supported in I631."
            ),
            hint: set_up(runtime),
        }
    }
}
