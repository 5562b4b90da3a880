//! `kill -9` in the middle of writing: what was acknowledged is there, and all of it agrees.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use windlass_core::SearchQuery;
use windlass_store::{SearchFilter, Store};

use crate::sample;
use crate::server::Server;

const KILLS: u64 = 200;

/// A small generator of numbers that look random, seeded, so that a failure can be looked into.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }
}

/// Writes until killed; answers the titles that were acknowledged.
fn write_until_killed(folder: &std::path::Path, round: u64, moment: Duration) -> Vec<String> {
    let mut server = Server::start(folder);
    let pid = rustix::process::Pid::from_child(&server.child);
    let (started, start) = mpsc::channel::<()>();
    let killer = thread::spawn(move || {
        // Spun, not slept: the moment is to fall anywhere in a write of a fraction of a millisecond.
        let _ = start.recv();
        let begin = Instant::now();
        while begin.elapsed() < moment {
            std::hint::spin_loop();
        }
        rustix::process::kill_process(pid, rustix::process::Signal::KILL)
    });
    started.send(()).expect("heard");
    let mut acknowledged = Vec::new();
    for at in 0.. {
        let title = format!("r{round}w{at}");
        let input = json!({
            "type": "task", "title": title, "content": "some text to index", "tags": ["crash"]
        });
        match server.call("entity_create", input) {
            Some(answer) => {
                assert!(
                    answer["result"]["structuredContent"].is_object(),
                    "{answer}"
                );
                acknowledged.push(title);
            }
            None => break,
        }
    }
    killer.join().expect("no panic").expect("killed");
    acknowledged
}

fn missing(store: &Store, titles: &[String]) -> Vec<String> {
    titles
        .iter()
        .filter(|title| {
            let filter = SearchFilter {
                query: SearchQuery {
                    text: format!("{title} "),
                    ..SearchQuery::default()
                },
                page: windlass_core::Page::default(),
            };
            let (hits, _) = store
                .read(None, |reader| reader.search(&filter))
                .expect("read");
            !hits.iter().any(|hit| hit.entity.title == **title)
        })
        .cloned()
        .collect()
}

#[test]
fn two_hundred_kills_lose_nothing_that_was_acknowledged() {
    let sample = sample::empty();
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut all = Vec::new();
    for round in 0..KILLS {
        let moment = Duration::from_micros(dice.roll(30_000));
        let acknowledged = write_until_killed(sample.folder.path(), round, moment);
        let store = sample.store();
        assert_eq!(
            missing(&store, &acknowledged),
            Vec::<String>::new(),
            "round {round}"
        );
        if round % 20 == 0 {
            assert_eq!(store.check(&sample::origin()), Ok(vec![]), "round {round}");
        }
        all.extend(acknowledged);
    }
    let store = sample.store();
    assert_eq!(missing(&store, &all), Vec::<String>::new());
    assert_eq!(store.check(&sample::origin()), Ok(vec![]));
    assert!(
        all.len() > 100,
        "the kills came too early to tell anything: {}",
        all.len()
    );
}
