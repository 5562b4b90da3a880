//! The project's journal: what is in `learnings.txt` and `progress.txt`. Entries are only added, and
//! an entry is its kind, time and text: the same one on two clones is one.

use sha2::{Digest as _, Sha256};
use windlass_core::{Error, Result, Timestamp, hexadecimal};

use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::writer::Writer;

/// The longest text of an entry.
const MAX_TEXT_BYTES: usize = 64 << 10;

/// Which of the two journals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JournalKind {
    Learnings,
    Progress,
}

impl JournalKind {
    pub const ALL: [Self; 2] = [Self::Learnings, Self::Progress];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Learnings => "learnings",
            Self::Progress => "progress",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == text)
    }
}

/// One entry. Entries are ordered by kind, time and id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct JournalEntry {
    pub kind: JournalKind,
    pub at: Timestamp,
    /// Follows from the other fields.
    pub id: String,
    pub text: String,
}

impl JournalEntry {
    pub fn new(kind: JournalKind, text: &str, at: &Timestamp) -> Result<Self> {
        Self::from_pack(kind.name(), at.as_str(), text)
            .map_err(|problem| Error::validation("text", problem))
    }

    pub(crate) fn from_pack(kind: &str, at: &str, text: &str) -> Result<Self, String> {
        let Some(kind) = JournalKind::parse(kind) else {
            return Err("a journal in it is unknown".to_owned());
        };
        let moment = Timestamp::from_stored(at.to_owned());
        if Timestamp::from_millis(moment.as_millis()) != moment {
            return Err("the time of a journal entry is not valid".to_owned());
        }
        if text.trim().is_empty() || text.len() > MAX_TEXT_BYTES || text.contains('\0') {
            return Err(format!(
                "a journal entry must have 1 to {MAX_TEXT_BYTES} bytes of text"
            ));
        }
        let mut hash = Sha256::new();
        for part in [kind.name(), at, text] {
            hash.update(part);
            hash.update([0]);
        }
        let mut id = hexadecimal(&hash.finalize());
        id.truncate(32);
        Ok(Self {
            kind,
            at: moment,
            id,
            text: text.to_owned(),
        })
    }
}

impl Reader<'_> {
    /// The entries of a journal by time, the same order on every clone.
    pub fn journal(&self, kind: JournalKind) -> Result<Vec<JournalEntry>> {
        self.journal_where("kind = ?1 ORDER BY at, id", kind.name())
    }

    /// Entries that are not in a pack yet.
    pub(crate) fn unpacked_journal(&self) -> Result<Vec<JournalEntry>> {
        self.journal_where("packed = 0 AND ?1 IS NOT NULL ORDER BY seq", "")
    }

    fn journal_where(&self, condition: &str, value: &str) -> Result<Vec<JournalEntry>> {
        self.connection()
            .prepare_cached(&format!(
                "SELECT kind, at, id, text FROM journal WHERE {condition}"
            ))
            .and_then(|mut statement| {
                statement
                    .query_map([value], |row| {
                        let kind = JournalKind::parse(row.get_ref(0)?.as_str()?);
                        Ok(JournalEntry {
                            kind: kind.unwrap_or(JournalKind::Learnings),
                            at: Timestamp::from_stored(row.get(1)?),
                            id: row.get(2)?,
                            text: row.get(3)?,
                        })
                    })?
                    .collect()
            })
            .stored()
    }
}

impl Writer<'_> {
    /// Adds an entry. The same entry again changes nothing.
    pub fn append_journal(
        &self,
        kind: JournalKind,
        text: &str,
        at: &Timestamp,
    ) -> Result<JournalEntry> {
        let entry = JournalEntry::new(kind, text, at)?;
        self.insert_journal(&entry, false)?;
        Ok(entry)
    }

    /// Returns whether the entry is new.
    pub(crate) fn insert_journal(&self, entry: &JournalEntry, packed: bool) -> Result<bool> {
        let added = self
            .connection()
            .prepare_cached(
                "INSERT OR IGNORE INTO journal (id, kind, at, text, packed)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )
            .and_then(|mut statement| {
                statement.execute((
                    &entry.id,
                    entry.kind.name(),
                    entry.at.as_str(),
                    &entry.text,
                    packed,
                ))
            })
            .stored()?;
        Ok(added > 0)
    }

    /// Entries that are in a pack are not sent again.
    pub(crate) fn mark_journal_packed<'e>(
        &self,
        entries: impl IntoIterator<Item = &'e JournalEntry>,
    ) -> Result<()> {
        for entry in entries {
            self.connection()
                .prepare_cached("UPDATE journal SET packed = 1 WHERE id = ?1")
                .and_then(|mut statement| statement.execute([&entry.id]))
                .stored()?;
        }
        Ok(())
    }
}
