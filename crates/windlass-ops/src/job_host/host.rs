//! The one owner of all processes that this process starts. Its parts are created when they are first
//! needed: most processes never start a job.

use std::sync::{Arc, OnceLock};

use windlass_core::Result;

use super::command_jobs::CommandJobs;
use super::gate_executor::GateExecutor;
use super::machine::PRIVATE;
use super::run_executor::RunExecutor;
use crate::code::Scripts;
use crate::workspace::Workspace;

/// How long this process lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// Until it is stopped: it can run gates in the background.
    Server,
    /// Until its one command has finished: it would start background gates and stop them when it
    /// exits.
    Command,
}

pub struct JobHost {
    workspace: Arc<Workspace>,
    lifetime: Lifetime,
    jobs: OnceLock<CommandJobs>,
    runs: OnceLock<Result<RunExecutor>>,
    gates: OnceLock<GateExecutor>,
    scripts: OnceLock<Scripts>,
}

impl JobHost {
    pub fn new(workspace: Arc<Workspace>, lifetime: Lifetime) -> Self {
        super::alive::work_in(workspace.project().state());
        Self {
            workspace,
            lifetime,
            jobs: OnceLock::new(),
            runs: OnceLock::new(),
            gates: OnceLock::new(),
            scripts: OnceLock::new(),
        }
    }

    pub fn workspace(&self) -> &Arc<Workspace> {
        &self.workspace
    }

    /// Whether this process lives long enough to run gates in the background.
    pub fn is_lasting(&self) -> bool {
        self.lifetime == Lifetime::Server
    }

    /// The jobs of commands. To be called within a runtime.
    pub fn command_jobs(&self) -> Result<&CommandJobs> {
        let limits = self.workspace.commands_config()?.limits();
        Ok(self.jobs.get_or_init(|| {
            let shim = self.workspace.machine().shim.clone();
            CommandJobs::new(self.workspace.project().state(), shim, limits)
        }))
    }

    /// The jobs of commands, if this process has started any.
    pub fn started_jobs(&self) -> Option<&CommandJobs> {
        self.jobs.get()
    }

    /// What executes runs.
    pub fn runs(&self) -> Result<&RunExecutor> {
        let runs = self.runs.get_or_init(|| {
            let machine = self.workspace.machine();
            RunExecutor::new(
                self.workspace.project(),
                machine.shim.clone(),
                machine.environment.0.clone(),
                PRIVATE,
                &self.workspace.config()?.runs,
            )
        });
        runs.as_ref().map_err(Clone::clone)
    }

    /// Where gates run. To be called within a runtime.
    pub fn gates(&self) -> &GateExecutor {
        self.gates
            .get_or_init(|| GateExecutor::new(self.workspace.machine().shim.clone()))
    }

    /// Where scripts run.
    pub fn scripts(&self) -> Result<&Scripts> {
        let config = &self.workspace.config()?.code;
        let worker = &self.workspace.machine().worker;
        Ok(self
            .scripts
            .get_or_init(|| Scripts::new(worker.clone(), config.clone())))
    }

    /// Starts a worker that waits for the first script. To be called within a runtime.
    pub fn prepare_scripts(&self) -> Result<()> {
        self.scripts()?.warm();
        Ok(())
    }

    /// Stops everything that this process started, and records how it ended.
    pub async fn close(&self) {
        if let Some(gates) = self.gates.get() {
            gates.close().await;
        }
        if let Some(Ok(runs)) = self.runs.get() {
            runs.close().await;
        }
        if let Some(jobs) = self.jobs.get() {
            jobs.close().await;
        }
    }
}
