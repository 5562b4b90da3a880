//! How folder and state differ, as `sync_check` and `sync_status` show it.

use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::{Error, Result};
use windlass_store::PackName;
use windlass_sync::folder::{Difference, PacksFolder, StatePacks};

use super::outputs::{SkippedFile, count};
use crate::context::ReadContext;
use crate::view::Style;

/// How the packs of this checkout and the state differ.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SyncDifference {
    /// Whether they have the same.
    pub in_sync: bool,
    /// How many packs the state knows.
    pub packs: usize,
    /// Changes of this clone that are in no pack.
    pub unpacked_changes: usize,
    /// Packs that this checkout lacks.
    pub missing: Vec<String>,
    /// Packs that have not been imported.
    pub not_imported: Vec<String>,
    /// Files that cannot be imported, and why.
    pub skipped: Vec<SkippedFile>,
    /// Files that can go, because another pack contains them.
    pub replaced: Vec<String>,
}

impl SyncDifference {
    pub fn read(context: &ReadContext) -> Result<Self> {
        let state = StatePacks {
            known: context.state.known_packs()?,
            replaced: context.state.replaced_packs()?,
            unpacked: context.state.unpacked_changes()?,
        };
        let folder = PacksFolder::of(context.workspace.project());
        let found = Difference::between(&state, &folder).map_err(|problem| {
            Error::storage(format!("{}: {problem}", folder.path().display()))
                .with_hint("It must be a folder of the project that can be read.")
        })?;
        let texts = |names: &[PackName]| -> Vec<String> {
            names.iter().map(|name| name.as_str().to_owned()).collect()
        };
        Ok(Self {
            in_sync: found.is_none(),
            packs: state.known.len(),
            unpacked_changes: found.unpacked,
            missing: texts(&found.missing),
            not_imported: texts(&found.new),
            replaced: texts(&found.replaced),
            skipped: found.skipped.into_iter().map(SkippedFile::from).collect(),
        })
    }

    /// What a person should know, a line each.
    pub fn lines(&self) -> Vec<(Style, String)> {
        let mut lines = Vec::new();
        if self.unpacked_changes > 0 {
            let changes = count(self.unpacked_changes, "change");
            lines.push((
                Style::Warning,
                format!("{changes} of this clone not in a pack yet."),
            ));
        }
        for (packs, text) in [
            (&self.missing, "known here, missing in this checkout"),
            (&self.not_imported, "in this checkout, not imported"),
            (&self.replaced, "can go: other packs have their content"),
        ] {
            if !packs.is_empty() {
                let line = format!("{} {text}.", count(packs.len(), "pack"));
                lines.push((Style::Warning, line));
            }
        }
        for skipped in &self.skipped {
            let line = format!("{}: {}.", skipped.file, skipped.reason);
            lines.push((Style::Bad, line));
        }
        lines
    }
}
