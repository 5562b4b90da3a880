//! A small read over HTTP, against an echo server: one client, and many at once.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::harness::{Measured, Outcome, Rounds, Row};
use crate::http_client::{Era, HttpClient, HttpServer};
use crate::places::Places;
use crate::rows::operations::Operations;

pub const SESSION: Row = Row {
    name: "http_tools_call",
    about: "entity_get of a small entity over HTTP in a session, against a bare rmcp echo server",
    limit: 1.3,
    measure: |places, rounds| measure(places, rounds, Era::Session),
};

pub const ALONE: Row = Row {
    name: "http_tools_call_2026",
    about: "the same without sessions, as since 2026-07-28",
    limit: 1.3,
    measure: |places, rounds| measure(places, rounds, Era::Alone),
};

pub const CLIENTS: Row = Row {
    name: "http_clients",
    about: "200 clients at once for 30 s, each a call every 100 ms, against a bare rmcp echo server",
    limit: 1.2,
    measure: measure_clients,
};

const CLIENTS_AT_ONCE: usize = 200;
const HELD: Duration = Duration::from_secs(30);
const HELD_QUICKLY: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(100);

const SERVE: &[&str] = &["--json", "serve", "--http", "127.0.0.1:0"];

/// The two servers, and the call of each.
struct Pair {
    ours: HttpServer,
    theirs: HttpServer,
}

impl Pair {
    const OURS: &str = "entity_get";
    const THEIRS: &str = "echo";

    fn start(places: &Places, name: &str) -> Outcome<Self> {
        let project = places.copy(name, 1_000)?;
        let small = json!({"type": "task", "title": "Small", "content": "A short text."});
        Operations::on(&project)?.call("entity_create", &small)?;
        let folder = project.root();
        Ok(Self {
            ours: HttpServer::start(&places.windlass, SERVE, folder)?,
            theirs: HttpServer::start(&places.bare_echo_http, &[], folder)?,
        })
    }

    fn our_arguments() -> Json {
        json!({"id": "1001"})
    }

    fn their_arguments() -> Json {
        json!({"text": "A short text."})
    }
}

fn measure(places: &Places, rounds: Rounds, era: Era) -> Outcome<Measured> {
    let pair = Pair::start(places, &format!("http-{era:?}"))?;
    let mut server = HttpClient::connect(&pair.ours.address, era)?;
    let mut echo = HttpClient::connect(&pair.theirs.address, era)?;
    let ours = server.tool_call(Pair::OURS, &Pair::our_arguments());
    let theirs = echo.tool_call(Pair::THEIRS, &Pair::their_arguments());
    server.call(&ours)?;
    if !server.last_response().contains("A short text.") {
        return Err("the response does not contain the small entity".into());
    }
    rounds.compare(20, 300, || server.call(&ours), || echo.call(&theirs))
}

/// One side after the other, each with all its clients. Any error of a client fails the row.
fn measure_clients(places: &Places, rounds: Rounds) -> Outcome<Measured> {
    let pair = Pair::start(places, "http-clients")?;
    let held = if rounds.quick { HELD_QUICKLY } else { HELD };
    let ours = hold(&pair.ours.address, Pair::OURS, &Pair::our_arguments(), held)?;
    let theirs = hold(
        &pair.theirs.address,
        Pair::THEIRS,
        &Pair::their_arguments(),
        held,
    )?;
    Ok(Measured::of(ours, theirs))
}

fn hold(address: &str, tool: &str, arguments: &Json, held: Duration) -> Outcome<Vec<Duration>> {
    let until = Instant::now() + held;
    let times = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS_AT_ONCE)
            .map(|at| {
                scope.spawn(move || {
                    one_client(address, tool, arguments, until, at)
                        .map_err(|problem| format!("client {at}: {problem}"))
                })
            })
            .collect();
        let mut times = Vec::new();
        for client in clients {
            let client = client.join().map_err(|_| "a client panicked")?;
            times.append(&mut client?);
        }
        Ok::<_, String>(times)
    })?;
    Ok(times)
}

fn one_client(
    address: &str,
    tool: &str,
    arguments: &Json,
    until: Instant,
    at: usize,
) -> Outcome<Vec<Duration>> {
    let mut client = HttpClient::connect(address, Era::Session)?;
    let request = client.tool_call(tool, arguments);
    // Clients start at different times, so that they do not all call at once.
    let share = u32::try_from(at)? * PAUSE / u32::try_from(CLIENTS_AT_ONCE)?;
    thread::sleep(share);
    let mut times = Vec::new();
    while Instant::now() < until {
        let start = Instant::now();
        client.call(&request)?;
        times.push(start.elapsed());
        thread::sleep(PAUSE);
    }
    Ok(times)
}
