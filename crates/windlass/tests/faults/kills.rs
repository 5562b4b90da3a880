//! `kill -9` at any moment: what was acknowledged is there, and all of it agrees.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::Scenario;
use crate::project::{Place, note, origin};
use crate::server::Server;

/// After so many kills a new project is begun, so that looking at it stays quick.
const KILLS_PER_PROJECT: u64 = 250;
const CHECK_EVERY: u64 = 50;

/// Spun, not slept: the moment is to fall anywhere in a write of a fraction of a millisecond.
fn kill_after(child: &Child, moment: Duration) -> thread::JoinHandle<()> {
    let pid = rustix::process::Pid::from_child(child);
    thread::spawn(move || {
        let begin = Instant::now();
        while begin.elapsed() < moment {
            std::hint::spin_loop();
        }
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    })
}

/// How long a write takes at the moment: kills are to fall into writes, on any machine.
struct Pace(Duration);

impl Pace {
    /// A moment after a process was told to write, or after its first write was acknowledged.
    fn moment(&self, scenario: &mut Scenario) -> Duration {
        let most = u64::try_from(self.0.as_micros()).unwrap_or(u64::MAX);
        Duration::from_micros(scenario.dice.roll(most.saturating_mul(3).max(1_000)))
    }

    fn note(&mut self, time: Duration) {
        self.0 = (self.0 * 7 + time.min(Duration::from_secs(1))) / 8;
    }
}

/// A process that only writes, so that there can be many kills.
pub fn writer(scenario: &mut Scenario) {
    let mut place = Place::new();
    drop(place.store());
    let (mut all, mut count) = (Vec::new(), 0);
    let mut pace = Pace(Duration::from_millis(5));
    while scenario.goes_on() {
        let round = scenario.attempts;
        let after_first = scenario.dice.roll(4) > 0;
        let begin = Instant::now();
        let mut child = Command::new(std::env::current_exe().expect("a path"))
            .args(["--exact", "kills::writes", "--ignored", "--nocapture"])
            .env("WINDLASS_TEST_FOLDER", &place.root)
            .env("WINDLASS_TEST_ROUND", round.to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("started");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (mut killer, mut acknowledged) = (None, Vec::new());
        let mut last = Instant::now();
        for line in output.lines() {
            let line = line.unwrap_or_default();
            let title = line.strip_prefix("acknowledged ");
            if let Some(title) = title {
                if acknowledged.is_empty() {
                    scenario.waited(begin.elapsed());
                }
                pace.note(last.elapsed());
                acknowledged.push(title.to_owned());
            }
            if title.is_some() || line == "begins" {
                last = Instant::now();
            }
            let is_time = if after_first {
                title.is_some()
            } else {
                line == "begins"
            };
            if is_time && killer.is_none() {
                killer = Some(kill_after(&child, pace.moment(scenario)));
            }
        }
        child.wait().expect("ended");
        if let Some(killer) = killer {
            killer.join().expect("no panic");
        } else {
            scenario.losses.push("it ended by itself".to_owned());
        }
        let losses = place.losses(&acknowledged, round.is_multiple_of(CHECK_EVERY));
        scenario.losses.extend(losses);
        count += acknowledged.len();
        all.extend(acknowledged);
        if round.is_multiple_of(KILLS_PER_PROJECT) {
            scenario.losses.extend(place.losses(&all, true));
            all.clear();
            place = Place::new();
            drop(place.store());
        }
    }
    scenario.losses.extend(place.losses(&all, true));
    scenario.note = format!("{count} acknowledged writes");
}

/// The process that is killed.
#[test]
#[ignore = "run by another test"]
#[expect(clippy::disallowed_methods, reason = "another test tells it where")]
fn writes() {
    let folder = std::env::var_os("WINDLASS_TEST_FOLDER").expect("a folder");
    let round = std::env::var("WINDLASS_TEST_ROUND").expect("a number");
    let store = Place::at(&PathBuf::from(folder)).store();
    println!("begins");
    for number in 0..10_000 {
        let title = format!("r{round}w{number}");
        let made = store.write(&origin(), |writer| writer.create(note(&title)?));
        made.expect("written");
        println!("acknowledged {title}");
    }
}

/// A server, by its protocol.
pub fn server(scenario: &mut Scenario) {
    let place = Place::new();
    drop(place.store());
    let mut all = Vec::new();
    let mut pace = Pace(Duration::from_millis(5));
    while scenario.goes_on() {
        let round = scenario.attempts;
        let begin = Instant::now();
        let mut server = Server::start(&place.root);
        let first = server.call(
            "entity_create",
            json!({"type": "note", "title": format!("s{round}")}),
        );
        assert!(first.is_some(), "the server answers");
        scenario.waited(begin.elapsed());
        let mut last = Instant::now();
        let killer = kill_after(&server.child, pace.moment(scenario));
        let mut acknowledged = Vec::new();
        for number in 0.. {
            let title = format!("s{round}w{number}");
            let input = json!({"type": "note", "title": title, "content": "some text"});
            let Some(answer) = server.call("entity_create", input) else {
                break;
            };
            if answer["result"]["structuredContent"].is_object() {
                pace.note(last.elapsed());
                last = Instant::now();
                acknowledged.push(title);
            } else {
                scenario.losses.push(format!("refused: {answer}"));
            }
        }
        killer.join().expect("no panic");
        scenario
            .losses
            .extend(place.losses(&acknowledged, round.is_multiple_of(CHECK_EVERY)));
        all.extend(acknowledged);
    }
    scenario.losses.extend(place.losses(&all, true));
    scenario.note = format!("{} acknowledged writes", all.len());
}
