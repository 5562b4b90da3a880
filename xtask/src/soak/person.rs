//! A person on the command line, who now and then ends a command in the middle of it and repeats it.

use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

use serde_json::Value as Json;

use super::Dice;
use super::agent::text;
use super::ledger::Ledger;
use super::place::Place;

/// One in so many creations is killed on the way.
const KILL_ONE_IN: u64 = 6;

pub fn work(place: &Place, ledger: &Ledger, mut dice: Dice, number: u64) {
    let mut made = 0;
    // The second also works in the other clone.
    while ledger.goes_on() {
        let clone = if number > 0 && dice.roll(3) == 0 {
            &place.two
        } else {
            &place.one
        };
        if dice.roll(3) == 0 {
            made += 1;
            create(
                place,
                ledger,
                &mut dice,
                clone,
                &format!("p{number}n{made}"),
            );
        } else {
            let words: &[&str] = match dice.roll(6) {
                0 => &["ready"],
                1 => &["search", "w1"],
                2 => &["tasks", "list"],
                3 => &["log"],
                4 => &["jobs"],
                _ => &["status"],
            };
            let mut command = place.windlass(clone);
            command.arg("--json").args(words);
            run(
                ledger,
                &mut command,
                &format!("windlass {}", words.join(" ")),
            );
        }
        let pause = dice.time(3_000, 9_000);
        ledger.pause(pause);
    }
}

/// Runs a command to its end; returns what it printed unless it failed.
pub fn run(ledger: &Ledger, command: &mut Command, name: &str) -> Option<Json> {
    let begin = Instant::now();
    let done = command.stdin(Stdio::null()).output();
    ledger.waited(begin.elapsed());
    match done {
        Ok(done) if done.status.success() => {
            ledger.count(name);
            let text = String::from_utf8_lossy(&done.stdout).into_owned();
            Some(serde_json::from_str(&text).unwrap_or(Json::Null))
        }
        Ok(done) => {
            let said = String::from_utf8_lossy(&done.stderr).into_owned();
            ledger.problem(name, &format!("{}: {said}", done.status));
            None
        }
        Err(error) => {
            ledger.problem(name, &error.to_string());
            None
        }
    }
}

/// Starts a command and kills it at a random moment.
pub fn kill_during(ledger: &Ledger, mut command: Command, moment: std::time::Duration) {
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Ok(mut child) = child {
        thread::sleep(moment);
        let _ = child.kill();
        let _ = child.wait();
        ledger.count("command killed");
    }
}

fn create(place: &Place, ledger: &Ledger, dice: &mut Dice, clone: &Path, title: &str) {
    let content = text(dice, 0);
    let command = || {
        let mut command = place.windlass(clone);
        command.args(["--json", "--idempotency-key", title]).args([
            "add",
            "note",
            title,
            "--content",
            &content,
        ]);
        command
    };
    if dice.roll(KILL_ONE_IN) == 0 {
        let moment = dice.time(0, 150);
        kill_during(ledger, command(), moment);
    }
    if run(ledger, &mut command(), "windlass add").is_some() {
        ledger.created(title);
    }
}
