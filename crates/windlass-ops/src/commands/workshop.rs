//! The workshop of a project: what it knows how to run, what of it a person allowed, and what runs.
//!
//! Everything in it is made when it is first needed: most processes never start a job.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio_util::task::TaskTracker;
use windlass_commands::allowlist::Allowlist;
use windlass_commands::{Command, Discovery};
use windlass_core::workflow::Phases;
use windlass_core::{Error, Result};
use windlass_process::{ShimCommand, Supervisor};
use windlass_runs::secrets::Lookup;
use windlass_sandbox::WorkerCommand;
use windlass_store::Project;

use super::door::Door;
use crate::code::Scripts;
use crate::config::{CommandsConfig, Config, WorkflowConfig};
use crate::runs::Yard;
use crate::workflow::GateYard;

/// What the workshop needs to know of the machine and its user. The surfaces find it out.
#[derive(Debug, Clone)]
pub struct Host {
    /// The user's own allowlist, which `windlass allow` writes.
    pub allowlist: PathBuf,
    /// Allowlists that are honoured and never written.
    pub other_allowlists: Vec<PathBuf>,
    /// How this executable is started as the shim of a job.
    pub shim: ShimCommand,
    /// This executable by its path, as another program would start it.
    pub program: PathBuf,
    /// How this executable is started as a worker for scripts.
    pub worker: WorkerCommand,
    /// What paths that the user types are relative to.
    pub cwd: PathBuf,
    /// What the variables of this process are asked of.
    pub environment: EnvironmentLookup,
}

/// Reads variables of this process for runs that refer to them.
#[derive(Clone)]
pub struct EnvironmentLookup(pub Lookup);

impl std::fmt::Debug for EnvironmentLookup {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("EnvironmentLookup")
    }
}

/// Variables of this process that are no business of a job or a run.
pub const PRIVATE: &[&str] = &["WINDLASS_HTTP_TOKEN"];

impl Host {
    /// A host that allows nothing and cannot start a job: for what only reads and writes the state.
    pub fn without_jobs(cwd: &Path) -> Self {
        Self {
            allowlist: PathBuf::from("/nonexistent/allowlist.toml"),
            other_allowlists: Vec::new(),
            shim: ShimCommand {
                program: PathBuf::from("/nonexistent/shim"),
                args: Vec::new(),
            },
            program: PathBuf::from("windlass"),
            worker: WorkerCommand {
                program: PathBuf::from("/nonexistent/worker"),
                args: Vec::new(),
            },
            cwd: cwd.to_owned(),
            environment: EnvironmentLookup(Arc::new(|_| None)),
        }
    }
}

/// The longest grace of a job when its server goes: clients kill a server that takes much longer, and
/// then nobody would note how the job ended.
const LAST_GRACE: Duration = Duration::from_millis(1500);

pub struct Workshop {
    project: Project,
    host: Host,
    allowlist: Allowlist,
    config: OnceLock<Result<Config>>,
    discovery: OnceLock<Result<Discovery>>,
    floor: OnceLock<Floor>,
    yard: OnceLock<Result<Yard>>,
    gates: OnceLock<GateYard>,
    scripts: OnceLock<Scripts>,
}

/// Where jobs run.
pub struct Floor {
    pub supervisor: Supervisor,
    /// Where other processes ask about the jobs of this one.
    pub door: Option<Door>,
    /// What still has to be put on record.
    pub records: TaskTracker,
}

impl Workshop {
    pub fn new(project: Project, host: Host) -> Self {
        Self {
            allowlist: Allowlist::new(host.allowlist.clone(), host.other_allowlists.clone()),
            project,
            host,
            config: OnceLock::new(),
            discovery: OnceLock::new(),
            floor: OnceLock::new(),
            yard: OnceLock::new(),
            gates: OnceLock::new(),
            scripts: OnceLock::new(),
        }
    }

    pub fn root(&self) -> &Path {
        self.project.root()
    }

    pub fn project(&self) -> &Project {
        &self.project
    }

    pub fn host(&self) -> &Host {
        &self.host
    }

    pub fn allowlist(&self) -> &Allowlist {
        &self.allowlist
    }

    pub fn config(&self) -> Result<&CommandsConfig> {
        self.whole_config().map(|config| &config.commands)
    }

    pub(crate) fn whole_config(&self) -> Result<&Config> {
        let config = self.config.get_or_init(|| Config::load(&self.project));
        config.as_ref().map_err(Clone::clone)
    }

    /// What executes runs; made here if none has been executed yet.
    pub fn yard(&self) -> Result<&Yard> {
        let yard = self.yard.get_or_init(|| {
            Yard::new(
                &self.project,
                self.host.shim.clone(),
                self.host.environment.0.clone(),
                PRIVATE,
                &self.whole_config()?.runs,
            )
        });
        yard.as_ref().map_err(Clone::clone)
    }

    /// Where scripts run; made here if none has run yet.
    pub fn scripts(&self) -> Result<&Scripts> {
        let config = &self.whole_config()?.code;
        let worker = &self.host.worker;
        Ok(self
            .scripts
            .get_or_init(|| Scripts::new(worker.clone(), config.clone())))
    }

    /// Starts a worker that waits for the first script. To be called within a runtime.
    pub fn prepare_scripts(&self) -> Result<()> {
        self.scripts()?.warm();
        Ok(())
    }

    /// The variables that the settings let callers set, as long as a person allows the settings.
    pub fn allowed_env(&self) -> Result<Vec<String>> {
        if self.config()?.allow_env.is_empty() {
            return Ok(Vec::new());
        }
        let trusted = self.trusted_config()?;
        Ok(trusted.map_or_else(Vec::new, |config| config.commands.allow_env))
    }

    /// Whether runs that come from no playbook may execute anything.
    pub fn trusts_adhoc_runs(&self) -> Result<bool> {
        Ok(self
            .trusted_config()?
            .is_some_and(|config| config.runs.adhoc))
    }

    /// Where gates run; made here if none has run yet. To be asked within a runtime.
    pub fn gates(&self) -> &GateYard {
        self.gates
            .get_or_init(|| GateYard::new(self.host.shim.clone()))
    }

    /// The phases of a review. Leaving one out counts only while a person allows the settings.
    pub fn phases(&self) -> Result<Phases> {
        Ok(self.workflow()?.phases())
    }

    /// The settings of the lifecycle that a person allows; the usual ones where none does.
    pub fn workflow(&self) -> Result<WorkflowConfig> {
        let trusted = self.trusted_config()?;
        Ok(trusted.map_or_else(WorkflowConfig::default, |config| config.workflow))
    }

    /// The settings as they stand, if a person allows them so. They are a file of the repository, and
    /// agents can write those.
    fn trusted_config(&self) -> Result<Option<Config>> {
        let text = std::fs::read_to_string(self.root().join(Config::FILE)).unwrap_or_default();
        let file = Command::of_text(Config::FILE, &text);
        if !self.allowlist.decide(self.root(), &file).allowed {
            return Ok(None);
        }
        Config::parse(Config::FILE, &text).map(Some)
    }

    pub fn discovery(&self) -> Result<&Discovery> {
        let discovery = self.discovery.get_or_init(|| {
            let root = self.root();
            Discovery::new(root)
                .map_err(|problem| Error::storage(format!("{}: {problem}", root.display())))
        });
        discovery.as_ref().map_err(Clone::clone)
    }

    /// Where jobs run; made here if none has been started yet. To be asked within a runtime.
    pub fn floor(&self) -> Result<&Floor> {
        let limits = self.config()?.limits();
        Ok(self.floor.get_or_init(|| {
            let supervisor = Supervisor::new(self.host.shim.clone(), limits);
            Floor {
                door: Door::open(self.project.state(), supervisor.clone()),
                supervisor,
                records: TaskTracker::new(),
            }
        }))
    }

    /// Where jobs run, if any has been started by this process.
    pub fn open_floor(&self) -> Option<&Floor> {
        self.floor.get()
    }

    /// Stops all jobs of this process, and puts on record how they ended.
    pub async fn close(&self) {
        if let Some(gates) = self.gates.get() {
            gates.close().await;
        }
        if let Some(Ok(yard)) = self.yard.get() {
            yard.close().await;
        }
        let Some(floor) = self.floor.get() else {
            return;
        };
        let grace = floor.supervisor.limits().grace.min(LAST_GRACE);
        floor.supervisor.shutdown(grace).await;
        floor.records.close();
        // A disk that does not answer must not keep the process.
        let _ = tokio::time::timeout(Duration::from_secs(5), floor.records.wait()).await;
        if let Some(door) = &floor.door {
            door.close();
        }
    }
}
