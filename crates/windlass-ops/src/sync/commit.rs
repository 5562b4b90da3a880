//! What the hooks of git need: the packs that belong into a commit.

use std::path::PathBuf;

use windlass_core::Result;
use windlass_store::{PackName, Project};
use windlass_sync::folder::{Compaction, Exchange, PacksFolder};

use super::outputs::SyncOutput;
use super::sync_run::due;
use crate::context::Context;
use crate::plan::write_journals;

/// A hook has no time to join more than this: `windlass sync` does it.
const MOST_BYTES_TO_COMPACT: u64 = 1 << 20;

/// What a commit should have.
#[derive(Debug)]
pub struct CommitPacks {
    /// Files that belong into it.
    pub add: Vec<PathBuf>,
    /// Files that another pack replaces.
    pub remove: Vec<PathBuf>,
    pub output: SyncOutput,
}

/// Writes the packs of this checkout before a commit.
pub fn packs_for_commit(context: &Context) -> Result<CommitPacks> {
    let project = context.workspace.project();
    // A file that cannot be written must not keep the packs from the commit.
    let _ = write_journals(&context.store, &context.origin, project);
    let folder = PacksFolder::of(project);
    let exchange = Exchange {
        store: &context.store,
        folder: &folder,
        origin: &context.origin,
        thorough: false,
    };
    let compaction = if bytes_of(context)? <= MOST_BYTES_TO_COMPACT {
        due(context)?
    } else {
        Compaction::Never
    };
    let synced = exchange.sync(compaction)?;
    if synced.imported.changes.journal > 0 {
        let _ = write_journals(&context.store, &context.origin, project);
    }
    let known = context.store.known_packs()?;
    let replaced = context.store.replaced_packs()?;
    Ok(CommitPacks {
        add: files(project, &known),
        remove: files(project, &replaced),
        output: SyncOutput::new(synced, known.len()),
    })
}

fn bytes_of(context: &Context) -> Result<u64> {
    let lengths = context.store.known_pack_lengths()?;
    Ok(lengths.into_iter().map(|(_, length)| length).sum())
}

/// The files of packs, relative to the project.
fn files(project: &Project, names: &[PackName]) -> Vec<PathBuf> {
    let folder = project.folder().join(windlass_sync::folder::PACKS);
    names
        .iter()
        .map(|name| folder.join(name.file_name()))
        .collect()
}
