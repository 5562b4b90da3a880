//! Full-text search. Input from a person or a model is always text, never query syntax.

use std::fmt::Write as _;

use rusqlite::types::Value as Sql;
use rusqlite::{OptionalExtension as _, Row, params_from_iter};
use windlass_core::{DateFilter, Dialect, Entity, Page, Priority, Result, SearchQuery};

use crate::common_words::{Narrowed, OR};
use crate::entities::{ENTITY_COLUMNS, entity_from_row, stored_statuses};
use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::snippet::{Phrase, snippet};
use crate::unspaced;

/// More words hardly change the result; each costs a lookup.
const MAX_TERMS: usize = 32;

/// Marks around a match in a snippet. Private-use characters cannot be part of a token.
const MARK_START: char = '\u{e000}';
const MARK_END: char = '\u{e001}';

/// What to search for, and how many results to return.
#[derive(Debug, Clone, Default)]
pub struct SearchFilter {
    pub query: SearchQuery,
    pub page: Page,
}

/// An entity that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    pub entity: Entity,
    /// Higher is better. Zero if the query has no text.
    pub score: f64,
    /// A part of the text around the match, with `**` around the matching words.
    pub snippet: Option<String>,
}

impl Reader<'_> {
    /// The best matches first: entities that contain every word or, if there are none, entities
    /// that contain any of the words. The flag tells whether every word matched.
    pub fn search(&self, filter: &SearchFilter) -> Result<(Vec<Hit>, bool)> {
        let terms = terms(&filter.query.text);
        if terms.is_empty() {
            if filter.query.text.trim().is_empty() {
                return Ok((self.filtered(filter)?, true));
            }
            return Ok((Vec::new(), true));
        }
        let every = self.matching(&terms, " ", filter)?;
        if !every.is_empty() || terms.len() == 1 || filter.page.offset > 0 {
            return Ok((every, true));
        }
        Ok((self.matching(&terms, OR, filter)?, false))
    }

    /// The best matches for any of the words, each as it stands.
    pub fn search_any(&self, filter: &SearchFilter) -> Result<Vec<Hit>> {
        let terms = terms(&format!("{} ", filter.query.text));
        if terms.is_empty() {
            return Ok(Vec::new());
        }
        self.matching(&terms, OR, filter)
    }

    fn matching(&self, terms: &[Term], between: &str, filter: &SearchFilter) -> Result<Vec<Hit>> {
        let phrases: Vec<Phrase> = terms.iter().map(|term| term.phrase.clone()).collect();
        let (expression, mut hits) = match self.narrowed(terms, between)? {
            Narrowed::Few(expression) => {
                let hits = self.all_ranked(&expression, filter)?;
                (expression, hits)
            }
            Narrowed::Many(words, expression) => {
                let hits = self.best_of_many(&words, &expression, &phrases, filter)?;
                (expression, hits)
            }
        };
        for hit in &mut hits {
            hit.snippet = match snippet(&hit.entity, &phrases) {
                None => self.snippet_by_index(&expression, hit)?,
                found => found,
            };
        }
        Ok(hits)
    }

    /// Every match has its rank from the index.
    fn all_ranked(&self, expression: &str, filter: &SearchFilter) -> Result<Vec<Hit>> {
        let (conditions, mut values) = conditions(&filter.query);
        values.insert(0, Sql::Text(expression.to_owned()));
        let filtered = if conditions.is_empty() {
            ""
        } else {
            "CROSS JOIN entities e ON e.row = s.rowid"
        };
        // The minus keeps FTS5 from sorting, which would compute the rank of each result twice.
        let sql = format!(
            "SELECT {ENTITY_COLUMNS}, best.score
             FROM (SELECT s.rowid AS row, -s.rank AS score FROM search s {filtered}
                   WHERE search MATCH ?1 {conditions}
                   ORDER BY score DESC, s.rowid LIMIT {} OFFSET {}) best
             CROSS JOIN entities e ON e.row = best.row
             ORDER BY best.score DESC, best.row",
            filter.page.limit, filter.page.offset
        );
        self.hits(&sql, values)
    }

    /// The first text in which the index knows a match. The pairs of characters are not shown.
    fn snippet_by_index(&self, expression: &str, hit: &Hit) -> Result<Option<String>> {
        let of_column = |column: u8| {
            format!("snippet(search, {column}, '{MARK_START}', '{MARK_END}', '…', 12)")
        };
        let texts: Option<[String; 3]> = self
            .connection()
            .prepare_cached(&format!(
                "SELECT {}, {}, {} FROM search
                 WHERE search MATCH ?1 AND rowid = (SELECT row FROM entities WHERE id = ?2)",
                of_column(0),
                of_column(1),
                of_column(2)
            ))
            .and_then(|mut statement| {
                statement
                    .query_row((expression, hit.entity.id.as_str()), |row| {
                        Ok([row.get(0)?, row.get(1)?, row.get(2)?])
                    })
                    .optional()
            })
            .stored()?;
        let Some(texts) = texts else {
            return Ok(None);
        };
        let marked = texts.iter().find(|text| text.contains(MARK_START));
        let text = marked.unwrap_or(&texts[0]);
        Ok(Some(text.trim().replace([MARK_START, MARK_END], "**")))
    }

    /// Filters without text: the newest first.
    fn filtered(&self, filter: &SearchFilter) -> Result<Vec<Hit>> {
        let (conditions, values) = conditions(&filter.query);
        let sql = format!(
            "SELECT {ENTITY_COLUMNS}, 0.0 FROM entities e WHERE e.deleted = 0 {conditions}
             ORDER BY e.number DESC LIMIT {} OFFSET {}",
            filter.page.limit, filter.page.offset
        );
        self.hits(&sql, values)
    }

    fn hits(&self, sql: &str, values: Vec<Sql>) -> Result<Vec<Hit>> {
        self.connection()
            .prepare_cached(sql)
            .and_then(|mut statement| {
                statement
                    .query_map(params_from_iter(values), hit_from_row)?
                    .collect()
            })
            .stored()
    }
}

fn hit_from_row(row: &Row<'_>) -> rusqlite::Result<Hit> {
    Ok(Hit {
        entity: entity_from_row(row)?,
        score: row.get(10)?,
        snippet: None,
    })
}

/// A word of the query, for the index and for the snippet.
pub(crate) struct Term {
    pub(crate) expression: String,
    /// What finds the word as it stands, if the expression finds longer ones too.
    pub(crate) whole: Option<String>,
    pub(crate) phrase: Phrase,
}

/// The FTS5 expression for tasks that contain every word; `None` if no word can be searched for.
pub(crate) fn every_word(text: &str) -> Option<String> {
    let words: Vec<String> = terms(text).into_iter().map(|it| it.expression).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// A whole word of a query, and the FTS5 expression that finds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchWord {
    pub word: String,
    pub expression: String,
}

/// The words of a query, each as it stands and not as the beginning of a longer one.
pub fn search_words(text: &str) -> Vec<SearchWord> {
    let words = terms(&format!("{text} "))
        .into_iter()
        .map(|term| SearchWord {
            word: term.phrase.words.join(" "),
            expression: term.expression,
        });
    words.collect()
}

/// Each word as a quoted FTS5 string, so that nothing in it is syntax. The last word may be
/// incomplete, so it also matches longer words.
fn terms(text: &str) -> Vec<Term> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        // A word of punctuation only has no token, and FTS5 would then find nothing for the whole
        // query.
        if !word.chars().any(is_token_letter) {
            continue;
        }
        let word = word.replace(['"', '\0'], " ").trim().to_owned();
        if !words.contains(&word) {
            words.push(word);
        }
        if words.len() == MAX_TERMS {
            break;
        }
    }
    let last = words.len();
    let typing = !text.ends_with(char::is_whitespace);
    let term = |(at, word): (usize, &String)| {
        let letters = word.chars().filter(|letter| is_token_letter(*letter));
        let open_ended = typing && at + 1 == last && letters.count() >= 2;
        let star = if open_ended { "*" } else { "" };
        let anywhere = unspaced::expression(word, open_ended);
        Term {
            whole: (open_ended && anywhere.is_none()).then(|| format!("\"{word}\"")),
            expression: anywhere.unwrap_or_else(|| format!("\"{word}\"{star}")),
            phrase: Phrase::new(word, open_ended),
        }
    };
    words.iter().enumerate().map(term).collect()
}

/// Characters that the tokenizer keeps: letters, digits, and symbols such as emoji.
fn is_token_letter(letter: char) -> bool {
    letter.is_alphanumeric()
        || (!letter.is_ascii() && !letter.is_whitespace() && !letter.is_control())
}

pub(crate) fn conditions(query: &SearchQuery) -> (String, Vec<Sql>) {
    let mut sql = String::new();
    let mut values: Vec<Sql> = Vec::new();
    let mut one_of = |column: &str, words: Vec<Sql>| {
        if words.is_empty() {
            return;
        }
        let marks = vec!["?"; words.len()].join(", ");
        let _ = write!(sql, " AND {column} IN ({marks})");
        values.extend(words);
    };
    let text = |word: &str| Sql::Text(word.to_owned());
    one_of(
        "e.type",
        query.types.iter().map(|kind| text(kind.name())).collect(),
    );
    one_of(
        "e.status",
        query
            .statuses
            .iter()
            .flat_map(|word| stored_statuses(word, Dialect::Knowledge))
            .map(Sql::Text)
            .collect(),
    );
    one_of(
        "e.priority",
        query
            .priorities
            .iter()
            .copied()
            .map(|priority: Priority| Sql::Integer(priority.number()))
            .collect(),
    );
    for tag in &query.tags {
        sql.push_str(" AND e.row IN (SELECT row FROM tags WHERE tag = ?)");
        values.push(text(tag));
    }
    for (column, dates) in [
        ("e.created_at", &query.created),
        ("e.updated_at", &query.updated),
    ] {
        add_dates(column, dates, &mut sql, &mut values);
    }
    (sql, values)
}

fn add_dates(column: &str, dates: &DateFilter, sql: &mut String, values: &mut Vec<Sql>) {
    for (sign, day) in [(">", &dates.after), ("<", &dates.before), ("=", &dates.on)] {
        if let Some(day) = day {
            let _ = write!(sql, " AND substr({column}, 1, 10) {sign} ?");
            values.push(Sql::Text(day.as_str().to_owned()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::terms;

    #[test]
    fn text_is_never_syntax() {
        for (text, expected) in [
            ("login flow", vec!["\"login\"", "\"flow\"*"]),
            ("login ", vec!["\"login\""]),
            ("C++", vec!["\"C++\""]),
            ("foo\"bar", vec!["\"foo bar\"*"]),
            ("a AND", vec!["\"a\"", "\"AND\"*"]),
            ("NEAR(x y)", vec!["\"NEAR(x\"", "\"y)\""]),
            ("title:x", vec!["\"title:x\"*"]),
            ("+++ ---", vec![]),
            ("", vec![]),
        ] {
            let found: Vec<String> = terms(text)
                .into_iter()
                .map(|term| term.expression)
                .collect();
            assert_eq!(found, expected, "{text}");
        }
        let long = "word ".repeat(2_000) + &"x".repeat(10_000);
        assert!(terms(&long).len() <= 32);
    }
}
