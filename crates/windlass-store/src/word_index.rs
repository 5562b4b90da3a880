//! The words of the search index: how many entities have one, and which words there are.

use windlass_core::Result;

use crate::error::StorageContext as _;
use crate::reader::Reader;

impl Reader<'_> {
    /// In how many entities each word is, counted up to a limit, for words as the index has them.
    pub fn word_counts(&self, expressions: &[String], limit: u32) -> Result<Vec<u64>> {
        let mut statement = self
            .connection()
            .prepare_cached(&format!(
                "SELECT count(*) FROM (SELECT 1 FROM search WHERE search MATCH ?1 LIMIT {limit})"
            ))
            .stored()?;
        let counts = expressions.iter().map(|expression| {
            let count: i64 = statement
                .query_row([expression], |row| row.get(0))
                .stored()?;
            Ok(u64::try_from(count).unwrap_or(0))
        });
        counts.collect()
    }

    /// About how many entities there are, deleted ones included: enough to tell rare words.
    pub fn about_how_many(&self) -> Result<i64> {
        self.connection()
            .prepare_cached("SELECT ifnull(max(row), 0) FROM entities")
            .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
            .stored()
    }

    /// The words of the index that begin with these letters, and in how many entities each is.
    pub fn words_from(&self, beginning: &str) -> Result<Vec<(String, i64)>> {
        let beyond = format!("{beginning}\u{10ffff}");
        self.connection()
            .prepare_cached("SELECT term, doc FROM search_words WHERE term >= ?1 AND term <= ?2")
            .and_then(|mut statement| {
                statement
                    .query_map((beginning, &beyond), |row| Ok((row.get(0)?, row.get(1)?)))?
                    .collect()
            })
            .stored()
    }
}
