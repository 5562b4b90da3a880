//! What is kept of a run beside its record: whole outputs, and files that globs name.

mod collect;
mod location;
mod store;

pub use collect::{Candidate, Collected, collect};
pub use location::{Location, LocationError};
pub use store::{ArtifactStore, StoreError, StoredArtifact};
pub(crate) use store::{hexadecimal, run_part};

/// How much is kept of a run.
#[derive(Debug, Clone)]
pub struct ArtifactLimits {
    /// Bytes of one file; a larger one is skipped.
    pub file_bytes: u64,
    /// Bytes of all artifacts of a run together; what does not fit is skipped.
    pub run_bytes: u64,
    /// Files of one step.
    pub files_per_step: usize,
    /// Bytes of one output of a step that are kept; its end is in the record in any case.
    pub output_bytes: u64,
}

impl Default for ArtifactLimits {
    fn default() -> Self {
        Self {
            file_bytes: 100 << 20,
            run_bytes: 1 << 30,
            files_per_step: 1000,
            output_bytes: 64 << 20,
        }
    }
}
