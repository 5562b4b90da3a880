//! Object storage against real stores: in memory, in a folder, and in S3 as moto speaks it.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

mod compaction;
mod hostile;
mod leases;
#[path = "../../../windlass-runs/tests/it/moto.rs"]
mod moto;
mod passes;
mod places;
