//! A thousand requests at once: all are answered, and the memory stays bounded and comes back.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::Scenario;
use crate::project::{Place, config_of, note, origin, windlass};

const ENTITIES: usize = 2_000;
const CALLS: u64 = 1_000;
/// In MiB. A build without optimisation takes somewhat more than one that is shipped.
const MOST: u64 = if cfg!(debug_assertions) { 250 } else { 200 };
/// How much more than before the burst is left of it, in MiB, and how soon.
const LEFT: u64 = 30;
const SOON: Duration = Duration::from_secs(40);

pub fn burst(scenario: &mut Scenario) {
    let place = Place::new();
    let filled = place.store().write(&origin(), |writer| {
        for number in 0..ENTITIES {
            writer.create(note(&format!("Searched note {number} about storage"))?)?;
        }
        Ok(())
    });
    filled.expect("filled");
    while scenario.goes_on() {
        let mut child = windlass()
            .arg("--cwd")
            .arg(&place.root)
            .args(["mcp", "--toolsets", "all"])
            .env("WINDLASS_LOG_LEVEL", "error")
            .env("WINDLASS_REQUEST_TIMEOUT_MS", "300000")
            .env("XDG_CONFIG_HOME", config_of(&place.root))
            .env("HOME", config_of(&place.root))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("started");
        let mut input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (begin, pid) = (Instant::now(), child.id());
        let mut before = 0;
        let writing = thread::spawn(move || {
            let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"}});
            let mut text =
                json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello})
                    .to_string();
            text += "\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
            for id in 1..=CALLS {
                let arguments = json!({"query": "searched note storage", "limit": 50});
                let params = json!({"name": "search_fulltext", "arguments": arguments});
                let call =
                    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
                text.push_str(&call.to_string());
                text.push('\n');
            }
            input.write_all(text.as_bytes()).expect("sent");
            input
        });
        let mut answered = 0;
        for line in output.lines() {
            let answer: Json = serde_json::from_str(&line.expect("a line")).expect("JSON");
            if answer["id"] == 0 {
                before = mebibytes(pid, "VmRSS:");
            } else if answer["id"].as_u64().is_some() {
                answered += 1;
                let is_found = answer["result"]["structuredContent"].is_object();
                if !is_found {
                    scenario.losses.push(format!("refused: {answer}"));
                }
            }
            if answered == CALLS {
                break;
            }
        }
        scenario.waited(begin.elapsed());
        let _input = writing.join().expect("no panic");
        let (most, at_the_end) = (mebibytes(pid, "VmHWM:"), mebibytes(pid, "VmRSS:"));
        let ended = Instant::now();
        let mut later = at_the_end;
        while later > before + LEFT && ended.elapsed() < SOON {
            thread::sleep(Duration::from_millis(200));
            later = mebibytes(pid, "VmRSS:");
        }
        scenario.note = format!(
            "{before} MiB before, {most} at most, {at_the_end} at the end, {later} after {} s",
            ended.elapsed().as_secs()
        );
        if answered < CALLS {
            scenario.losses.push(format!("{answered} answers"));
        }
        if most > MOST || later > before + LEFT {
            scenario.losses.push(scenario.note.clone());
        }
        child.kill().expect("killed");
        child.wait().expect("ended");
    }
}

fn mebibytes(pid: u32, field: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("a process");
    let line = status.lines().find(|line| line.starts_with(field));
    let kibibytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kibibytes.expect("a number") / 1024
}
