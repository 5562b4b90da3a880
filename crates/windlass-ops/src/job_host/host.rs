//! The one owner of all processes that this process starts. Its parts are created when they are first
//! needed: most processes never start a job.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use windlass_core::Result;

use super::command_jobs::CommandJobs;
use super::gate_executor::GateExecutor;
use super::machine::PRIVATE;
use super::run_executor::RunExecutor;
use crate::code::Scripts;
use crate::remote::SharedRemote;
use crate::telemetry::{ExportNews, Exporter, Scope, SpanCounts, SpanTarget, span_target};
use crate::workspace::Workspace;

/// How long killing may take.
const KILL_WITHIN: Duration = Duration::from_secs(1);

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
    remote: OnceLock<Result<Option<Arc<SharedRemote>>>>,
    exporter: OnceLock<Exporter>,
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
            remote: OnceLock::new(),
            exporter: OnceLock::new(),
        }
    }

    pub fn workspace(&self) -> &Arc<Workspace> {
        &self.workspace
    }

    /// Whether this process lives long enough to run gates in the background.
    pub fn is_lasting(&self) -> bool {
        self.lifetime == Lifetime::Server
    }

    /// The object storage of the settings.
    pub fn remote(&self) -> Result<Option<&Arc<SharedRemote>>> {
        let remote = self
            .remote
            .get_or_init(|| Ok(SharedRemote::of(&self.workspace)?.map(Arc::new)));
        remote.as_ref().map(Option::as_ref).map_err(Clone::clone)
    }

    /// Begins to export the spans of this process, if a person wants that; contexts that are made
    /// later have them. To be called within a runtime.
    pub fn export_spans(
        &self,
        report: impl Fn(ExportNews) + Send + Sync + 'static,
    ) -> Result<SpanTarget> {
        let target = span_target(&self.workspace)?;
        if let SpanTarget::Collector(destination) = &target {
            let host_name = &self.workspace.machine().host_name;
            self.exporter
                .get_or_init(|| Exporter::start(destination.clone(), host_name, Box::new(report)));
        }
        Ok(target)
    }

    pub(crate) fn spans(&self) -> Option<&Arc<Scope>> {
        self.exporter.get().map(Exporter::scope)
    }

    /// What became of the spans of this process, if it exports any.
    pub fn span_counts(&self) -> Option<SpanCounts> {
        self.exporter.get().map(Exporter::counts)
    }

    /// Sends the last spans, as long as that does not take long. Returns how many were never sent.
    pub async fn flush_spans(&self) -> u64 {
        match self.exporter.get() {
            Some(exporter) => exporter.close().await,
            None => 0,
        }
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
            let config = self.workspace.config()?;
            RunExecutor::new(
                self.workspace.project(),
                machine,
                PRIVATE,
                (&config.runs, &config.runtimes),
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

    /// Stops everything that this process started, each within its grace, and records how it ended.
    pub async fn close(&self) {
        let gates = async {
            if let Some(gates) = self.gates.get() {
                gates.close().await;
            }
        };
        let runs = async {
            if let Some(Ok(runs)) = self.runs.get() {
                runs.close().await;
            }
        };
        let jobs = async {
            if let Some(jobs) = self.jobs.get() {
                jobs.close().await;
            }
        };
        tokio::join!(gates, runs, jobs);
    }

    /// Kills everything that this process started: whoever asks twice does not want to wait.
    pub async fn kill(&self) {
        let gates = async {
            if let Some(gates) = self.gates.get() {
                gates.supervisor.shutdown(Duration::ZERO).await;
            }
        };
        let runs = async {
            if let Some(Ok(runs)) = self.runs.get() {
                runs.kill().await;
            }
        };
        let jobs = async {
            if let Some(jobs) = self.jobs.get() {
                jobs.close_within(Duration::ZERO).await;
            }
        };
        let all = async { tokio::join!(gates, runs, jobs) };
        // What hangs in the kernel is left to the shims.
        let _ = tokio::time::timeout(KILL_WITHIN, all).await;
    }
}
