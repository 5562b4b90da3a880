//! Executes runs: steps in order; the observer is notified of each transition before the next
//! begins.

mod error;
mod execution;
mod expect;
mod observer;
mod options;
mod output;
mod received_files;
mod recovery;
mod script_execution;
mod script_steps;
mod step;
mod tail;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use windlass_process::Stream;

pub use error::{EngineError, ExecuteError};
pub use observer::{Change, Observer, ObserverError};
pub use options::Options;
pub use output::OutputPage;

use self::execution::Execution;
use crate::artifacts::ArtifactStore;
use crate::hosts::{Docker, HostError, ScriptHost};
use crate::record::{RunRecord, RunStatus, WrongTransition};
use crate::runtimes::{Dummy, Local, NotConfigured, Runtime, Unavailable};
use crate::spec::{RunSpec, RuntimeName};

/// Executes runs, with a limit on how many run at once; a handle that is cheap to clone.
#[derive(Clone)]
pub struct Engine {
    shared: Arc<Shared>,
}

struct Shared {
    options: Options,
    /// The project folder, canonical.
    root: PathBuf,
    runtimes: BTreeMap<RuntimeName, Arc<dyn Runtime>>,
    hosts: BTreeMap<RuntimeName, Host>,
    places: Semaphore,
}

/// A place that executes scripts, and how many at once.
struct Host {
    host: Arc<dyn ScriptHost>,
    places: Semaphore,
}

impl Engine {
    /// Creates an engine for one project.
    pub fn new(options: Options) -> Result<Self, EngineError> {
        let root = options
            .root
            .canonicalize()
            .map_err(|source| EngineError::Root {
                path: options.root.clone(),
                source,
            })?;
        let supervisor = &options.supervisor;
        let docker: Arc<dyn ScriptHost> = Arc::new(Docker::new(
            supervisor.clone(),
            options.docker.clone(),
            options.scratch.clone(),
        ));
        let hosts = std::iter::once(docker)
            .chain(options.hosts.iter().cloned())
            .map(|host| {
                let places = Semaphore::new(host.max_parallel().max(1));
                (host.name(), Host { host, places })
            })
            .collect();
        let runtimes: [Arc<dyn Runtime>; 5] = [
            Arc::new(Dummy),
            Arc::new(Local::new(supervisor.clone(), options.local.clone())),
            Arc::new(NotConfigured(RuntimeName::GithubRunner)),
            Arc::new(NotConfigured(RuntimeName::EcsTask)),
            Arc::new(NotConfigured(RuntimeName::Ssm)),
        ];
        Ok(Self {
            shared: Arc::new(Shared {
                root,
                runtimes: runtimes
                    .into_iter()
                    .chain(options.runtimes.iter().cloned())
                    .map(|runtime| (runtime.name(), runtime))
                    .collect(),
                hosts,
                places: Semaphore::new(options.max_parallel.max(1)),
                options,
            }),
        })
    }

    /// Checks whether the runtime of `spec` can be used; checked again before a run is executed.
    pub fn check(&self, spec: &RunSpec) -> Result<(), Unavailable> {
        match self.shared.hosts.get(&spec.runtime) {
            Some(host) => host.host.check(),
            None => self.runtime(spec.runtime)?.check(spec),
        }
    }

    /// Makes a harmless request to a runtime, and returns what it showed. `None` for a runtime that is
    /// always there.
    pub async fn probe(&self, name: RuntimeName) -> Result<Option<String>, HostError> {
        let Some(host) = self.shared.hosts.get(&name) else {
            let problem = match self.runtime(name) {
                Ok(_) if matches!(name, RuntimeName::Dummy | RuntimeName::Local) => {
                    return Ok(None);
                }
                Ok(_) => Unavailable::not_supported(name),
                Err(problem) => problem,
            };
            return Err(problem.into());
        };
        host.host.check()?;
        host.host.probe().await.map(Some)
    }

    /// Whether runs of this runtime are executed elsewhere, by one script.
    pub fn is_elsewhere(&self, runtime: RuntimeName) -> bool {
        self.shared.hosts.contains_key(&runtime)
    }

    /// Whether a run of this runtime can be taken up by another process when its own is gone.
    pub fn outlives_its_process(&self, record: &RunRecord) -> bool {
        record.external().is_some() && self.is_elsewhere(record.runtime())
    }

    fn runtime(&self, name: RuntimeName) -> Result<&Arc<dyn Runtime>, Unavailable> {
        self.shared
            .runtimes
            .get(&name)
            .ok_or_else(|| Unavailable::not_supported(name))
    }

    /// The number of runs that are being executed.
    pub fn running(&self) -> usize {
        let most = self.shared.options.max_parallel.max(1);
        let here = most - self.shared.places.available_permits();
        let elsewhere = self.shared.hosts.values().map(|host| {
            let most = host.host.max_parallel().max(1);
            most - host.places.available_permits()
        });
        here + elsewhere.sum::<usize>()
    }

    /// The artifact store.
    pub fn artifacts(&self) -> &ArtifactStore {
        &self.shared.options.artifacts
    }

    /// Executes a run until it ends. If the limit of concurrent runs is reached, the run waits and
    /// stays `created`. Whatever the result of its steps is, the record is returned; an error means
    /// that the run did not start or could not be recorded.
    ///
    /// Cancelling ends a waiting run as well as a running one. Dropping the future stops the
    /// processes of the running step but notifies nobody: spawn it if the end of the run must be
    /// recorded.
    pub async fn execute(
        &self,
        record: RunRecord,
        spec: &RunSpec,
        observer: Arc<dyn Observer>,
        cancel: &CancellationToken,
    ) -> Result<RunRecord, ExecuteError> {
        if record.status() != RunStatus::Created {
            return Err(ExecuteError::AlreadyExecuted {
                run_id: record.run_id().to_owned(),
                status: record.status(),
            });
        }
        if record.steps().len() != spec.steps.len() {
            return Err(ExecuteError::OtherSpec(record.run_id().to_owned()));
        }
        self.check(spec)?;
        let host = self.shared.hosts.get(&spec.runtime);
        let places = host.map_or(&self.shared.places, |host| &host.places);
        let place = tokio::select! {
            biased;
            () = cancel.cancelled() => None,
            place = places.acquire() => place.ok(),
        };
        let execution = Execution::new(
            &self.shared,
            self.step_runtime(spec.runtime)?,
            record,
            spec,
            observer,
            cancel,
        );
        match (place, host) {
            (None, _) => execution.cancel_before_start().await,
            (Some(_place), Some(host)) => execution.run_script(Arc::clone(&host.host)).await,
            (Some(_place), None) => execution.run().await,
        }
    }

    /// What executes single steps; nothing does where a script has all of them.
    fn step_runtime(&self, name: RuntimeName) -> Result<Arc<dyn Runtime>, Unavailable> {
        if self.shared.hosts.contains_key(&name) {
            return Ok(Arc::new(NotConfigured(name)));
        }
        self.runtime(name).map(Arc::clone)
    }

    /// Takes up a run that is executed elsewhere and whose process is gone: finds it again by what is
    /// on record, and follows it to its end.
    pub async fn resume(
        &self,
        record: RunRecord,
        spec: &RunSpec,
        observer: Arc<dyn Observer>,
        cancel: &CancellationToken,
    ) -> Result<RunRecord, ExecuteError> {
        let host = self.shared.hosts.get(&spec.runtime);
        let Some(host) = host.filter(|_| record.external().is_some()) else {
            return Err(Unavailable::not_supported(spec.runtime).into());
        };
        let runtime = self.step_runtime(spec.runtime)?;
        let execution = Execution::new(&self.shared, runtime, record, spec, observer, cancel);
        execution.resume_script(Arc::clone(&host.host)).await
    }

    /// Marks a run as `failed` whose server died while it ran: stops what its runtime still runs,
    /// and stores the output written so far. The caller must store the returned record.
    pub async fn recover(
        &self,
        mut record: RunRecord,
        reason: &str,
    ) -> Result<RunRecord, WrongTransition> {
        record.interrupt(reason)?;
        if let Ok(runtime) = self.runtime(record.runtime()) {
            let root = &self.shared.root;
            runtime.end_leftovers(record.run_id(), root).await;
        }
        recovery::store_outputs(&self.shared.options, &mut record).await;
        Ok(record)
    }

    /// Adds to the record of a run whose process died the last output of its steps. Changes nothing
    /// on disk.
    pub async fn show_left_outputs(&self, record: &mut RunRecord) {
        recovery::show_outputs(&self.shared.options, record).await;
    }

    /// How many bytes a step that runs has written so far, to both streams together. Only file sizes are
    /// read, so this can be asked often, also about a run of another process.
    pub fn written(&self, run_id: &str, step: usize) -> u64 {
        let size = |stream| {
            let path = output::spool_path(&self.shared.options, run_id, step, stream);
            std::fs::metadata(path).map_or(0, |facts| facts.len())
        };
        size(Stream::Stdout) + size(Stream::Stderr)
    }

    /// Reads what a step has written to a stream, from byte `offset` on and at most `most` bytes,
    /// while it runs or later. Secrets are masked.
    pub async fn read_output(
        &self,
        run_id: &str,
        step: usize,
        stream: Stream,
        offset: u64,
        most: u64,
    ) -> Result<OutputPage, crate::artifacts::StoreError> {
        let options = &self.shared.options;
        output::read(options, run_id, step, stream, offset, most).await
    }
}
