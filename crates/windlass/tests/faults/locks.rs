//! Another process holds the lock for longer than a caller waits: what the caller is told is what
//! happened.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::Scenario;
use crate::project::{Place, config_of, count, origin, windlass};
use crate::server::Server;

/// How long a request may take.
const LIMIT: u64 = 400;

pub fn held(scenario: &mut Scenario) {
    let place = Place::new();
    let store = place.store();
    let mut command = windlass();
    command
        .arg("--cwd")
        .arg(&place.root)
        .args(["mcp", "--toolsets", "all"])
        .env("WINDLASS_REQUEST_TIMEOUT_MS", LIMIT.to_string())
        .env("WINDLASS_LOG_LEVEL", "error")
        .env("XDG_CONFIG_HOME", config_of(&place.root))
        .env("HOME", config_of(&place.root));
    let mut server = Server::of(command);
    let mut told = [0_u64; 2];
    while scenario.goes_on() {
        let title = format!("lock{}", scenario.attempts);
        let hold = Duration::from_millis(scenario.dice.roll(3 * LIMIT));
        let (holds, held) = mpsc::channel();
        let begin = Instant::now();
        let answer = thread::scope(|scope| {
            scope.spawn(|| {
                let locked = store.write(&origin(), |_| {
                    let _ = holds.send(());
                    thread::sleep(hold);
                    Ok(())
                });
                locked.expect("held");
            });
            held.recv().expect("held");
            let asked = Instant::now();
            let answer = server.call("entity_create", json!({"type": "note", "title": title}));
            scenario.waited(asked.elapsed());
            answer.expect("an answer")
        });
        // Whoever was refused may still be at work.
        thread::sleep(Duration::from_millis(100));
        let is_stored = answer["result"]["structuredContent"].is_object();
        let found = count(&store, &title);
        told[usize::from(is_stored)] += 1;
        if found != usize::from(is_stored) {
            scenario.losses.push(format!(
                "{title}: {found} stored after {:?}, told {answer}",
                begin.elapsed()
            ));
        }
    }
    scenario.note = format!("{} stored, {} refused", told[1], told[0]);
}
