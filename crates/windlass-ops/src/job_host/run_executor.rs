//! What a process needs to execute runs, created when it is first needed.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::json;
use tokio::task::{AbortHandle, JoinHandle};
use tokio_util::task::TaskTracker;
use windlass_core::{Error, ErrorKind, Result};
use windlass_process::{Limits, Supervisor};
use windlass_runs::CancellationToken;
use windlass_runs::artifacts::{ArtifactLimits, ArtifactStore, Location};
use windlass_runs::engine::{Engine, Options};
use windlass_runs::spec::{RunSpec, RuntimeName};
use windlass_store::Project;

use super::machine::Machine;
use crate::config::RunsConfig;
use crate::runtime_settings::RuntimesConfig;

pub struct RunExecutor {
    pub engine: Engine,
    supervisor: Supervisor,
    /// The runs of this process, and how to cancel each.
    running: Mutex<HashMap<String, CancellationToken>>,
    /// The runs that go on elsewhere when this process ends, and how to let go of each.
    followed: Mutex<HashMap<String, AbortHandle>>,
    pub tasks: TaskTracker,
}

impl RunExecutor {
    pub fn new(
        project: &Project,
        machine: &Machine,
        private: &[&str],
        (config, runtimes): (&RunsConfig, &RuntimesConfig),
    ) -> Result<Self> {
        let failed = |problem: &dyn std::error::Error| {
            let cause = problem.source().map(ToString::to_string);
            let text = cause.map_or(problem.to_string(), |cause| format!("{problem}: {cause}"));
            Error::new(ErrorKind::InvalidConfig, text)
        };
        let state = project.state();
        let location = Location::parse(&config.artifacts, state).map_err(|it| failed(&it))?;
        let location = location.with_options(machine.storage.0.clone());
        let artifacts = ArtifactStore::open(&location).map_err(|it| failed(&it))?;
        let limits = Limits {
            // Containers have a client each that waits, and one that looks.
            max_jobs: (config.max_parallel + runtimes.docker.max_parallel)
                .saturating_mul(2)
                .max(2),
            ..Limits::default()
        };
        let supervisor = Supervisor::new(machine.shim.clone(), limits);
        let mut options = Options::new(
            project.root(),
            state.join("runs"),
            supervisor.clone(),
            artifacts,
            machine.environment.0.clone(),
        );
        options.max_parallel = config.max_parallel;
        options.default_timeout = Some(Duration::from_secs(config.default_timeout_seconds));
        options.artifact_limits = ArtifactLimits {
            file_bytes: config.artifact_file_bytes,
            run_bytes: config.artifact_run_bytes,
            ..ArtifactLimits::default()
        };
        options.local.remove_environment = private.iter().map(Into::into).collect();
        options.docker = runtimes.docker(config.docker.image.as_ref());
        options.hosts = runtimes.hosts(machine);
        Ok(Self {
            engine: Engine::new(options).map_err(|it| failed(&it))?,
            supervisor,
            running: Mutex::default(),
            followed: Mutex::default(),
            tasks: TaskTracker::new(),
        })
    }

    /// Each runtime, and the reason if it cannot be used.
    pub fn runtimes(&self) -> Vec<(&'static str, Option<String>)> {
        let names = RuntimeName::ALL.into_iter();
        names
            .map(|name| {
                let step = json!({"name": "check", "shell": "bash", "command": "true"});
                let spec = json!({"title": "check", "runtime": name, "steps": [step]});
                let problem = match RunSpec::parse(spec) {
                    Ok(spec) => self.engine.check(&spec).err().map(|it| it.message),
                    Err(problem) => Some(problem.to_string()),
                };
                (name.name(), problem)
            })
            .collect()
    }

    /// Registers a run that is executed here; it can be cancelled until the returned guard is
    /// dropped.
    pub fn enter(&self, run_id: &str) -> CancellationToken {
        let cancel = CancellationToken::new();
        self.lock().insert(run_id.to_owned(), cancel.clone());
        cancel
    }

    /// Whether this process executes the run, or will when its turn comes.
    pub fn has(&self, run_id: &str) -> bool {
        self.lock().contains_key(run_id)
    }

    pub fn leave(&self, run_id: &str) {
        self.lock().remove(run_id);
        self.lock_followed().remove(run_id);
    }

    /// Follows a run that is executed elsewhere, beside everything else: it needs no thread.
    pub fn follow<T: Send + 'static>(
        &self,
        run_id: &str,
        work: impl Future<Output = T> + Send + 'static,
    ) -> JoinHandle<T> {
        let task = self.tasks.spawn(work);
        let mut followed = self.lock_followed();
        if !task.is_finished() {
            followed.insert(run_id.to_owned(), task.abort_handle());
        }
        task
    }

    fn lock_followed(&self) -> std::sync::MutexGuard<'_, HashMap<String, AbortHandle>> {
        self.followed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets go of the runs that are executed elsewhere and that nobody has cancelled: the next server
    /// finds them again.
    fn let_go(&self) {
        let running = self.lock();
        for (run_id, task) in self.lock_followed().drain() {
            if running
                .get(&run_id)
                .is_none_or(|cancel| !cancel.is_cancelled())
            {
                task.abort();
            }
        }
    }

    /// Cancels a run, if it is executed here.
    pub fn cancel(&self, run_id: &str) -> bool {
        let found = self.lock().get(run_id).cloned();
        if let Some(cancel) = &found {
            cancel.cancel();
        }
        found.is_some()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, CancellationToken>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Cancels all runs and waits until they are recorded.
    pub async fn close(&self) {
        self.let_go();
        for cancel in self.lock().values() {
            cancel.cancel();
        }
        self.tasks.close();
        let _ = tokio::time::timeout(Duration::from_secs(10), self.tasks.wait()).await;
        self.supervisor.shutdown(Duration::from_secs(1)).await;
    }

    /// Kills what the runs have started, and waits until they are recorded.
    pub async fn kill(&self) {
        self.let_go();
        for cancel in self.lock().values() {
            cancel.cancel();
        }
        self.supervisor.shutdown(Duration::ZERO).await;
        self.tasks.close();
        self.tasks.wait().await;
    }
}
