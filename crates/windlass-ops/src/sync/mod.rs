//! The exchange with other clones: packs in `.windlass/packs/`, which git carries.
//!
//! `sync_run.rs`, `sync_check.rs` and `sync_status.rs` are the operations; `automatic.rs` is what every
//! process does by itself; `commit.rs` is what the hooks of git need.

mod automatic;
mod commit;
mod difference;
mod outputs;
mod sync_check;
mod sync_run;
mod sync_status;

pub use automatic::{AutomaticImport, import_new_packs, keep_importing};
pub use commit::{CommitPacks, packs_for_commit};
pub use sync_check::SyncCheck;
pub use sync_run::SyncRun;
pub use sync_status::SyncStatus;
