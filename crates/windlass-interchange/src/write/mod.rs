//! A plan written for people and for programs.

mod escape;
mod export;
mod graph;
mod index_pages;
mod page;
mod snapshot;

pub use export::{EXPORT_FORMAT, EXPORT_VERSION, ExportFormat, ExportWriter};
pub use snapshot::{SnapshotFile, SnapshotPages, is_snapshot_file};
