//! Errors of the engine. A failure of a step or a run is in the record instead.

use std::io;
use std::path::PathBuf;

use super::observer::ObserverError;
use crate::record::{RunRecord, RunStatus};
use crate::runtimes::Unavailable;

/// Why an engine could not be created.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The project folder cannot be used.
    #[error("the project {} cannot be used", path.display())]
    Root {
        /// The folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

/// Why a run was not executed, or could not be recorded.
#[derive(Debug, thiserror::Error)]
pub enum ExecuteError {
    /// A run can be executed only once.
    #[error("Run {run_id} has already been executed (status: {status})")]
    AlreadyExecuted {
        /// The run.
        run_id: String,
        /// Its status.
        status: RunStatus,
    },
    /// The record and the spec have different steps.
    #[error("The steps of run {0} do not match its spec")]
    OtherSpec(String),
    /// The runtime cannot be used.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// The observer rejected the start; nothing was executed.
    #[error("Run {run_id} was not started: {source}")]
    NotStarted {
        /// The run.
        run_id: String,
        /// The observer's error.
        source: ObserverError,
    },
    /// The observer failed during the run; the run and its processes were stopped.
    #[error("Run {} was stopped because it could not be recorded: {source}", record.run_id())]
    NotRecorded {
        /// The record, with status `failed`. It has not been stored.
        record: Box<RunRecord>,
        /// The observer's error.
        source: ObserverError,
    },
}
