//! The words of the search index: how many entities have one, and which words there are.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use windlass_core::{Entity, Result};

use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::unspaced::is_unspaced;
use crate::writer::Writer;

/// Words of one length by their beginning and by their end, a limited number of each.
const ALIKE: &str = "
    SELECT word FROM (SELECT word FROM words
                      WHERE substr(word, 1, 2) = ?1 AND length(word) = ?3 LIMIT 500)
    UNION
    SELECT word FROM (SELECT word FROM words
                      WHERE substr(word, -2) = ?2 AND length(word) = ?3 LIMIT 500)";
/// How many entities with a word are counted one by one.
const COUNTED: i64 = 2_000;
/// How long the words are that are kept to correct others.
const LETTERS: RangeInclusive<usize> = 5..=40;

impl Reader<'_> {
    /// In how many entities each word is, for words as the index has them. Many are not counted to the
    /// end: how close together the first ones are tells about how many there are.
    pub fn word_counts(&self, expressions: &[String]) -> Result<Vec<u64>> {
        let all = self.about_how_many()?;
        let mut statement = self
            .connection()
            .prepare_cached(&format!(
                "SELECT count(*), ifnull(max(rowid), 0)
                 FROM (SELECT rowid FROM search WHERE search MATCH ?1 LIMIT {COUNTED})"
            ))
            .stored()?;
        let counts = expressions.iter().map(|expression| {
            let (count, last): (i64, i64) = statement
                .query_row([expression], |row| Ok((row.get(0)?, row.get(1)?)))
                .stored()?;
            Ok(estimated(count, last, all).unsigned_abs())
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

    /// Words of texts that are not misspelt far from this one: about as long, and with the same two
    /// letters at the beginning or at the end. One slip leaves at least one end of a word as it was;
    /// the list is short however many words there are. The nearest in length come first.
    pub fn words_like(&self, word: &str, length_differs: usize) -> Result<Vec<String>> {
        let letters: Vec<char> = word.chars().collect();
        let (Some(first), Some(last)) = (letters.first_chunk::<2>(), letters.last_chunk::<2>())
        else {
            return Ok(Vec::new());
        };
        let (first, last) = (String::from_iter(first), String::from_iter(last));
        let mut statement = self.connection().prepare_cached(ALIKE).stored()?;
        let mut alike = Vec::new();
        for length in lengths(letters.len(), length_differs) {
            let found = statement
                .query_map((&first, &last, length), |row| row.get(0))
                .and_then(Iterator::collect::<rusqlite::Result<Vec<String>>>)
                .stored()?;
            alike.extend(found);
        }
        Ok(alike)
    }

    /// Words of these entities that are not in the list of words yet.
    pub fn new_words<'e>(
        &self,
        entities: impl IntoIterator<Item = &'e Entity>,
    ) -> Result<BTreeSet<String>> {
        let mut new = BTreeSet::new();
        for entity in entities {
            add_words_of(entity, &mut new);
        }
        let mut statement = self
            .connection()
            .prepare_cached("SELECT 1 FROM words WHERE word = ?1")
            .stored()?;
        let mut known = Vec::new();
        for word in &new {
            if statement.exists([word]).stored()? {
                known.push(word.clone());
            }
        }
        for word in known {
            new.remove(&word);
        }
        Ok(new)
    }
}

impl Writer<'_> {
    /// Adds to the list of words.
    pub fn add_words(&self, words: &BTreeSet<String>) -> Result<()> {
        let mut statement = self
            .connection()
            .prepare_cached("INSERT OR IGNORE INTO words (word) VALUES (?1)")
            .stored()?;
        for word in words {
            statement.execute([word]).stored()?;
        }
        Ok(())
    }
}

/// How many there are if so many are among the rows up to the last one.
fn estimated(count: i64, last: i64, all: i64) -> i64 {
    if count < COUNTED {
        return count;
    }
    (count.saturating_mul(all) / last.max(1)).max(count)
}

/// A length, then those that differ by one, and so on.
fn lengths(of: usize, most: usize) -> impl Iterator<Item = i64> {
    let around = (1..=most).flat_map(move |by| [of.saturating_sub(by), of + by]);
    let lengths = std::iter::once(of).chain(around);
    lengths.map(|length| i64::try_from(length).unwrap_or(i64::MAX))
}

/// The words that somebody could misspell: no numbers, and none that are very short or long.
fn add_words_of(entity: &Entity, words: &mut BTreeSet<String>) {
    let properties = entity.searchable_properties();
    let content = entity.content.as_deref().unwrap_or_default();
    let tags = entity.tags.iter().map(String::as_str);
    let texts = [entity.title.as_str(), content, &properties].into_iter();
    for text in texts.chain(tags) {
        for word in text.split(|letter: char| !letter.is_alphanumeric()) {
            let is_word = word
                .chars()
                .all(|it| it.is_alphabetic() && !is_unspaced(it));
            if is_word && LETTERS.contains(&word.chars().count()) {
                words.insert(word.to_lowercase());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::{ALIKE, estimated};
    use crate::migrations::{MIGRATIONS, migrate};

    #[test]
    fn common_words_are_estimated() {
        assert_eq!(estimated(0, 0, 100_000), 0);
        assert_eq!(estimated(1_999, 40_000, 100_000), 1_999);
        assert_eq!(estimated(2_000, 4_000, 100_000), 50_000);
        assert_eq!(estimated(2_000, 100_000, 100_000), 2_000);
    }

    /// The list of words is never read as a whole.
    #[test]
    fn words_are_found_by_their_ends() {
        let connection = Connection::open_in_memory().expect("opened");
        migrate(&connection, 0, MIGRATIONS).expect("migrated");
        let plan: Vec<String> = connection
            .prepare(&format!("EXPLAIN QUERY PLAN {ALIKE}"))
            .and_then(|mut it| it.query_map(("ab", "yz", 7), |row| row.get(3))?.collect())
            .expect("planned");
        let plan = plan.join("; ");
        for index in ["words_beginning", "words_end"] {
            let search =
                format!("SEARCH words USING COVERING INDEX {index} (<expr>=? AND <expr>=?)");
            assert!(plan.contains(&search), "{plan}");
        }
    }
}
