//! Searches for words that very many entities have. To rank all of them, the index would look at each,
//! and what a search costs would grow with the project.
//!
//! Ranked are the newest that match, the newest that match in their title, and those whose title is the
//! query. All others follow, newest first, so that nothing is lost by it.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use rusqlite::types::Value as Sql;
use rusqlite::{Row, params_from_iter};
use windlass_core::Result;

use crate::entities::{ENTITY_COLUMNS, entity_from_row};
use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::search::{Hit, SearchFilter, Term, conditions};
use crate::snippet::{Phrase, words};

/// So many matches are ranked by the index, each of them.
const ALL_RANKED: i64 = 10_000;
/// How many of the newest, and of those that match in their title, are ranked if there are more.
const NEWEST: usize = 500;
/// How many of those that begin with the query are compared with it.
const BEGINNING: usize = 1_000;

/// How FTS5 weighs titles, tags and texts, how soon more of a word adds nothing, and how much a long
/// text counts against itself.
const WEIGHTS: [f64; 3] = [10.0, 5.0, 1.0];
const SATURATION: f64 = 1.2;
const BY_LENGTH: f64 = 0.75;
/// What a word counts that most texts have.
const LEAST_RARITY: f64 = 1e-6;

/// What a query is searched by if words of it are common.
pub(crate) enum Narrowed {
    /// Each match can be ranked.
    Few(String),
    /// What finds each word, and all of them.
    Many(Vec<String>, String),
}

/// A match, with what decides its place.
struct Candidate {
    row: i64,
    is_title: bool,
    /// How often each phrase is in title, tags and text.
    counts: Vec<[f64; 3]>,
    length: f64,
}

impl Reader<'_> {
    /// How to search for the words, joined by `between`.
    ///
    /// A word that is common as it stands is not taken for the beginning of longer ones. If any word
    /// is enough, those that are common are left out beside rarer ones.
    pub(crate) fn narrowed(&self, terms: &[Term], between: &str) -> Result<Narrowed> {
        let expression = joined(terms.iter().map(|term| term.expression.as_str()), between);
        if self.about_how_many()? <= ALL_RANKED || !self.are_too_many(&expression)? {
            return Ok(Narrowed::Few(expression));
        }
        let mut whole = Vec::new();
        for term in terms {
            let is_common = match &term.whole {
                Some(whole) => self.are_too_many(whole)?,
                None => false,
            };
            let whole_word = term.whole.as_ref().filter(|_| is_common);
            whole.push(whole_word.unwrap_or(&term.expression).clone());
        }
        if between == OR {
            let mut rare = Vec::new();
            for expression in &whole {
                if !self.are_too_many(expression)? {
                    rare.push(expression.as_str());
                }
            }
            let some = joined(rare.iter().copied(), between);
            if !rare.is_empty() && !self.are_too_many(&some)? {
                return Ok(Narrowed::Few(some));
            }
        }
        let expression = joined(whole.iter().map(String::as_str), between);
        Ok(if self.are_too_many(&expression)? {
            Narrowed::Many(whole, expression)
        } else {
            Narrowed::Few(expression)
        })
    }

    fn are_too_many(&self, expression: &str) -> Result<bool> {
        self.connection()
            .prepare_cached(&format!(
                "SELECT EXISTS (SELECT 1 FROM search WHERE search MATCH ?1 LIMIT 1 OFFSET {ALL_RANKED})"
            ))
            .and_then(|mut statement| statement.query_row([expression], |row| row.get(0)))
            .stored()
    }

    /// The page of the filter, without snippets.
    pub(crate) fn best_of_many(
        &self,
        words: &[String],
        expression: &str,
        phrases: &[Phrase],
        filter: &SearchFilter,
    ) -> Result<Vec<Hit>> {
        let newest = self.candidates(expression, NEWEST, filter, phrases)?;
        let oldest = newest.last().map_or(i64::MIN, |last| last.row);
        let is_all = newest.len() < NEWEST;
        let mut candidates = newest;
        if !is_all {
            let in_title = format!("{{title title_pairs}} : ({expression})");
            candidates.extend(self.candidates(&in_title, NEWEST, filter, phrases)?);
            candidates.extend(self.with_that_title(filter, phrases)?);
        }
        let known: BTreeSet<i64> = candidates.iter().map(|it| it.row).collect();
        let rarity = self.rarity(words)?;
        let mut ranked = ranked(candidates, &rarity);
        let offset = usize::try_from(filter.page.offset).unwrap_or(usize::MAX);
        let limit = usize::try_from(filter.page.limit).unwrap_or(usize::MAX);
        let others = offset.saturating_add(limit).saturating_sub(ranked.len());
        if others > 0 && !is_all {
            let others = self.others(expression, filter, &known, oldest, others)?;
            ranked.extend(others.into_iter().map(|row| (row, 0.0)));
        }
        let page = ranked.into_iter().skip(offset).take(limit);
        page.map(|(row, score)| self.hit(row, score)).collect()
    }

    /// The newest matches.
    fn candidates(
        &self,
        expression: &str,
        most: usize,
        filter: &SearchFilter,
        phrases: &[Phrase],
    ) -> Result<Vec<Candidate>> {
        let (found, values) = newest(expression, filter, "");
        let sql = format!(
            "SELECT c.row, c.title, c.tags, c.content, c.extra
             FROM ({found} LIMIT {most}) found CROSS JOIN entities c ON c.row = found.row"
        );
        self.read_candidates(&sql, values, filter, phrases)
    }

    /// Those whose title is the query.
    fn with_that_title(&self, filter: &SearchFilter, phrases: &[Phrase]) -> Result<Vec<Candidate>> {
        let text = filter.query.text.trim().replace(['"', '\0'], " ");
        let beginning = format!("{{title}} : ^ \"{text}\"");
        let (found, mut values) = newest(&beginning, filter, "");
        let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        values.push(Sql::Integer(length));
        let sql = format!(
            "SELECT c.row, c.title, c.tags, c.content, c.extra
             FROM ({found} LIMIT {BEGINNING}) found CROSS JOIN entities c ON c.row = found.row
             WHERE length(c.title) = ?"
        );
        let found = self.read_candidates(&sql, values, filter, phrases)?;
        Ok(found.into_iter().filter(|it| it.is_title).collect())
    }

    fn read_candidates(
        &self,
        sql: &str,
        values: Vec<Sql>,
        filter: &SearchFilter,
        phrases: &[Phrase],
    ) -> Result<Vec<Candidate>> {
        self.connection()
            .prepare_cached(sql)
            .and_then(|mut statement| {
                let rows = statement.query_map(params_from_iter(values), |row| {
                    candidate(row, phrases, &filter.query.text)
                })?;
                rows.collect()
            })
            .stored()
    }

    /// The newest matches before `oldest` that are not ranked.
    fn others(
        &self,
        expression: &str,
        filter: &SearchFilter,
        known: &BTreeSet<i64>,
        oldest: i64,
        most: usize,
    ) -> Result<Vec<i64>> {
        let (sql, values) = newest(expression, filter, &format!("AND s.rowid < {oldest}"));
        let mut statement = self.connection().prepare_cached(&sql).stored()?;
        let mut rows = statement.query(params_from_iter(values)).stored()?;
        let mut others = Vec::new();
        while others.len() < most
            && let Some(row) = rows.next().stored()?
        {
            let row = row.get(0).stored()?;
            if !known.contains(&row) {
                others.push(row);
            }
        }
        Ok(others)
    }

    /// How much each word tells, as FTS5 has it.
    fn rarity(&self, words: &[String]) -> Result<Vec<f64>> {
        let all = as_number(self.about_how_many()?.unsigned_abs());
        let counts = self.word_counts(words)?.into_iter().map(as_number);
        let rarity = counts.map(|having| ((all - having + 0.5) / (having + 0.5)).ln());
        Ok(rarity.map(|it| it.max(LEAST_RARITY)).collect())
    }

    fn hit(&self, row: i64, score: f64) -> Result<Hit> {
        let entity = self
            .connection()
            .prepare_cached(&format!(
                "SELECT {ENTITY_COLUMNS} FROM entities e WHERE e.row = ?1"
            ))
            .and_then(|mut statement| statement.query_row([row], entity_from_row))
            .stored()?;
        Ok(Hit {
            entity,
            score,
            snippet: None,
        })
    }
}

/// What joins words of which one is enough.
pub(crate) const OR: &str = " OR ";

fn joined<'t>(expressions: impl Iterator<Item = &'t str>, between: &str) -> String {
    expressions.collect::<Vec<&str>>().join(between)
}

/// A query for the row numbers of all matches, newest first, and its values.
fn newest(expression: &str, filter: &SearchFilter, more: &str) -> (String, Vec<Sql>) {
    let (conditions, mut values) = conditions(&filter.query);
    values.insert(0, Sql::Text(expression.to_owned()));
    let mut sql = "SELECT s.rowid AS row FROM search s".to_owned();
    if !conditions.is_empty() {
        sql.push_str(" CROSS JOIN entities e ON e.row = s.rowid");
    }
    // Writing to a string cannot fail.
    let _ = write!(
        sql,
        " WHERE search MATCH ? {more} {conditions} ORDER BY s.rowid DESC"
    );
    (sql, values)
}

fn candidate(row: &Row<'_>, phrases: &[Phrase], query: &str) -> rusqlite::Result<Candidate> {
    let text = |column: usize| -> rusqlite::Result<&str> {
        Ok(row.get_ref(column)?.as_str_or_null()?.unwrap_or_default())
    };
    let title = text(1)?;
    let mut candidate = Candidate {
        row: row.get(0)?,
        is_title: title.to_lowercase() == query.trim().to_lowercase(),
        counts: vec![[0.0; 3]; phrases.len()],
        length: 0.0,
    };
    for (place, text) in [(0, title), (1, text(2)?), (2, text(3)?), (2, text(4)?)] {
        candidate.count(place, text, phrases);
    }
    Ok(candidate)
}

impl Candidate {
    fn count(&mut self, place: usize, text: &str, phrases: &[Phrase]) {
        let words = words(text);
        self.length += as_number(words.len() as u64);
        for at in 0..words.len() {
            for (phrase, counts) in phrases.iter().zip(&mut self.counts) {
                if phrase.matches(text, &words[at..]) {
                    counts[place] += 1.0;
                }
            }
        }
    }

    /// Okapi BM25. A word that only the index finds, such as one with accents, counts as once in the text.
    fn score(&self, rarity: &[f64], average: f64) -> f64 {
        let relative = self.length / average.max(1.0);
        let by_length = SATURATION * (1.0 - BY_LENGTH + BY_LENGTH * relative);
        let of_words = self.counts.iter().zip(rarity).map(|(counts, rarity)| {
            let weighed = counts
                .iter()
                .zip(WEIGHTS)
                .map(|(count, weight)| count * weight);
            let often = weighed.sum::<f64>().max(1.0);
            rarity * often * (SATURATION + 1.0) / (often + by_length)
        });
        of_words.sum()
    }
}

/// Best first, each once.
fn ranked(mut candidates: Vec<Candidate>, rarity: &[f64]) -> Vec<(i64, f64)> {
    candidates.sort_by_key(|it| it.row);
    candidates.dedup_by_key(|it| it.row);
    let lengths: f64 = candidates.iter().map(|it| it.length).sum();
    let average = lengths / as_number(candidates.len().max(1) as u64);
    let mut scored: Vec<(bool, f64, i64)> = candidates
        .iter()
        .map(|it| (it.is_title, it.score(rarity, average), it.row))
        .collect();
    scored.sort_by(|one, other| {
        let best_first = other.0.cmp(&one.0).then(other.1.total_cmp(&one.1));
        best_first.then(one.2.cmp(&other.2))
    });
    scored
        .into_iter()
        .map(|(_, score, row)| (row, score))
        .collect()
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn as_number(count: u64) -> f64 {
    count as f64
}
