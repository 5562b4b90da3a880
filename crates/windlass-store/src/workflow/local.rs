//! Resolves what a caller typed to a local row: a number, an id, or an id prefix.

use rusqlite::OptionalExtension as _;
use windlass_core::{EntityRef, Error, ErrorKind, Result};

use crate::error::StorageContext as _;
use crate::reader::Reader;

/// A kind of row that has a number and an id.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Noun {
    pub(crate) table: &'static str,
    /// The name that people see.
    pub(crate) name: &'static str,
    pub(crate) missing: ErrorKind,
    /// The operation that lists the existing ones.
    pub(crate) list: &'static str,
}

impl Noun {
    pub(crate) fn not_found(self, text: &str) -> Error {
        let mut name = self.name.to_owned();
        if let Some(first) = name.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        Error::new(self.missing, format!("{name} {} not found", text.trim()))
            .with("id", text.trim())
            .with_hint(format!("Use [[{}]] to see the existing ones.", self.list))
    }
}

impl Reader<'_> {
    /// The full id of the row that `text` refers to.
    pub(crate) fn local_id(&self, noun: Noun, text: &str) -> Result<String> {
        let reference = EntityRef::parse("id", text).map_err(|error| {
            if error.kind() == ErrorKind::EntityNotFound {
                noun.not_found(text)
            } else {
                error
            }
        })?;
        let found = match &reference {
            EntityRef::Number(number) => self.local_by_number(noun, *number)?,
            EntityRef::Prefix(prefix) => self.local_by_prefix(noun, prefix)?,
        };
        found.ok_or_else(|| noun.not_found(text))
    }

    fn local_by_number(&self, noun: Noun, number: i64) -> Result<Option<String>> {
        // Like with entities: who has the number now, else the one that had it.
        let sql = format!(
            "SELECT id FROM {0} WHERE number = ?1
             UNION ALL
             SELECT a.id FROM work_aliases a JOIN {0} n ON n.id = a.id
                 WHERE a.kind = '{0}' AND a.number = ?1
             LIMIT 1",
            noun.table
        );
        self.connection()
            .prepare_cached(&sql)
            .and_then(|mut statement| statement.query_row([number], |row| row.get(0)).optional())
            .stored()
    }

    fn local_by_prefix(&self, noun: Noun, prefix: &str) -> Result<Option<String>> {
        let sql = format!(
            "SELECT id, number FROM {} WHERE id >= ?1 AND id < ?1 || 'g' ORDER BY number LIMIT 11",
            noun.table
        );
        let found: Vec<(String, i64)> = self
            .connection()
            .prepare_cached(&sql)
            .and_then(|mut statement| {
                statement
                    .query_map([prefix], |row| Ok((row.get(0)?, row.get(1)?)))?
                    .collect()
            })
            .stored()?;
        match found.as_slice() {
            [] => Ok(None),
            [(id, _)] => Ok(Some(id.clone())),
            several => {
                let names: Vec<String> = several
                    .iter()
                    .map(|(id, number)| format!("{number} {id}"))
                    .collect();
                Err(Error::new(
                    ErrorKind::AmbiguousId,
                    format!(
                        "\"{prefix}\" matches more than one {}: {}",
                        noun.name,
                        names.join(", ")
                    ),
                )
                .with("id", prefix)
                .with("candidates", names)
                .with_hint("Give more digits of the id, or the number."))
            }
        }
    }
}

pub(crate) fn fresh_id() -> String {
    uuid::Uuid::new_v4().to_string()
}
