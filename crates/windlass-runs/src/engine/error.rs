//! What can go wrong around a run. What goes wrong inside it is in its record.

use std::io;
use std::path::PathBuf;

use super::observer::ObserverError;
use crate::record::{RunRecord, RunStatus};
use crate::runtimes::Unavailable;

/// Why there is no engine.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The project is not there.
    #[error("the project {} cannot be used", path.display())]
    Root {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Why a run was not executed, or nobody could be told.
#[derive(Debug, thiserror::Error)]
pub enum ExecuteError {
    /// It can be executed once only.
    #[error("Run {run_id} has already been executed (status: {status})")]
    AlreadyExecuted {
        /// Which run.
        run_id: String,
        /// Where it stands.
        status: RunStatus,
    },
    /// The record and the spec have different steps.
    #[error("Run {0} has other steps than its spec")]
    OtherSpec(String),
    /// The runtime cannot be used.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// The observer refused the start; nothing was executed.
    #[error("Run {run_id} was not started: {source}")]
    NotStarted {
        /// Which run.
        run_id: String,
        /// What the observer said.
        source: ObserverError,
    },
    /// The observer failed while the run was under way; it was ended, and its processes with it.
    #[error("Run {} was ended because it could not be recorded: {source}", record.run_id())]
    NotRecorded {
        /// The record, which has ended as `failed`; nobody has stored it.
        record: Box<RunRecord>,
        /// What the observer said.
        source: ObserverError,
    },
}
