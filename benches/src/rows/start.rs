//! From the start of the process to its first answer.

use crate::client::Client;
use crate::harness::{Measured, Outcome, Rounds, Row};
use crate::places::Places;

pub const ROW: Row = Row {
    name: "start",
    about: "spawn to the answer to initialize, against a bare rmcp echo server",
    limit: 2.0,
    measure,
};

fn measure(places: &Places, rounds: &Rounds) -> Outcome<Measured> {
    let project = places.project(1_000)?;
    let folder = project.root();
    // The end of the process is measured on both sides; it is short on both.
    rounds.compare(
        20,
        10,
        || Client::start(&places.windlass, &["mcp"], folder)?.stop(),
        || Client::start(&places.bare_echo, &[], folder)?.stop(),
    )
}
