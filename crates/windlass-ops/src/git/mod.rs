//! What git knows about the work, if the project uses git.
//!
//! Git runs what a repository's configuration names: filters, hooks, monitors, converters, signers. An
//! agent can write that configuration, so nothing here gives git a reason to run any of it. The files
//! are read and compared by this code; git only answers what it has stored, and lists names.

mod change;
mod renames;
mod run;
mod snapshot;
mod worktree;
mod write;

use std::path::Path;

use windlass_store::WorkPlace;

pub use change::change_since;
pub use worktree::Worktree;
pub use write::{commit_all, switch_to_branch};

use run::line;

/// Whether the folder lies in a git repository.
pub fn is_there(root: &Path) -> bool {
    root.ancestors().any(|folder| folder.join(".git").exists())
}

/// The current commit and branch of the folder, and what identifies all of its files.
pub fn place(root: &Path) -> WorkPlace {
    if !is_there(root) {
        return WorkPlace::default();
    }
    WorkPlace {
        commit: line(root, &["rev-parse", "--verify", "--quiet", "HEAD"]),
        branch: line(root, &["symbolic-ref", "--quiet", "--short", "HEAD"]),
        tree: snapshot::tree(root),
    }
}

/// What identifies all files of the folder now.
pub fn tree(root: &Path) -> Option<String> {
    is_there(root).then(|| snapshot::tree(root)).flatten()
}
