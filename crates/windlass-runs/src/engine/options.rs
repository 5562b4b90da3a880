//! How an engine is set up.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use windlass_process::Supervisor;

use crate::artifacts::{ArtifactLimits, ArtifactStore};
use crate::runtimes::{DockerOptions, LocalOptions, Runtime};
use crate::secrets::Lookup;

/// How an engine is set up. [`Options::new`] has defaults for all that is not asked for.
#[derive(Clone)]
pub struct Options {
    /// The project. No step runs outside of it.
    pub root: PathBuf,
    /// A folder for outputs of steps that run; made where it is missing.
    pub scratch: PathBuf,
    /// Starts and ends processes.
    pub supervisor: Supervisor,
    /// Where artifacts go.
    pub artifacts: ArtifactStore,
    /// Reads the variables that `env:` refers to.
    pub environment: Lookup,
    /// Runs that are executed at once; others wait as `created`.
    pub max_parallel: usize,
    /// For steps without `timeoutSec`; as long as hosted CI systems let a job run.
    pub default_timeout: Option<Duration>,
    /// How much is kept.
    pub artifact_limits: ArtifactLimits,
    /// The runtime `local`.
    pub local: LocalOptions,
    /// The runtime `docker`.
    pub docker: DockerOptions,
    /// Further runtimes; one of a name that is known already takes its place.
    pub runtimes: Vec<Arc<dyn Runtime>>,
}

impl Options {
    /// What cannot be guessed.
    pub fn new(
        root: impl Into<PathBuf>,
        scratch: impl Into<PathBuf>,
        supervisor: Supervisor,
        artifacts: ArtifactStore,
        environment: Lookup,
    ) -> Self {
        Self {
            root: root.into(),
            scratch: scratch.into(),
            supervisor,
            artifacts,
            environment,
            max_parallel: 4,
            default_timeout: Some(Duration::from_hours(6)),
            artifact_limits: ArtifactLimits::default(),
            local: LocalOptions::default(),
            docker: DockerOptions::default(),
            runtimes: Vec::new(),
        }
    }
}
