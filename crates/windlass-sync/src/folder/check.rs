//! Whether folder and state have the same packs, without changing either.

use std::collections::BTreeSet;
use std::io;

use windlass_store::{PackName, PackOutcome, examine_pack};

use super::exchange::reason;
use super::place::{Odd, PacksFolder};

/// What the state has, as a reader sees it.
#[derive(Debug, Clone, Default)]
pub struct StatePacks {
    pub known: Vec<PackName>,
    pub replaced: Vec<PackName>,
    /// Changes that are in no pack.
    pub unpacked: usize,
}

/// Where folder and state differ.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Difference {
    /// Packs that the state knows and the folder lacks.
    pub missing: Vec<PackName>,
    /// Packs in the folder that can be imported.
    pub new: Vec<PackName>,
    /// Files that cannot be imported, and why.
    pub skipped: Vec<Odd>,
    /// Files whose content other packs have.
    pub replaced: Vec<PackName>,
    /// Changes that are in no pack.
    pub unpacked: usize,
}

impl Difference {
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Compares them. Every file is read: a pack that git or a disk has changed is found.
    pub fn between(state: &StatePacks, folder: &PacksFolder) -> io::Result<Self> {
        let listing = folder.list()?;
        let known: BTreeSet<&PackName> = state.known.iter().collect();
        let replaced: BTreeSet<&PackName> = state.replaced.iter().collect();
        let mut difference = Self {
            skipped: listing.odd,
            unpacked: state.unpacked,
            ..Self::default()
        };
        let mut whole = BTreeSet::new();
        for name in listing.packs {
            if replaced.contains(&name) {
                difference.replaced.push(name);
                continue;
            }
            let examined = folder.read(&name).map_err(|problem| problem.to_string());
            let examined = examined.and_then(|bytes| match examine_pack(&name, &bytes) {
                None => Ok(()),
                Some(PackOutcome::Imported(_) | PackOutcome::AlreadyKnown) => Ok(()),
                Some(other) => Err(reason(other)),
            });
            match examined {
                Ok(()) if known.contains(&name) => drop(whole.insert(name)),
                Ok(()) => difference.new.push(name),
                Err(reason) => difference.skipped.push(Odd {
                    file: name.file_name(),
                    reason,
                }),
            }
        }
        let missing = state.known.iter().filter(|name| !whole.contains(*name));
        difference.missing = missing.cloned().collect();
        difference.skipped.sort();
        Ok(difference)
    }
}
