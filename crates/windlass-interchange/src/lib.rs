//! Plans of other tools read into one list of items, and a plan written for people and programs.
//!
//! Readers take bytes and folders and return a [`Plan`]; nothing here knows the store. What they read
//! is hostile: sizes are bounded, links are not followed, databases are opened read-only from a copy or
//! as immutable files, and nothing that is read is ever run.

mod files;
mod finish;
mod known_places;
mod plan;
mod read;
mod sqlite;
mod text;
mod write;

pub use finish::draft;
pub use known_places::plans_in;
pub use plan::{Comment, Item, Learning, Link, Own, Place, Plan, Problem, Severity, Source};
pub use read::read;
pub use text::fingerprint;
pub use write::{
    EXPORT_FORMAT, EXPORT_VERSION, ExportFormat, ExportWriter, SnapshotFile, SnapshotPages,
    is_snapshot_file,
};
