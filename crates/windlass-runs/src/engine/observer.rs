//! The interface through which a caller follows a run.

use windlass_process::Stream;

use crate::record::RunRecord;

/// The error of an observer.
pub type ObserverError = Box<dyn std::error::Error + Send + Sync>;

/// A transition. Skipped steps change with the end of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// `created` → `running`.
    RunStarted,
    /// The step with this index began.
    StepStarted(usize),
    /// The step with this index ended.
    StepEnded(usize),
    /// What is known of the run where it is executed: its id or its state there.
    External,
    /// The run ended.
    RunEnded,
}

/// Receives every transition before the next begins, and all output.
pub trait Observer: Send + Sync {
    /// The record has changed. Changes that happen together (the end of a step and the beginning of
    /// the next) are passed together, so that they can be stored together. It may block: it is
    /// called on a thread where blocking is allowed.
    ///
    /// An error ends the run. If it rejects the start of the run, nothing is executed: this decides
    /// which of two processes that execute the same run may do so.
    fn changed(&self, record: &RunRecord, changes: &[Change]) -> Result<(), ObserverError>;

    /// A step has written output. Secrets are masked. It must not block for long, because the step
    /// waits for it.
    fn output(&self, run_id: &str, step: usize, stream: Stream, bytes: &[u8]) {
        let _ = (run_id, step, stream, bytes);
    }
}

/// Ignores everything.
impl Observer for () {
    fn changed(&self, _record: &RunRecord, _changes: &[Change]) -> Result<(), ObserverError> {
        Ok(())
    }
}
