//! The remote as this process uses it.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use windlass_core::{Error, ErrorKind, Result};
use windlass_objects::{Location, Patience};
use windlass_sync::claims::Leases;
use windlass_sync::remote::{Remote, RemoteError, Worker};

use crate::config::Config;
use crate::job_host::Machine;
use crate::workspace::Workspace;

/// One request of an exchange in the background, and with all its repetitions.
const PATIENCE: Patience = Patience {
    request: Duration::from_mins(1),
    retries: Duration::from_mins(1),
};
/// A remote that did not answer is left alone for this long, so that an agent waits for it once.
const LEFT_ALONE: Duration = Duration::from_secs(20);

/// A remote, opened when it is first needed.
pub struct SharedRemote {
    location: Location,
    pub machine: String,
    opened: OnceLock<Remote>,
    worker: OnceLock<Arc<Worker>>,
    unreachable_since: Mutex<Option<Instant>>,
}

impl SharedRemote {
    /// The remote of the settings, as far as a person allows them.
    pub fn of(workspace: &Workspace) -> Result<Option<Self>> {
        let Some(url) = &workspace.config()?.sync.remote else {
            return Ok(None);
        };
        Self::at(url, workspace.machine())
            .map(Some)
            .map_err(|problem| {
                let message = format!("{}, sync.remote: {}", Config::FILE, problem.message());
                let hint = problem.hint().unwrap_or_default().to_owned();
                Error::new(ErrorKind::InvalidConfig, message).with_hint(hint)
            })
    }

    /// The remote at a URL.
    pub fn at(url: &str, machine: &Machine) -> Result<Self> {
        let location = Location::parse_url(url)
            .map_err(|problem| RemoteError::from(problem).into_error())?
            .with_options(machine.storage.0.clone());
        Ok(Self {
            location,
            machine: machine.host_name.clone(),
            opened: OnceLock::new(),
            worker: OnceLock::new(),
            unreachable_since: Mutex::default(),
        })
    }

    /// The name under which the state knows it.
    pub fn name(&self) -> String {
        self.location.to_string()
    }

    /// The remote. A folder that is missing may be there the next time.
    pub fn remote(&self) -> Result<Remote, RemoteError> {
        if let Some(opened) = self.opened.get() {
            return Ok(opened.clone());
        }
        let opened = Remote::open(&self.location, PATIENCE)?;
        Ok(self.opened.get_or_init(|| opened).clone())
    }

    /// The remote for a person who names it: a folder that is missing is created.
    pub fn create(&self) -> Result<Remote, RemoteError> {
        let opened = Remote::create(&self.location, PATIENCE)?;
        Ok(self.opened.get_or_init(|| opened).clone())
    }

    pub fn leases(&self) -> Result<Leases, RemoteError> {
        self.remote().map(Leases::new)
    }

    /// The thread for requests of calls.
    pub fn worker(&self) -> Result<Arc<Worker>, RemoteError> {
        if let Some(worker) = self.worker.get() {
            return Ok(Arc::clone(worker));
        }
        let started = Worker::start()
            .map_err(|problem| RemoteError::Unreachable(format!("no thread for it: {problem}")))?;
        Ok(Arc::clone(self.worker.get_or_init(|| Arc::new(started))))
    }

    /// Whether it did not answer a moment ago.
    pub fn is_left_alone(&self) -> bool {
        let since = self.unreachable_since.lock();
        let since = since.unwrap_or_else(PoisonError::into_inner);
        since.is_some_and(|since| since.elapsed() < LEFT_ALONE)
    }

    /// Notes whether it answered.
    pub fn note<T>(&self, result: &Result<T, RemoteError>) {
        let mut since = self
            .unreachable_since
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *since = match result {
            Err(problem) if problem.is_transient() => Some(Instant::now()),
            _ => None,
        };
    }
}
