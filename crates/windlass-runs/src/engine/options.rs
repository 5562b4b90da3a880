//! The configuration of an engine. [`Options::new`] sets defaults for everything that is not a
//! parameter.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use windlass_process::Supervisor;

use crate::artifacts::{ArtifactLimits, ArtifactStore};
use crate::hosts::{DockerOptions, ScriptHost};
use crate::runtimes::{LocalOptions, Runtime};
use crate::secrets::Lookup;

/// The configuration of an engine. [`Options::new`] sets defaults for everything that is not a
/// parameter.
#[derive(Clone)]
pub struct Options {
    /// The project folder. No step runs outside it.
    pub root: PathBuf,
    /// A folder for the outputs of running steps; created if it is missing.
    pub scratch: PathBuf,
    /// Starts and stops processes.
    pub supervisor: Supervisor,
    /// Where artifacts are stored.
    pub artifacts: ArtifactStore,
    /// Reads the variables that `env:` refers to.
    pub environment: Lookup,
    /// The number of runs that are executed at once; others wait as `created`.
    pub max_parallel: usize,
    /// The timeout of steps without `timeoutSec`; the usual limit of hosted CI systems.
    pub default_timeout: Option<Duration>,
    /// How much is stored.
    pub artifact_limits: ArtifactLimits,
    /// The runtime `local`.
    pub local: LocalOptions,
    /// The runtime `docker`.
    pub docker: DockerOptions,
    /// Additional runtimes; one with a known name replaces the built-in runtime.
    pub runtimes: Vec<Arc<dyn Runtime>>,
    /// Places that execute the script of a run, beside `docker`.
    pub hosts: Vec<Arc<dyn ScriptHost>>,
}

impl Options {
    /// Options with defaults for everything that has one.
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
            hosts: Vec::new(),
        }
    }
}
