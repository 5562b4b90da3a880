//! Search for one word, against the bare FTS5 query.

use rusqlite::Connection;
use serde_json::json;

use crate::harness::{Measured, Outcome, Rounds, Row};
use crate::places::Places;
use crate::rows::operations::Operations;
use crate::words::word;

pub const RARE: Row = Row {
    name: "search_fulltext_rare",
    about: "search_fulltext, 100,000 entities, a rare word, against the bare FTS5 query",
    limit: 1.5,
    measure: |places, rounds| measure(places, rounds, 15_000),
};

pub const MEDIUM: Row = Row {
    name: "search_fulltext_medium",
    about: "the same for a word in some of the texts",
    limit: 1.5,
    measure: |places, rounds| measure(places, rounds, 300),
};

pub const COMMON: Row = Row {
    name: "search_fulltext_common",
    about: "the same for a word in most of the texts",
    limit: 1.5,
    measure: |places, rounds| measure(places, rounds, 0),
};

fn measure(places: &Places, rounds: Rounds, rank: u32) -> Outcome<Measured> {
    let project = places.project(100_000)?;
    let operations = Operations::on(&project)?;
    let bare = Connection::open(project.database())?;
    bare.execute_batch("PRAGMA cache_size = -16384;")?;
    // Small projects have none of the rare words.
    let rank = if rounds.quick { rank.min(300) } else { rank };
    let word = word(rank);
    let input = json!({"query": word, "limit": 20});
    let calls = if rank == 0 { 3 } else { 50 };
    rounds.compare(
        10,
        calls,
        || operations.call("search_fulltext", &input).map(drop),
        || query(&bare, &word),
    )
}

fn query(bare: &Connection, word: &str) -> Outcome {
    let mut statement = bare
        .prepare_cached("SELECT rowid FROM search WHERE search MATCH ?1 ORDER BY rank LIMIT 20")?;
    let rows = statement
        .query_map([word], |row| row.get::<_, i64>(0))?
        .collect::<Result<Vec<_>, _>>()?;
    if rows.is_empty() {
        return Err(format!("no text has the word {word}").into());
    }
    Ok(())
}
