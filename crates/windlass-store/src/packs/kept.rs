//! The packs that the state knows. The bytes of those that no other pack replaces are kept: a folder
//! of a branch that lacks one gets the same file again.

use rusqlite::OptionalExtension as _;
use windlass_core::{Result, Timestamp};

use crate::error::StorageContext as _;
use crate::packs::PackName;
use crate::reader::Reader;
use crate::store::Store;
use crate::writer::Writer;

/// What the state knows of a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Written or imported, and not replaced.
    Known,
    /// Another known pack has all of it.
    Replaced,
    /// Another pack says that it has all of it; it was never here to be compared.
    Claimed,
}

impl Standing {
    const ALL: [Self; 3] = [Self::Known, Self::Replaced, Self::Claimed];

    const fn name(self) -> &'static str {
        match self {
            Self::Known => "known",
            Self::Replaced => "replaced",
            Self::Claimed => "claimed",
        }
    }
}

impl Store {
    /// The packs that hold everything this clone wrote or imported, by name. Every folder and remote
    /// should have them.
    pub fn known_packs(&self) -> Result<Vec<PackName>> {
        self.read(None, |reader| reader.packs_that_are(Standing::Known))
    }

    /// The packs whose content is in a known pack. They can be removed once the known ones are
    /// there.
    pub fn replaced_packs(&self) -> Result<Vec<PackName>> {
        self.read(None, |reader| reader.packs_that_are(Standing::Replaced))
    }

    /// The bytes of a known pack.
    pub fn pack_bytes(&self, name: &PackName) -> Result<Option<Vec<u8>>> {
        self.read(None, |reader| reader.pack_bytes(name))
    }

    /// Those of these packs that were neither imported nor written here. Import them.
    pub fn unknown_packs(&self, names: &[PackName]) -> Result<Vec<PackName>> {
        self.read(None, |reader| {
            let mut unknown = Vec::new();
            for name in names {
                if matches!(reader.standing_of(name)?, None | Some(Standing::Claimed)) {
                    unknown.push(name.clone());
                }
            }
            Ok(unknown)
        })
    }
}

impl Reader<'_> {
    pub(crate) fn packs_that_are(&self, standing: Standing) -> Result<Vec<PackName>> {
        self.connection()
            .prepare_cached("SELECT name FROM packs WHERE standing = ?1 ORDER BY name")
            .and_then(|mut statement| {
                statement
                    .query_map([standing.name()], |row| row.get(0).map(PackName))?
                    .collect()
            })
            .stored()
    }

    pub(crate) fn pack_bytes(&self, name: &PackName) -> Result<Option<Vec<u8>>> {
        let found: Option<Option<Vec<u8>>> = self
            .connection()
            .prepare_cached("SELECT bytes FROM packs WHERE name = ?1")
            .and_then(|mut statement| {
                statement
                    .query_row([name.as_str()], |row| row.get(0))
                    .optional()
            })
            .stored()?;
        Ok(found.flatten())
    }

    pub(crate) fn standing_of(&self, name: &PackName) -> Result<Option<Standing>> {
        let found: Option<String> = self
            .connection()
            .prepare_cached("SELECT standing FROM packs WHERE name = ?1")
            .and_then(|mut statement| {
                statement
                    .query_row([name.as_str()], |row| row.get(0))
                    .optional()
            })
            .stored()?;
        let standing = |text: String| Standing::ALL.into_iter().find(|it| it.name() == text);
        Ok(found.and_then(standing))
    }
}

impl Writer<'_> {
    pub(crate) fn keep_pack(&self, name: &PackName, bytes: &[u8]) -> Result<()> {
        self.put_pack(name, Some(bytes), Standing::Known)
    }

    /// The bytes are in another pack from now on.
    pub(crate) fn set_standing(&self, name: &PackName, standing: Standing) -> Result<()> {
        self.put_pack(name, None, standing)
    }

    fn put_pack(&self, name: &PackName, bytes: Option<&[u8]>, standing: Standing) -> Result<()> {
        self.connection()
            .prepare_cached(
                "INSERT INTO packs (name, bytes, standing, at) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (name) DO UPDATE SET bytes = ?2, standing = ?3",
            )
            .and_then(|mut statement| {
                let now = Timestamp::now();
                statement.execute((name.as_str(), bytes, standing.name(), now.as_str()))
            })
            .stored()?;
        Ok(())
    }
}
