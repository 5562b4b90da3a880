//! What runs is what a person allowed: the files that decide are watched from before they are checked
//! until the job has ended.
//!
//! Between the check and the moment in which a runner reads its files, anyone who can write them could
//! swap them, and swap them back. So a job whose files were touched while it started is stopped, and
//! nothing of it is returned, whatever the files contain by then: its output is read first and the
//! watch is asked afterwards, so that output of another text is never passed on. A change after that
//! stops the job only if what decides differs, because runners read their files again later
//! (`npm run a && npm run b`, a make in a make); the job of a person goes on.

mod pin_watch;
mod sink;
mod watcher;

use std::collections::BTreeSet;
use std::fmt;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use windlass_commands::{Command, Extent};
use windlass_core::{Error, ErrorKind, Result};
use windlass_process::Job;

use super::outputs::JobFacts;
use crate::workspace::Workspace;

pub use pin_watch::PinWatch;
pub use sink::GuardedSink;
pub use watcher::keep_watch;

/// A runner has read its files after this time, if it has written anything by then.
const STARTING: Duration = Duration::from_secs(2);
/// The same for one that has written nothing.
const STARTING_QUIETLY: Duration = Duration::from_secs(10);

/// Watches over one job.
pub struct Guard {
    workspace: Arc<Workspace>,
    command: Command,
    /// A person who started it sees what happens to the files.
    of_person: bool,
    watch: Mutex<PinWatch>,
    started: OnceLock<Instant>,
    has_written: AtomicBool,
    /// The job has ended, and was looked at after that.
    settled: AtomicBool,
    changed: OnceLock<Change>,
    noticed: Notify,
}

#[derive(Debug)]
struct Change {
    files: Vec<String>,
    while_starting: bool,
}

impl fmt::Debug for Guard {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = out.debug_struct("Guard");
        out.field("command", &self.command.unique_name);
        out.field("changed", &self.changed).finish_non_exhaustive()
    }
}

impl Guard {
    /// `watch` has been watching since before the command was read.
    pub fn new(
        workspace: Arc<Workspace>,
        command: Command,
        watch: PinWatch,
        of_person: bool,
    ) -> Self {
        Self {
            workspace,
            command,
            of_person,
            watch: Mutex::new(watch),
            started: OnceLock::new(),
            has_written: AtomicBool::new(false),
            settled: AtomicBool::new(false),
            changed: OnceLock::new(),
            noticed: Notify::new(),
        }
    }

    /// The job's process exists from now on.
    pub fn has_started(&self) {
        let _ = self.started.set(Instant::now());
    }

    /// Whether the runner may not have read all of its files yet.
    fn is_starting(&self) -> bool {
        let Some(started) = self.started.get() else {
            return true;
        };
        let limit = if self.has_written.load(Ordering::Relaxed) {
            STARTING
        } else {
            STARTING_QUIETLY
        };
        started.elapsed() < limit
    }

    /// Looks at the files now. Returns whether everything that the job did so far came from the text
    /// that was allowed.
    fn look(&self) -> bool {
        let mut watch = self.watch();
        if self.changed.get().is_some() {
            return false;
        }
        let starting = self.is_starting();
        if self.settled.load(Ordering::Relaxed) || (self.of_person && !starting) {
            return true;
        }
        let touched = watch.take_touched();
        if touched.is_empty() {
            return true;
        }
        let swapped = starting && touched.iter().any(|path| self.is_pinned_whole(path));
        if !swapped && self.is_as_allowed() {
            watch.watch_again();
            return true;
        }
        let _ = self.changed.set(Change {
            files: touched.into_iter().collect(),
            while_starting: starting,
        });
        self.noticed.notify_one();
        false
    }

    /// The same, also at the end of the job: what happens to the files later is not its concern.
    fn look_at(&self, job: &Job) -> bool {
        let ended = !job.state().is_running();
        let holds = self.look();
        if job.totals().total_bytes > 0 {
            self.has_written.store(true, Ordering::Relaxed);
        }
        if ended {
            self.settled.store(true, Ordering::Relaxed);
        }
        holds
    }

    /// Of data, the parts that do not decide may change: commands rewrite such files themselves.
    fn is_pinned_whole(&self, path: &str) -> bool {
        let mut files = self.command.pins.files.iter();
        let file = files.find(|file| file.path == path);
        !file.is_some_and(|file| matches!(file.extent, Extent::Parts(_)))
    }

    /// Reads the command again, ignoring what is cached.
    fn is_as_allowed(&self) -> bool {
        let now = self
            .workspace
            .discovery()
            .ok()
            .and_then(|discovery| discovery.confirm(&self.command));
        now.is_some_and(|(_, now)| {
            now.fingerprint == self.command.fingerprint
                && now.pins.unreadable == self.command.pins.unreadable
        })
    }

    fn event_source(&self) -> Option<OwnedFd> {
        self.watch().event_source()
    }

    fn watch(&self) -> MutexGuard<'_, PinWatch> {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Why the job does not count as run; none while it does.
    fn refusal(&self) -> Option<String> {
        let change = self.changed.get()?;
        let verb = if change.while_starting {
            "while it was being started"
        } else {
            "while it ran"
        };
        Some(format!("{} changed {verb}", change.files.join(", ")))
    }

    fn error(&self) -> Option<Error> {
        let refusal = self.refusal()?;
        let name = &self.command.unique_name;
        let files: BTreeSet<&String> = self.changed.get().iter().flat_map(|it| &it.files).collect();
        Some(
            Error::new(
                ErrorKind::NotAllowlisted,
                format!("Task '{name}' was stopped: {refusal}"),
            )
            .with("unique_name", name.as_str())
            .with("reason", refusal)
            .with("changed", serde_json::json!(files))
            .with("how", format!("windlass allow {name}"))
            .with_hint(
                "Nothing that it wrote is returned. Start it again; if it is not allowed any more, ask a \
                 human to look at the change: [[allowlist_allow]]",
            ),
        )
    }
}

/// Fails if the job cannot count as run: its files changed under it. To be asked after its output or
/// state was read and before that is passed on.
pub fn confirm_text(job: &Job) -> Result<()> {
    match guard_of(job) {
        Some(guard) if !guard.look_at(job) => Err(guard
            .error()
            .unwrap_or_else(|| Error::internal("the change is known"))),
        _ => Ok(()),
    }
}

/// Why a job of this process does not count as run, as far as is known.
pub fn known_refusal(job: &Job) -> Option<String> {
    guard_of(job)?.refusal()
}

fn guard_of(job: &Job) -> Option<&Guard> {
    let facts = job.data.as_ref()?.downcast_ref::<JobFacts>()?;
    facts.guard.as_deref()
}

/// Its files change so fast that they cannot be read in one state.
pub fn restless(name: &str) -> Error {
    Error::new(
        ErrorKind::NotAllowlisted,
        format!("Task '{name}' was not started: its files are being changed"),
    )
    .with("unique_name", name)
    .with_hint("Start it again when nothing writes them any more.")
}
