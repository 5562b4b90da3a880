//! A durable create against a durable insert, and in a large project against a small one.

use std::time::{Duration, Instant};

use rusqlite::{Connection, TransactionBehavior};
use serde_json::{Value as Json, json};

use crate::client::{Client, tool_call};
use crate::harness::{Measured, Outcome, Rounds, Row};
use crate::places::Places;
use crate::rows::operations::Operations;
use crate::words::{Random, text};

pub const OPERATION: Row = Row {
    name: "entity_create",
    about: "entity_create, durable, 1,000 entities, against one bare SQLite insert transaction",
    limit: 2.0,
    measure: operation,
};

pub const MCP: Row = Row {
    name: "entity_create_mcp",
    about: "the same over stdio",
    limit: 1.8,
    measure: mcp,
};

pub const AT_100K: Row = Row {
    name: "entity_create_100k",
    about: "entity_create with 100,000 entities stored, against with 1,000",
    limit: 1.2,
    measure: at_100k,
};

pub const BY_64: Row = Row {
    name: "entity_create_64",
    about: "entity_create by 64 threads at once, the time for each, against one thread alone",
    limit: 0.25,
    measure: by_64,
};

const ROUNDS: usize = 20;
const CALLS: usize = 50;

fn operation(places: &Places, rounds: Rounds) -> Outcome<Measured> {
    let ours = Operations::on(&places.copy("create", 1_000)?)?;
    let mut bare = Bare::new(places, "create")?;
    let (mut drafts, mut same) = (Drafts::new(), Drafts::new());
    rounds.compare(
        ROUNDS,
        CALLS,
        || ours.call("entity_create", &drafts.next()).map(drop),
        || bare.insert(&same.next()),
    )
}

fn mcp(places: &Places, rounds: Rounds) -> Outcome<Measured> {
    let project = places.copy("create-mcp", 1_000)?;
    let mut server = Client::start(&places.windlass, &["mcp"], project.root())?.initialized()?;
    let mut bare = Bare::new(places, "create-mcp")?;
    let (mut drafts, mut same) = (Drafts::new(), Drafts::new());
    rounds.compare(
        ROUNDS,
        CALLS,
        || server.call(&tool_call("entity_create", &drafts.next())),
        || bare.insert(&same.next()),
    )
}

fn at_100k(places: &Places, rounds: Rounds) -> Outcome<Measured> {
    let many = Operations::on(&places.copy("create-many", 100_000)?)?;
    let few = Operations::on(&places.copy("create-few", 1_000)?)?;
    let (mut drafts, mut same) = (Drafts::new(), Drafts::new());
    rounds.compare(
        ROUNDS,
        CALLS,
        || many.call("entity_create", &drafts.next()).map(drop),
        || few.call("entity_create", &same.next()).map(drop),
    )
}

/// The time of one create where `threads` of them go on all the time.
fn time_of_each(ours: &Operations, threads: u64, creates: u32) -> Outcome<Duration> {
    let start = Instant::now();
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads)
            .map(|seed| {
                scope.spawn(move || {
                    let mut drafts = Drafts(Random::new(seed));
                    (0..creates).try_for_each(|_| {
                        let created = ours.call("entity_create", &drafts.next());
                        created.map(drop).map_err(|problem| problem.to_string())
                    })
                })
            })
            .collect();
        running.into_iter().try_for_each(|thread| {
            let ended = thread.join();
            ended.unwrap_or_else(|_| Err("a thread panicked".to_owned()))
        })
    })?;
    let creates = u32::try_from(threads)? * creates;
    Ok(start.elapsed() / creates)
}

fn by_64(places: &Places, rounds: Rounds) -> Outcome<Measured> {
    let ours = Operations::on(&places.copy("create-64", 1_000)?)?;
    rounds.compare_times(
        10,
        1,
        || time_of_each(&ours, 64, 15),
        || time_of_each(&ours, 1, 300),
    )
}

/// New tasks, the same in every run.
struct Drafts(Random);

impl Drafts {
    fn new() -> Self {
        Self(Random::new(11))
    }

    fn next(&mut self) -> Json {
        json!({
            "type": "task",
            "title": text(&mut self.0, 6),
            "content": text(&mut self.0, 60),
            "tags": [format!("area-{}", self.0.below(40))],
            "properties": {"priority": "high", "due_date": "2027-03-01"},
        })
    }
}

/// One row in one transaction: the minimum for a durable create.
struct Bare(Connection);

impl Bare {
    fn new(places: &Places, name: &str) -> Outcome<Self> {
        let database = places.bare_database(name)?;
        database
            .execute_batch("CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")?;
        Ok(Self(database))
    }

    fn insert(&mut self, draft: &Json) -> Outcome {
        let transaction = self
            .0
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction
            .prepare_cached("INSERT INTO texts (text) VALUES (?1)")?
            .execute([draft.to_string()])?;
        Ok(transaction.commit()?)
    }
}
