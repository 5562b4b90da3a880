//! What Windlass needs to know about the machine and its user. The surfaces provide it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use windlass_process::ShimCommand;
use windlass_runs::secrets::Lookup;
use windlass_sandbox::WorkerCommand;

use crate::telemetry::TelemetryVariables;

#[derive(Debug, Clone)]
pub struct Machine {
    /// The user's own allowlist, which `windlass allow` writes.
    pub allowlist: PathBuf,
    /// Allowlists that are read and never written.
    pub other_allowlists: Vec<PathBuf>,
    /// Where the records of this user's projects are.
    pub bindings: PathBuf,
    /// Where the models of this user are, for all projects.
    pub models: PathBuf,
    /// The list of the whole machine, which root writes.
    pub system_allowlist: Option<PathBuf>,
    /// How this executable is started as the shim of a job.
    pub shim: ShimCommand,
    /// The path of this executable, for other programs to start it.
    pub program: PathBuf,
    /// How this executable is started as a worker for scripts.
    pub worker: WorkerCommand,
    /// What paths that the user types are relative to.
    pub cwd: PathBuf,
    /// Reads the environment variables of this process.
    pub environment: EnvironmentLookup,
    /// How clients of object storage are configured: credentials, regions, endpoints.
    pub storage: StorageVariables,
    /// What the environment says about the export of spans.
    pub telemetry: TelemetryVariables,
    /// What others call this machine.
    pub host_name: String,
}

/// The variables of the environment that clients of object storage read.
#[derive(Clone, Default)]
pub struct StorageVariables(pub Vec<(String, String)>);

/// The values are credentials.
impl std::fmt::Debug for StorageVariables {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.0.iter().map(|(name, _)| name);
        out.debug_set().entries(names).finish()
    }
}

/// Reads variables of this process for runs that refer to them.
#[derive(Clone)]
pub struct EnvironmentLookup(pub Lookup);

impl std::fmt::Debug for EnvironmentLookup {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("EnvironmentLookup")
    }
}

/// Variables of this process that jobs and runs do not get.
pub const PRIVATE: &[&str] = &["WINDLASS_HTTP_TOKEN"];

/// The variable that every job has: the name of its command.
pub const OF_A_JOB: &str = "WINDLASS_JOB";

impl Machine {
    /// A host that allows nothing and cannot start a job: for what only reads and writes the state.
    pub fn without_jobs(cwd: &Path) -> Self {
        Self {
            allowlist: PathBuf::from("/nonexistent/allowlist.toml"),
            other_allowlists: Vec::new(),
            bindings: PathBuf::from("/nonexistent/state"),
            models: PathBuf::from("/nonexistent/models"),
            system_allowlist: None,
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
            storage: StorageVariables::default(),
            telemetry: TelemetryVariables::default(),
            host_name: "localhost".to_owned(),
        }
    }
}
