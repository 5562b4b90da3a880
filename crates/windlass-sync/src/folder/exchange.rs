//! What a sync does: imports what is new in the folder, makes packs of what this clone has changed, and
//! makes the folder the union of all packs that the state knows.
//!
//! Each step is complete in itself, and the order is such that a process can be killed anywhere: what
//! was changed is in the outbox until it is in a pack that the state keeps, and whatever the state knows
//! and the folder lacks is written by the next sync.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use windlass_core::{Error, Origin, Result};
use windlass_store::{ImportReport, PackName, PackOutcome, Store};

use super::place::{Listing, Odd, PacksFolder};
use super::refused::Refused;

/// Packs of one sync at most: the outbox of a clone fits into a few.
const MOST_PACKS: usize = 10_000;

/// When packs are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compaction {
    Never,
    /// If the state knows more than this number of packs.
    Past(usize),
    Now,
}

/// What a sync did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Synced {
    /// New packs of this clone's changes.
    pub written: Vec<WrittenPack>,
    /// The pack that replaced all others.
    pub compacted: Option<PackName>,
    /// Packs that the folder lacked although the state knew them, as on another branch.
    pub restored: Vec<PackName>,
    /// Files that a compaction replaced, and that were removed.
    pub removed: Vec<PackName>,
    pub imported: Imported,
}

/// A new pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenPack {
    pub name: PackName,
    pub entities: usize,
    pub bytes: usize,
}

/// What was imported, and what was not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Imported {
    pub packs: Vec<PackName>,
    /// Files that were skipped, and why.
    pub skipped: Vec<Odd>,
    /// What all imports changed together.
    pub changes: ImportReport,
}

/// The state and the folder of one checkout.
pub struct Exchange<'a> {
    pub store: &'a Store,
    pub folder: &'a PacksFolder,
    pub origin: &'a Origin,
    /// Whether a sync also reads files that it knows, and replaces those that are broken.
    pub thorough: bool,
}

impl Exchange<'_> {
    /// Everything: import, new packs, compaction, and the folder.
    pub fn sync(&self, compaction: Compaction) -> Result<Synced> {
        let listing = self.list()?;
        let imported = self.import(&listing, None)?;
        let written = self.make_packs()?;
        let compacted = self.compact(compaction)?;
        // What killed processes left; nothing depends on it.
        let _ = self.folder.remove_abandoned();
        let mut synced = Synced {
            written,
            compacted,
            imported,
            ..Synced::default()
        };
        self.complete_folder(&listing, &mut synced)?;
        Ok(synced)
    }

    /// Imports what is new, and nothing else: what every process does that opens the project. Files
    /// that were refused before are not read again.
    pub fn import_new(&self, refused: &mut Refused) -> Result<Imported> {
        let listing = self.list()?;
        self.import(&listing, Some(refused))
    }

    fn list(&self) -> Result<Listing> {
        self.folder.list().map_err(|problem| self.failed(&problem))
    }

    fn import(&self, listing: &Listing, mut refused: Option<&mut Refused>) -> Result<Imported> {
        let mut imported = Imported {
            // Odd files are no news to whoever only looks for packs.
            skipped: match refused {
                Some(_) => Vec::new(),
                None => listing.odd.clone(),
            },
            ..Imported::default()
        };
        let mut stamps = BTreeMap::new();
        let mut readable = Vec::new();
        for name in self.store.unknown_packs(&listing.packs)? {
            let stamp = self.folder.stamp(&name);
            if refused.as_ref().is_some_and(|it| it.knows(&name, stamp)) {
                continue;
            }
            stamps.insert(name.clone(), stamp);
            readable.push(name);
        }
        let mut skipped = Vec::new();
        // Read when its turn comes, so that not all of them are in memory.
        let packs = readable
            .into_iter()
            .filter_map(|name| match self.folder.read(&name) {
                Ok(bytes) => Some((name, bytes)),
                Err(problem) => {
                    skipped.push((name, problem.to_string()));
                    None
                }
            });
        for (name, outcome) in self.store.import_packs(self.origin, packs)? {
            match outcome {
                PackOutcome::Imported(report) => {
                    add(&mut imported.changes, report);
                    imported.packs.push(name);
                }
                PackOutcome::AlreadyKnown => {}
                other => skipped.push((name, reason(other))),
            }
        }
        for (name, reason) in skipped {
            if let Some(refused) = refused.as_mut() {
                refused.add(&name, stamps.get(&name).copied().flatten());
            }
            let file = name.file_name();
            imported.skipped.push(Odd { file, reason });
        }
        Ok(imported)
    }

    /// The changes of this clone become packs that the state keeps.
    fn make_packs(&self) -> Result<Vec<WrittenPack>> {
        let mut written = Vec::new();
        for _ in 0..MOST_PACKS {
            let Some(outgoing) = self.store.pack_outbox(self.origin)? else {
                break;
            };
            written.push(WrittenPack {
                name: outgoing.pack.name,
                entities: outgoing.entities,
                bytes: outgoing.pack.bytes.len(),
            });
        }
        Ok(written)
    }

    fn compact(&self, compaction: Compaction) -> Result<Option<PackName>> {
        let is_due = match compaction {
            Compaction::Never => false,
            Compaction::Past(most) => self.store.known_packs()?.len() > most,
            Compaction::Now => true,
        };
        if !is_due {
            return Ok(None);
        }
        let pack = self.store.compact(self.origin)?;
        Ok(pack.map(|pack| pack.name))
    }

    /// The folder gets what it lacks, and only then loses what others contain.
    fn complete_folder(&self, listing: &Listing, synced: &mut Synced) -> Result<()> {
        let there: BTreeSet<&PackName> = listing.packs.iter().collect();
        let is_new = |name: &PackName| {
            synced.compacted.as_ref() == Some(name)
                || synced.written.iter().any(|it| it.name == *name)
        };
        let mut restored = Vec::new();
        for (name, length) in self.store.known_pack_lengths()? {
            if there.contains(&name) && self.is_whole(&name, length) {
                continue;
            }
            let Some(bytes) = self.store.pack_bytes(&name)? else {
                continue;
            };
            self.folder
                .add(&name, &bytes)
                .map_err(|problem| self.failed(&problem))?;
            if !is_new(&name) {
                restored.push(name);
            }
        }
        let mut removed = Vec::new();
        for name in self.store.replaced_packs()? {
            let gone = there.contains(&name) && {
                let removed = self.folder.remove(&name);
                removed.map_err(|problem| self.failed(&problem))?
            };
            if gone {
                removed.push(name);
            }
        }
        synced.restored = restored;
        synced.removed = removed;
        Ok(())
    }

    /// Whether the file of a pack is what it should be.
    fn is_whole(&self, name: &PackName, length: u64) -> bool {
        if !self.thorough {
            return self.folder.length(name) == Some(length);
        }
        let bytes = self.folder.read(name);
        bytes.is_ok_and(|bytes| PackName::of(&bytes) == *name)
    }

    fn failed(&self, problem: &io::Error) -> Error {
        let message = format!("{}: {problem}", self.folder.path().display());
        Error::storage(message)
            .with_hint("It must be a folder of the project that can be read and written.")
    }
}

fn add(all: &mut ImportReport, report: ImportReport) {
    all.changed += report.changed;
    all.pending += report.pending;
    all.renumbered.extend(report.renumbered);
    all.renamed.extend(report.renamed);
    all.work_renumbered.extend(report.work_renumbered);
    all.settled.extend(report.settled);
    all.journal += report.journal;
}

/// Why a pack was not imported.
pub(super) fn reason(outcome: PackOutcome) -> String {
    match outcome {
        PackOutcome::Newer { version } => {
            format!("a newer windlass wrote it (version {version}): update windlass to import it")
        }
        PackOutcome::Damaged { reason } | PackOutcome::Foreign { reason } => reason,
        PackOutcome::Imported(_) | PackOutcome::AlreadyKnown => String::new(),
    }
}
