//! From the start of the process to its first response.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::client::Client;
use crate::harness::{Measured, Outcome, Rounds, Row};
use crate::places::Places;

pub const ROW: Row = Row {
    name: "start",
    about: "spawn to the response to initialize, against a bare rmcp echo server",
    limit: 1.8,
    measure,
};

fn measure(places: &Places, rounds: Rounds) -> Outcome<Measured> {
    let project = places.project(1_000)?;
    let folder = project.root();
    rounds.compare_times(
        20,
        10,
        || first_response(&places.windlass, &["mcp"], folder),
        || first_response(&places.bare_echo, &[], folder),
    )
}

/// The time until the first response. The exit of the server is awaited but not measured.
fn first_response(program: &Path, arguments: &[&str], folder: &Path) -> Outcome<Duration> {
    let start = Instant::now();
    let server = Client::start(program, arguments, folder)?;
    let time = start.elapsed();
    drop(server);
    Ok(time)
}
