//! What an operation is given beside its input: the project's state, who asks, and the limits.

use std::sync::Arc;
use std::time::{Duration, Instant};

use windlass_core::{Actor, Error, ErrorKind, Origin, Result};
use windlass_process::JobHandle;
use windlass_store::{Reader, Store, Writer};

use crate::access::Access;
use crate::commands::Workshop;
use crate::operation::{Audience, Declaration};

/// Limits that a person can set. The surfaces read them from the environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    pub max_batch_size: usize,
    pub request_timeout: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_batch_size: 100,
            request_timeout: Duration::from_secs(30),
        }
    }
}

/// How far a call is that takes its time.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    pub done: f64,
    /// What `done` goes up to, where that is known.
    pub total: Option<f64>,
    pub message: String,
}

pub(crate) type OnProgress = Arc<dyn Fn(Progress) + Send + Sync>;
type OnJob = Arc<dyn Fn(&JobHandle) + Send + Sync>;

/// Cheap to clone; one for each call.
#[derive(Clone)]
pub struct Context {
    pub store: Arc<Store>,
    pub workshop: Arc<Workshop>,
    pub origin: Origin,
    pub settings: Arc<Settings>,
    /// Which operations the caller may use.
    pub access: Access,
    /// When the caller stops waiting. Long reads are cut off there.
    pub deadline: Option<Instant>,
    /// About how many characters an answer may have, where a model pays for each.
    pub answer_budget: Option<usize>,
    /// Where the caller wants to hear how far the call is.
    pub progress: Option<OnProgress>,
    /// Where the caller wants to hear what the job of the call writes.
    pub on_job: Option<OnJob>,
}

impl Context {
    pub fn new(
        store: Arc<Store>,
        workshop: Arc<Workshop>,
        origin: Origin,
        settings: Arc<Settings>,
    ) -> Self {
        Self {
            store,
            workshop,
            origin,
            settings,
            access: Access::everything(),
            deadline: None,
            answer_budget: None,
            progress: None,
            on_job: None,
        }
    }

    /// Shows the caller the job that the call is about.
    pub(crate) fn follow(&self, job: &JobHandle) {
        if let Some(on_job) = &self.on_job {
            on_job(job);
        }
    }

    /// For what takes as long as what it waits for.
    #[must_use]
    pub(crate) fn without_deadline(mut self) -> Self {
        self.deadline = None;
        self
    }

    /// Reads the state, up to the deadline.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&Reader<'_>) -> Result<T>) -> Result<T> {
        self.store.read(self.deadline, work)
    }

    /// Changes the state in one transaction.
    pub(crate) fn write<T>(&self, work: impl FnOnce(&Writer<'_>) -> Result<T>) -> Result<T> {
        self.store.write(&self.origin, work)
    }

    pub(crate) fn check_audience(&self, declaration: &Declaration) -> Result<()> {
        if declaration.audience == Audience::Human && self.origin.actor != Actor::Human {
            return Err(Error::new(
                ErrorKind::HumanOnly,
                format!(
                    "Only a person at a terminal can do this: windlass {}",
                    declaration.cli.join(" ")
                ),
            )
            .with_hint("Ask a person to run the command."));
        }
        Ok(())
    }
}
