//! Full-text search. What a person or a model types is text and never query syntax.

use std::fmt::Write as _;

use rusqlite::types::Value as Sql;
use rusqlite::{Row, params_from_iter};
use windlass_core::{DateFilter, Dialect, Entity, Page, Priority, Result, SearchQuery};

use crate::entities::{ENTITY_COLUMNS, entity_from_row, stored_statuses};
use crate::error::StorageContext as _;
use crate::reader::Reader;

/// More words than this say nothing more; each costs a lookup.
const MAX_TERMS: usize = 32;

/// Around a match in a snippet. Private-use characters cannot be part of a token.
const MARK_START: char = '\u{e000}';
const MARK_END: char = '\u{e001}';

/// What to look for and how much of it to answer.
#[derive(Debug, Clone, Default)]
pub struct SearchFilter {
    pub query: SearchQuery,
    pub page: Page,
}

/// An entity that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    pub entity: Entity,
    /// Higher is better. Zero where no text was searched for.
    pub score: f64,
    /// A piece of the text around the match, with `**` around the words that matched.
    pub snippet: Option<String>,
}

impl Reader<'_> {
    /// The best matches first. Entities that hold every word come alone; only where there are none
    /// are those with any of the words answered. Says which of the two it was.
    pub fn search(&self, filter: &SearchFilter) -> Result<(Vec<Hit>, bool)> {
        let terms = terms(&filter.query.text);
        if terms.is_empty() {
            if filter.query.text.trim().is_empty() {
                return Ok((self.filtered(filter)?, true));
            }
            return Ok((Vec::new(), true));
        }
        let every = self.matching(&terms.join(" "), filter)?;
        if !every.is_empty() || terms.len() == 1 || filter.page.offset > 0 {
            return Ok((every, true));
        }
        Ok((self.matching(&terms.join(" OR "), filter)?, false))
    }

    fn matching(&self, expression: &str, filter: &SearchFilter) -> Result<Vec<Hit>> {
        let (conditions, mut values) = conditions(&filter.query);
        values.insert(0, Sql::Text(expression.to_owned()));
        // Without conditions the index itself sorts and cuts, and only the rows that are answered
        // are looked up and get a snippet.
        let sql = format!(
            "SELECT {ENTITY_COLUMNS}, -s.rank,
                 snippet(search, -1, '{MARK_START}', '{MARK_END}', '…', 12)
             FROM search s CROSS JOIN entities e ON e.row = s.rowid
             WHERE search MATCH ?1 {conditions}
             ORDER BY s.rank LIMIT {} OFFSET {}",
            filter.page.limit, filter.page.offset
        );
        self.hits(&sql, values)
    }

    /// Filters alone: the newest first.
    fn filtered(&self, filter: &SearchFilter) -> Result<Vec<Hit>> {
        let (conditions, values) = conditions(&filter.query);
        let sql = format!(
            "SELECT {ENTITY_COLUMNS}, 0.0, NULL FROM entities e WHERE e.deleted = 0 {conditions}
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
    let snippet: Option<String> = row.get(11)?;
    Ok(Hit {
        entity: entity_from_row(row)?,
        score: row.get(10)?,
        snippet: snippet.map(|text| text.trim().replace([MARK_START, MARK_END], "**")),
    })
}

/// Each word as a quoted FTS5 string, so that nothing in it is syntax. The last one, still being
/// typed, also finds longer words.
fn terms(text: &str) -> Vec<String> {
    let mut terms: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        // A word of signs alone has no token, and FTS5 would find nothing for all of the query.
        if !word.chars().any(is_token_letter) {
            continue;
        }
        let term = format!("\"{}\"", word.replace(['"', '\0'], " ").trim());
        if !terms.contains(&term) {
            terms.push(term);
        }
        if terms.len() == MAX_TERMS {
            break;
        }
    }
    if let Some(last) = terms.last_mut()
        && !text.ends_with(char::is_whitespace)
        && last
            .chars()
            .filter(|letter| is_token_letter(*letter))
            .count()
            >= 2
    {
        last.push('*');
    }
    terms
}

/// Letters that the tokenizer keeps: letters, digits, and symbols such as emoji.
fn is_token_letter(letter: char) -> bool {
    letter.is_alphanumeric()
        || (!letter.is_ascii() && !letter.is_whitespace() && !letter.is_control())
}

fn conditions(query: &SearchQuery) -> (String, Vec<Sql>) {
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
            assert_eq!(terms(text), expected, "{text}");
        }
        let long = "word ".repeat(2_000) + &"x".repeat(10_000);
        assert!(terms(&long).len() <= 32);
    }
}
