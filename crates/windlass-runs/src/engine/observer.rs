//! Who is told of what happens.

use windlass_process::Stream;

use crate::record::RunRecord;

/// Why an observer cannot go on.
pub type ObserverError = Box<dyn std::error::Error + Send + Sync>;

/// A transition. Steps that are skipped change with the end of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// `created` → `running`.
    RunStarted,
    /// The step of this index began.
    StepStarted(usize),
    /// The step of this index ended.
    StepEnded(usize),
    /// The run ended.
    RunEnded,
}

/// Is told of every transition before the next begins, and of every piece of output.
pub trait Observer: Send + Sync {
    /// The record has changed. Changes of one moment come together (the end of a step and the
    /// beginning of the next), so that they can be stored together. It may block: it is called where
    /// blocking is allowed.
    ///
    /// An error ends the run. Where the start of the run is refused, nothing is executed: this is
    /// where one of two processes that execute the same run wins.
    fn changed(&self, record: &RunRecord, changes: &[Change]) -> Result<(), ObserverError>;

    /// A step has written something. Secrets are masked. It must not block for long: the step waits.
    fn output(&self, run_id: &str, step: usize, stream: Stream, bytes: &[u8]) {
        let _ = (run_id, step, stream, bytes);
    }
}

/// Nobody is told.
impl Observer for () {
    fn changed(&self, _record: &RunRecord, _changes: &[Change]) -> Result<(), ObserverError> {
        Ok(())
    }
}
