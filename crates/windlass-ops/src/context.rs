//! What an operation gets besides its input: the project's state, the caller, and the limits.
//!
//! A [`ReadContext`] gives no way to change the state or to start a process; operations that only
//! read get nothing else. A [`Context`] is a read context and the means to write and to run.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::{Duration, Instant};

use windlass_core::{Actor, Error, ErrorKind, Origin, Result};
use windlass_process::JobHandle;
use windlass_store::{Reader, StateReader, Store, Writer};

use crate::access::Access;
use crate::idempotency::IdempotencyKey;
use crate::job_host::JobHost;
use crate::job_reader::JobReader;
use crate::naming::Naming;
use crate::operation::{Audience, Declaration};
use crate::pipeline::offload;
use crate::telemetry::Scope;
use crate::workflow::file_gates;
use crate::workspace::Workspace;

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

/// The progress of a long call.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    pub done: f64,
    /// What `done` goes up to, where that is known.
    pub total: Option<f64>,
    pub message: String,
}

pub(crate) type OnProgress = Arc<dyn Fn(Progress) + Send + Sync>;
/// One finished call, for statistics.
pub struct FinishedCall {
    pub name: &'static str,
    pub took: Duration,
    /// The kind of its error, if it had one.
    pub error: Option<ErrorKind>,
    /// Whether its output reports a failure.
    pub failed: bool,
}

type Observer = Arc<dyn Fn(&FinishedCall) + Send + Sync>;
type OnJob = Arc<dyn Fn(&JobHandle) + Send + Sync>;

/// What an operation may use that changes nothing. Cheap to clone.
#[derive(Clone)]
pub struct ReadContext {
    pub(crate) state: StateReader,
    pub workspace: Arc<Workspace>,
    pub(crate) jobs: JobReader,
    pub origin: Origin,
    /// What shows that the caller is not a person, for the error that says so.
    pub not_a_person: Option<Arc<str>>,
    pub settings: Arc<Settings>,
    /// Which operations the caller may use.
    pub access: Access,
    /// When the caller stops waiting. Long reads are cut off there.
    pub deadline: Option<Instant>,
    /// About how many characters an output may have, where a model pays for each.
    pub output_budget: Option<usize>,
    /// What the caller calls the operations.
    pub naming: Naming,
    /// Where to send progress notifications to the caller.
    pub progress: Option<OnProgress>,
    /// Where to send the output of the call's job to the caller.
    pub on_job: Option<OnJob>,
    /// The receiver of finished calls.
    pub observer: Option<Observer>,
    /// Where spans go and what they are inside of, if the process exports them.
    pub(crate) spans: Option<Arc<Scope>>,
    /// The key under which the result of a change is kept, for when the call is repeated.
    pub idempotency_key: Option<Arc<IdempotencyKey>>,
    /// Whether the thread of the call may wait for the disk: nobody else is served by it.
    pub may_wait: bool,
}

impl ReadContext {
    /// The folder of the project that a person is in, relative to its root; empty at the root, and
    /// for callers that are in no folder.
    pub fn folder(&self) -> String {
        if self.origin.source != "cli" {
            return String::new();
        }
        let here = self.workspace.machine().cwd.canonicalize().ok();
        let inside = here.and_then(|it| {
            let inside = it.strip_prefix(self.workspace.root()).ok()?;
            Some(inside.to_str()?.to_owned())
        });
        inside.unwrap_or_default()
    }

    /// How many bytes a step of a run has written so far, while it runs.
    pub fn step_written(&self, run_id: &str, step: usize) -> u64 {
        self.jobs.step_written(run_id, step)
    }

    /// Reads the state, up to the deadline.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&Reader<'_>) -> Result<T>) -> Result<T> {
        self.state.read(self.deadline, work)
    }

    /// Shows the caller the job that the call is about.
    pub(crate) fn follow(&self, job: &JobHandle) {
        if let Some(on_job) = &self.on_job {
            on_job(job);
        }
    }

    /// Runs a part of a long call where waiting for the disk, git or a file does not block other
    /// requests.
    pub(crate) async fn offload<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let own = self.clone();
        offload(move || work(&own)).await
    }

    pub(crate) fn check_audience(&self, declaration: &Declaration) -> Result<()> {
        if declaration.audience == Audience::Human && self.origin.actor != Actor::Human {
            return Err(Error::new(
                ErrorKind::HumanOnly,
                format!(
                    "Only a person at a terminal can do this: windlass {}",
                    declaration.command_words().join(" ")
                ),
            )
            .with_hint("Ask a person to run the command."));
        }
        Ok(())
    }
}

/// The context of an operation that writes or runs something. Cheap to clone; one for each call.
#[derive(Clone)]
pub struct Context {
    reading: ReadContext,
    pub store: Arc<Store>,
    pub host: Arc<JobHost>,
}

impl Deref for Context {
    type Target = ReadContext;

    fn deref(&self) -> &ReadContext {
        &self.reading
    }
}

impl DerefMut for Context {
    fn deref_mut(&mut self) -> &mut ReadContext {
        &mut self.reading
    }
}

impl Context {
    pub fn new(
        store: Arc<Store>,
        host: Arc<JobHost>,
        origin: Origin,
        settings: Arc<Settings>,
    ) -> Self {
        let workspace = Arc::clone(host.workspace());
        store.ask_for_gates_file(move || !file_gates(&workspace).is_empty());
        Self {
            reading: ReadContext {
                state: StateReader::new(Arc::clone(&store)),
                workspace: Arc::clone(host.workspace()),
                jobs: JobReader::new(Arc::clone(&host)),
                origin,
                not_a_person: None,
                settings,
                access: Access::everything(),
                deadline: None,
                output_budget: None,
                naming: Naming::default(),
                progress: None,
                on_job: None,
                observer: None,
                spans: host.spans().cloned(),
                idempotency_key: None,
                may_wait: false,
            },
            store,
            host,
        }
    }

    /// The same, on behalf of a session's agent.
    pub(crate) fn of_session(&self, id: &str) -> Self {
        let mut own = self.clone();
        own.origin.actor = Actor::Agent;
        id.clone_into(&mut own.origin.session);
        own
    }

    /// Puts the spans of this call below that of its caller, who names it as W3C has it.
    pub fn continue_trace(&mut self, traceparent: &str) {
        if let Some(spans) = self.spans.take() {
            self.spans = spans.below(traceparent);
        }
    }

    /// The same call without a way to change anything.
    pub(crate) fn into_reading(self) -> ReadContext {
        self.reading
    }

    /// Runs a part of a long call where waiting for the disk, git or a file does not block other
    /// requests.
    pub(crate) async fn offload<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let own = self.clone();
        offload(move || work(&own)).await
    }

    /// Whether this process may change the state: the caller may, and the state is this user's own.
    pub fn may_change(&self) -> bool {
        !self.access.is_read_only() && self.store.check_trusted().is_ok()
    }

    /// Changes the state in one transaction, up to the deadline: a caller that was told that the
    /// request took too long may repeat it.
    pub(crate) fn write<T>(&self, work: impl FnOnce(&Writer<'_>) -> Result<T>) -> Result<T> {
        self.store.write_until(self.deadline, &self.origin, work)
    }
}
