//! Consistency checks: the file, the search index, and each row against its document.

use windlass_core::{Entity, EntityId, Result};

use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::records::with_unique_numbers;
use crate::store::Store;
use crate::writer::Writer;

impl Store {
    /// Looks for damage and returns what it found; an empty list if there is none. Reads
    /// everything, and takes the write lock, which the integrity check of the search index needs.
    pub fn check(&self, origin: &windlass_core::Origin) -> Result<Vec<String>> {
        self.write(origin, |writer| {
            let mut problems = writer.check_file()?;
            problems.extend(writer.check_search());
            problems.extend(writer.check_numbers()?);
            problems.extend(writer.check_documents()?);
            Ok(problems)
        })
    }
}

impl Writer<'_> {
    fn check_search(&self) -> Option<String> {
        self.connection()
            .execute(
                "INSERT INTO search (search, rank) VALUES ('integrity-check', 1)",
                [],
            )
            .err()
            .map(|error| format!("The search index and the rows differ: {error}"))
    }

    /// Each row that is not deleted must match its document.
    fn check_documents(&self) -> Result<Vec<String>> {
        let mut problems = Vec::new();
        for id in self.all_ids()? {
            let (at, document) = self.load_document(&id)?;
            let record = document.record()?;
            let row: Option<Entity> = self.find_entity(&id)?;
            match row {
                None if record.deleted => {}
                Some(row)
                    if !record.deleted
                        && row == record.entity
                        && self.record_rows(at)? == with_unique_numbers(&record.records) => {}
                _ => problems.push(format!("The row of {id} and its document differ")),
            }
        }
        Ok(problems)
    }
}

impl Reader<'_> {
    pub(crate) fn check_file(&self) -> Result<Vec<String>> {
        let mut problems: Vec<String> = self
            .connection()
            .prepare("PRAGMA integrity_check")
            .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
            .stored()?;
        problems.retain(|problem| problem != "ok");
        Ok(problems)
    }

    fn check_numbers(&self) -> Result<Vec<String>> {
        self.connection()
            .prepare("SELECT number FROM entities GROUP BY number HAVING count(*) > 1")
            .and_then(|mut statement| {
                statement
                    .query_map([], |row| {
                        row.get::<_, i64>(0)
                            .map(|number| format!("Number {number} is used twice"))
                    })?
                    .collect()
            })
            .stored()
    }

    pub(crate) fn all_ids(&self) -> Result<Vec<EntityId>> {
        self.connection()
            .prepare("SELECT id FROM entities ORDER BY row")
            .and_then(|mut statement| {
                statement
                    .query_map([], |row| row.get::<_, String>(0).map(EntityId::from_stored))?
                    .collect()
            })
            .stored()
    }
}
