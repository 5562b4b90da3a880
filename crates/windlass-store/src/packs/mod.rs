//! Packs: changes of this clone as one immutable file each, for other clones.
//!
//! A pack is named after its content. Clones exchange sets of packs: files are only added, so that
//! nothing can conflict, and importing one again changes nothing. `docs/contracts/pack.md` has the
//! format.

mod compact;
mod coverage;
mod examine;
mod format;
mod import;
mod kept;
mod reader;
mod write;

use std::fmt;

use sha2::{Digest as _, Sha256};
use windlass_core::{Error, Result, hexadecimal};

use crate::exchange::ImportReport;
pub use examine::{examine_pack, wait_for_locks_at_most};
pub use format::{MAX_PACK_BYTES, PACK_VERSION};
pub use write::OutgoingPack;

/// The file extension of packs.
pub const PACK_EXTENSION: &str = "pack";

/// The name of a pack: the SHA-256 of its bytes in lower-case hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackName(String);

impl PackName {
    /// Accepts 64 lower-case hexadecimal digits, and nothing else.
    pub fn parse(text: &str) -> Result<Self> {
        let digits = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if text.len() == 64 && text.bytes().all(digits) {
            return Ok(Self(text.to_owned()));
        }
        Err(
            Error::validation("pack", "is not the name of a pack").with_hint(
                "A pack is named after its SHA-256: 64 digits and lower-case letters a to f.",
            ),
        )
    }

    /// The name in a file name: `NAME.pack`. `None` if the file is not called like a pack.
    pub fn of_file(file_name: &str) -> Option<Self> {
        let name = file_name.strip_suffix(".pack")?;
        Self::parse(name).ok()
    }

    /// The name that these bytes have.
    pub fn of(bytes: &[u8]) -> Self {
        Self(hexadecimal(&Sha256::digest(bytes)))
    }

    /// For text from the store.
    pub(crate) fn from_stored(text: String) -> Self {
        Self(text)
    }

    pub fn file_name(&self) -> String {
        format!("{}.{PACK_EXTENSION}", self.0)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first twelve digits, enough for a person.
    pub fn short(&self) -> &str {
        self.0.get(..12).unwrap_or(&self.0)
    }
}

impl fmt::Display for PackName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// A pack and its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pack {
    pub name: PackName,
    pub bytes: Vec<u8>,
}

impl Pack {
    fn new(bytes: Vec<u8>) -> Self {
        Self {
            name: PackName::of(&bytes),
            bytes,
        }
    }
}

/// What became of a pack that was offered for import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PackOutcome {
    Imported(ImportReport),
    /// It was imported or written before, or another pack contains it.
    AlreadyKnown,
    /// A newer windlass wrote it. Nothing of it was imported.
    Newer {
        version: u32,
    },
    /// It is a pack, but cannot be read. Nothing of it was imported.
    Damaged {
        reason: String,
    },
    /// It is not a pack, or not the one that its name says.
    Foreign {
        reason: String,
    },
}
