//! Runs steps as processes on this machine.
//!
//! A step ends with its processes: background processes are stopped before the next step starts.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use windlass_process::{Error, Spec, Supervisor};

use super::shell::{arguments, shell_missing};
use super::supervise::{RunJob, StopConditions, supervise};
use super::{Outcome, Runtime, StepRequest, Unavailable};
use crate::record::{Failure, FailureKind};
use crate::spec::{RunSpec, RuntimeName, Shell};

/// The configuration of the local runtime.
#[derive(Debug, Clone)]
pub struct LocalOptions {
    /// The time between TERM and KILL when a step times out, is cancelled or leaves processes
    /// behind.
    pub grace: Duration,
    /// Paths of shells that must not be looked up in `PATH`.
    pub shells: BTreeMap<&'static str, PathBuf>,
    /// Variables of the server that are hidden from steps, for example its own tokens.
    pub remove_environment: Vec<OsString>,
}

impl Default for LocalOptions {
    fn default() -> Self {
        Self {
            grace: Duration::from_secs(5),
            shells: BTreeMap::new(),
            remove_environment: Vec::new(),
        }
    }
}

/// Runs steps as processes on this machine.
pub struct Local {
    supervisor: Supervisor,
    options: LocalOptions,
}

impl Local {
    /// The processes run under `supervisor`.
    pub fn new(supervisor: Supervisor, options: LocalOptions) -> Self {
        Self {
            supervisor,
            options,
        }
    }

    fn spec(&self, request: &StepRequest<'_>) -> Spec {
        let shell = request.step.shell;
        let program = match self.options.shells.get(shell.name()) {
            Some(path) => path.clone().into_os_string(),
            None => shell.name().into(),
        };
        let mut spec = Spec::new(program, request.cwd)
            .args(arguments(shell, &request.step.command))
            .output_to(Arc::clone(&request.output))
            .env("WINDLASS_RUN_ID", request.run_id);
        for name in &self.options.remove_environment {
            spec = spec.env_remove(name);
        }
        for (name, value) in request.environment {
            spec = spec.env(name, value);
        }
        spec.label = format!("run {}: {}", request.run_id, request.step.name);
        spec.data = Some(Arc::new(RunJob {
            run_id: request.run_id.to_owned(),
            step: request.index,
        }));
        spec
    }
}

impl Runtime for Local {
    fn name(&self) -> RuntimeName {
        RuntimeName::Local
    }

    fn check(&self, _spec: &RunSpec) -> Result<(), Unavailable> {
        // A missing shell is reported when its step starts: an earlier step may install it.
        Ok(())
    }

    fn run<'a>(&'a self, request: StepRequest<'a>) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            let patience = StopConditions {
                timeout: request.timeout,
                cancel: request.cancel,
                grace: self.options.grace,
            };
            let spec = self.spec(&request);
            match supervise(&self.supervisor, spec, patience, async || {}).await {
                Ok(outcome) => outcome,
                Err(problem) => Outcome::Failed(not_started(request.step.shell, &problem)),
            }
        })
    }
}

fn not_started(shell: Shell, problem: &Error) -> Failure {
    match problem {
        Error::Spawn { source, .. } if source.kind() == io::ErrorKind::NotFound => {
            shell_missing(shell)
        }
        _ => Failure::new(FailureKind::Start, problem.to_string()),
    }
}
