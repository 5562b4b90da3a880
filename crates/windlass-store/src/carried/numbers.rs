//! The numbers of reviews, comments and help requests. Where two clones gave the same one, the older
//! keeps it and the younger gets the next free one, which travels; the old one stays findable.

use std::collections::BTreeMap;

use serde_json::json;
use windlass_core::Result;

use super::{Carried, Make};
use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::writer::Writer;

/// A review, a comment or a help request that has another number now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkRenumbered {
    /// `review`, `comment` or `help request`.
    pub what: &'static str,
    pub former: i64,
    pub number: i64,
}

const NUMBERED: [(&str, &str, Make); 3] = [
    ("reviews", "review", Carried::Review),
    ("review_comments", "comment", Carried::Comment),
    ("help_requests", "help request", Carried::Help),
];

impl Reader<'_> {
    /// Numbers are not reused, so former ones count too.
    pub(crate) fn next_work_number(&self, table: &str) -> Result<i64> {
        self.connection()
            .prepare_cached(&format!(
                "SELECT 1 + max(ifnull((SELECT max(number) FROM {table}), 0),
                     ifnull((SELECT max(number) FROM work_aliases WHERE kind = ?1), 0))"
            ))
            .and_then(|mut statement| statement.query_row([table], |row| row.get(0)))
            .stored()
    }

    /// The younger rows of those that share a number: by time and id, with the number.
    fn sharing_a_number(&self, table: &str) -> Result<BTreeMap<(String, String), i64>> {
        let rows: Vec<(i64, String, String)> = self
            .connection()
            .prepare_cached(&format!(
                "SELECT number, created_at, id FROM {table} WHERE number IN
                     (SELECT number FROM {table} GROUP BY number HAVING count(*) > 1)
                 ORDER BY number, created_at, id"
            ))
            .and_then(|mut statement| {
                statement
                    .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
                    .collect()
            })
            .stored()?;
        let mut younger = BTreeMap::new();
        let mut oldest = None;
        for (number, created_at, id) in rows {
            if oldest == Some(number) {
                younger.insert((created_at, id), number);
            }
            oldest = Some(number);
        }
        Ok(younger)
    }
}

impl Writer<'_> {
    pub(crate) fn settle_work_numbers(&self) -> Result<Vec<WorkRenumbered>> {
        let mut renumbered = Vec::new();
        for (table, what, carried) in NUMBERED {
            for ((_, id), former) in self.sharing_a_number(table)? {
                let number = self.next_work_number(table)?;
                self.connection()
                    .prepare_cached(&format!(
                        "UPDATE {table} SET number = ?2,
                             former_numbers = json_insert(former_numbers, '$[#]', ?3) WHERE id = ?1"
                    ))
                    .and_then(|mut statement| statement.execute((&id, number, former)))
                    .stored()?;
                self.add_work_aliases(table, &id, &[former])?;
                self.carry(carried(id));
                renumbered.push(WorkRenumbered {
                    what,
                    former,
                    number,
                });
            }
        }
        Ok(renumbered)
    }

    pub(super) fn add_work_aliases(&self, table: &str, id: &str, numbers: &[i64]) -> Result<()> {
        for number in numbers {
            self.connection()
                .prepare_cached(
                    "INSERT OR IGNORE INTO work_aliases (kind, number, id) VALUES (?1, ?2, ?3)",
                )
                .and_then(|mut statement| statement.execute((table, number, id)))
                .stored()?;
        }
        Ok(())
    }
}

/// A list of numbers as it is stored.
pub(crate) fn numbers_in(text: &str) -> Vec<i64> {
    serde_json::from_str(text).unwrap_or_default()
}

pub(super) fn numbers_as_text(numbers: &[i64]) -> String {
    json!(numbers).to_string()
}
