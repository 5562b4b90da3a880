//! One entity that is updated again and again: how large its document gets, and whether an update gets
//! slower.

use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value as Json, json};
use windlass_bench::{Operations, Outcome, Places, Random, text};

use crate::Extent;
use crate::calls::LIMIT;
use crate::curve::{Curve, Unit, grouped};
use crate::timing::{median, median_of};

/// The entity that is updated, in a project of more.
const NUMBER: &str = "500";
const ENTITIES: usize = 1_000;
/// How many values are measured.
const STEPS: usize = 10;
/// Where updates get slower and slower, those that were made until then have to do.
const LONGEST: Duration = Duration::from_mins(20);

pub fn measure(places: &Places, extent: &Extent) -> Outcome<Vec<Curve>> {
    let project = places.copy("updates", ENTITIES)?;
    let operations = Operations::on(&project)?;
    let database = Connection::open(project.database())?;
    let (mut times, mut sizes, mut logs) = (Vec::new(), Vec::new(), Vec::new());
    let begun = Instant::now();
    // The first value is of the first hundredth, before there is much of a history.
    let mut last = 0;
    let ends = (1..=STEPS).map(|step| extent.updates * step / STEPS);
    for end in std::iter::once(extent.updates / 100).chain(ends) {
        let mut taken = Vec::new();
        for turn in last..end {
            let input = update(u64::try_from(turn)?);
            let start = Instant::now();
            operations.call("entity_update", &input)?;
            taken.push(start.elapsed().as_secs_f64());
        }
        last = end;
        // Those of the last hundredth, as for the first value.
        let recent = taken.len().saturating_sub(extent.updates / 100);
        times.push((end, median(&taken[recent..])));
        sizes.push((end, size(&database)?));
        let log = json!({"entity": NUMBER, "limit": 20});
        let log = median_of(extent.calls, |_| {
            operations.call("event_list", &log).map(drop)
        })?;
        logs.push((end, log));
        if begun.elapsed() > LONGEST {
            return Err(format!("stopped after {} updates", grouped(end)).into());
        }
    }
    Ok(vec![
        Curve::of("an update", Unit::Seconds, Some(LIMIT), times),
        Curve::of("log: its last 20 events", Unit::Seconds, Some(LIMIT), logs),
        Curve::of("size of its document", Unit::Bytes, None, sizes),
    ])
}

/// Changes of a title, of a text and of a property, in turn.
fn update(turn: u64) -> Json {
    let mut random = Random::new(turn);
    match turn % 3 {
        0 => json!({"id": NUMBER, "title": text(&mut random, 6)}),
        1 => json!({"id": NUMBER, "content": text(&mut random, 60)}),
        _ => {
            let day = format!(
                "2027-{:02}-{:02}",
                1 + random.below(12),
                1 + random.below(28)
            );
            json!({"id": NUMBER, "properties": {"due_date": day}})
        }
    }
}

fn size(database: &Connection) -> Outcome<f64> {
    Ok(database.query_row(
        "SELECT CAST(length(document) AS REAL) FROM documents
         JOIN entities USING (row) WHERE number = ?1",
        [NUMBER],
        |row| row.get(0),
    )?)
}
