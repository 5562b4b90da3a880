//! The plan in and out: imports from other tools, exports, and the snapshot in Markdown.

mod apply;
mod changes;
mod export;
mod folder;
mod import;
mod place;
mod report;
mod sync_snapshot;

pub use export::{Export, export_to};
pub use import::Import;
pub use sync_snapshot::{SyncSnapshot, snapshot_page};
