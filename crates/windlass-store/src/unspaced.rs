//! Search in text that is written without spaces, as Japanese and Chinese are. The word index takes a
//! whole sentence of it for one word, so such text is also indexed in pairs of characters: any part of
//! it is then a sequence of pairs. Only entities with such text have this, and nothing of it is
//! stored for others.

use rusqlite::Connection;
use windlass_core::{Entity, Result};

use crate::entities::{ENTITY_COLUMNS, entity_from_row};
use crate::error::StorageContext as _;
use crate::writer::Writer;

/// The version of the database that has the index.
pub(crate) const SINCE: i64 = 8;

/// The columns of the search index that hold the pairs.
const COLUMNS: &str = "{title_pairs pairs}";

/// Characters of scripts without spaces between words: Chinese characters and both kinds of kana.
pub(crate) fn is_unspaced(letter: char) -> bool {
    matches!(letter,
        '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{3096}' | '\u{309d}'..='\u{309f}'
        | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}')
}

/// A stretch of text without a gap: one script, or the words of another that touch it.
enum Run<'t> {
    Unspaced(&'t str),
    Word(&'t str),
}

/// The runs of each piece of the text that has unspaced characters in it. A word that does not touch
/// any is in the word index already.
fn runs(text: &str) -> Vec<Run<'_>> {
    let mut found = Vec::new();
    for piece in text.split(|letter: char| !letter.is_alphanumeric()) {
        if !piece.contains(is_unspaced) {
            continue;
        }
        let mut rest = piece;
        while let Some(first) = rest.chars().next() {
            let kind = is_unspaced(first);
            let end = rest
                .find(|letter| is_unspaced(letter) != kind)
                .unwrap_or(rest.len());
            let (run, after) = rest.split_at(end);
            found.push(if kind {
                Run::Unspaced(run)
            } else {
                Run::Word(run)
            });
            rest = after;
        }
    }
    found
}

/// Each character with the one after it; the last of a run stands alone. So every character begins
/// exactly one token.
fn pairs(text: &str) -> String {
    let mut tokens = String::new();
    for run in runs(text) {
        match run {
            Run::Word(word) => push(&mut tokens, word),
            Run::Unspaced(run) => push_pairs(&mut tokens, run, true),
        }
    }
    tokens
}

fn push(tokens: &mut String, token: &str) {
    if !tokens.is_empty() {
        tokens.push(' ');
    }
    tokens.push_str(token);
}

fn push_pairs(tokens: &mut String, run: &str, to_the_end: bool) {
    let mut starts: Vec<usize> = run.char_indices().map(|(at, _)| at).collect();
    starts.push(run.len());
    let last = starts.len() - 2;
    for at in 0..=last {
        let end = starts[(at + 2).min(starts.len() - 1)];
        if at < last || to_the_end {
            push(tokens, &run[starts[at]..end]);
        }
    }
}

/// The FTS5 expression for a word of a query with unspaced characters: it stands anywhere in such
/// text. `None` for other words.
pub(crate) fn expression(word: &str, open_ended: bool) -> Option<String> {
    let runs = runs(word);
    let (last, before) = runs.split_last()?;
    let mut tokens = String::new();
    for run in before {
        match run {
            Run::Word(word) => push(&mut tokens, word),
            Run::Unspaced(run) => push_pairs(&mut tokens, run, true),
        }
    }
    // What follows the last character in the text is not known.
    let star = match last {
        Run::Unspaced(run) if run.chars().nth(1).is_none() => {
            push(&mut tokens, run);
            "*"
        }
        Run::Unspaced(run) => {
            push_pairs(&mut tokens, run, false);
            ""
        }
        Run::Word(word) => {
            push(&mut tokens, word);
            if open_ended { "*" } else { "" }
        }
    };
    Some(format!("{COLUMNS} : \"{tokens}\"{star}"))
}

/// The pairs of an entity: those of its title, and those of everything else.
fn pairs_of(entity: &Entity) -> Option<(String, String)> {
    let title = pairs(&entity.title);
    let properties = entity.searchable_properties();
    let mut rest = String::new();
    let texts = entity.tags.iter().chain(&entity.content);
    for text in texts.chain(std::iter::once(&properties)) {
        let found = pairs(text);
        if !found.is_empty() {
            push(&mut rest, &found);
        }
    }
    (!title.is_empty() || !rest.is_empty()).then_some((title, rest))
}

/// Stores the pairs of an entity beside its row; the index reads them from there.
fn store(connection: &Connection, row: i64, entity: &Entity) -> Result<()> {
    let Some((title, rest)) = pairs_of(entity) else {
        return remove(connection, row);
    };
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO unspaced (row, title_pairs, pairs) VALUES (?1, ?2, ?3)",
        )
        .and_then(|mut statement| statement.execute((row, title, rest)))
        .stored()?;
    Ok(())
}

fn remove(connection: &Connection, row: i64) -> Result<()> {
    connection
        .prepare_cached("DELETE FROM unspaced WHERE row = ?1")
        .and_then(|mut statement| statement.execute([row]))
        .stored()?;
    Ok(())
}

impl Writer<'_> {
    /// Must run after the words of the old text were taken out of the index.
    pub(crate) fn store_pairs(&self, row: i64, entity: &Entity) -> Result<()> {
        store(self.connection(), row, entity)
    }

    pub(crate) fn remove_pairs(&self, row: i64) -> Result<()> {
        remove(self.connection(), row)
    }
}

/// Makes the pairs of a database that had none, and the index that has them.
pub(crate) fn introduce(connection: &Connection) -> Result<()> {
    let entities: Vec<(i64, Entity)> = connection
        .prepare(&format!(
            "SELECT {ENTITY_COLUMNS}, e.row FROM entities e WHERE e.deleted = 0"
        ))
        .and_then(|mut statement| {
            let rows = statement.query_map([], |row| Ok((row.get(10)?, entity_from_row(row)?)))?;
            rows.filter(|row| {
                row.as_ref()
                    .map_or(true, |(_, entity)| pairs_of(entity).is_some())
            })
            .collect()
        })
        .stored()?;
    for (row, entity) in entities {
        store(connection, row, &entity)?;
    }
    connection
        .execute("INSERT INTO search (search) VALUES ('rebuild')", [])
        .stored()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_begins_one_token() {
        for (text, expected) in [
            ("", ""),
            ("plain words only", ""),
            ("東京都庁", "東京 京都 都庁 庁"),
            ("設計。実装", "設計 計 実装 装"),
            ("API設計v2 and more", "API 設計 計 v2"),
            ("データベース", "デー ータ タベ ベー ース ス"),
            ("人", "人"),
        ] {
            assert_eq!(pairs(text), expected, "{text}");
        }
    }

    #[test]
    fn a_part_of_a_text_is_a_sequence_of_its_tokens() {
        for (word, expected) in [
            ("plain", None),
            ("京都", Some("\"京都\"")),
            ("東京都", Some("\"東京 京都\"")),
            ("京", Some("\"京\"*")),
            ("API設計", Some("\"API 設計\"")),
            ("計v", Some("\"計 v\"*")),
            ("第2章", Some("\"第 2 章\"*")),
            ("a\"設計", Some("\"設計\"")),
        ] {
            let expected = expected.map(|phrase| format!("{COLUMNS} : {phrase}"));
            assert_eq!(expression(word, true), expected, "{word}");
        }
    }
}
