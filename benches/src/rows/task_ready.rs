//! The ready tasks of a large project, against a small one.

use serde_json::json;

use crate::harness::{Measured, Outcome, Rounds, Row};
use crate::places::Places;
use crate::rows::operations::Operations;

pub const ROW: Row = Row {
    name: "task_ready",
    about: "task_ready, limit 50: 100,000 tasks with 200,000 edges, against 1,000 with 2,000",
    limit: 2.0,
    measure,
};

fn measure(places: &Places, rounds: Rounds) -> Outcome<Measured> {
    let many = Operations::on(&places.project(100_000)?)?;
    let few = Operations::on(&places.project(1_000)?)?;
    let input = json!({"limit": 50});
    for project in [&many, &few] {
        if project.call("task_ready", &input)?["has_more"] != true {
            return Err("fewer than 50 tasks are ready".into());
        }
    }
    rounds.compare(
        20,
        100,
        || many.call("task_ready", &input).map(drop),
        || few.call("task_ready", &input).map(drop),
    )
}
