//! The artifacts of a run, stored beside its record: complete outputs, and files that globs match.

mod collect;
mod store;

pub(crate) use collect::literal_start;
pub use collect::{Candidate, Collected, collect};
pub use store::{ArtifactStore, StoreError, StoredArtifact};
pub(crate) use store::{PutResult, run_part};
pub use windlass_objects::{Location, LocationError};

/// How much is stored for a run.
#[derive(Debug, Clone)]
pub struct ArtifactLimits {
    /// Maximum bytes of one file; a larger file is skipped.
    pub file_bytes: u64,
    /// Maximum bytes of all artifacts of a run; files beyond the limit are skipped.
    pub run_bytes: u64,
    /// Maximum number of files of one step.
    pub files_per_step: usize,
    /// Maximum bytes stored of one output of a step; the record always has its end.
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
