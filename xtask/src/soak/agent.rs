//! An agent over MCP: it creates, changes, searches, takes tasks, runs commands and scripts. Its server
//! is killed now and then in the middle of a call, which it repeats with the same idempotency key. The
//! first agent's server lives all the time, so that a leak shows.

use std::thread;
use std::time::Instant;

use serde_json::{Value as Json, json};

use super::Dice;
use super::ledger::Ledger;
use super::place::Place;
use crate::client::{Client, refusal};

/// Tools that may refuse, because others work on the same tasks.
const MAY_REFUSE: &[&str] = &["begin", "done", "partial", "task_stop"];
/// One in so many calls ends with a kill.
const KILL_ONE_IN: u64 = 25;

struct Agent<'a> {
    place: &'a Place,
    ledger: &'a Ledger,
    dice: Dice,
    number: u64,
    client: Client,
    notes: Vec<(String, String, u64)>,
    made: u64,
}

pub fn work(place: &Place, ledger: &Ledger, dice: Dice, number: u64) {
    let Some(client) = start(place, ledger, number) else {
        return;
    };
    let mut agent = Agent {
        place,
        ledger,
        dice,
        number,
        client,
        notes: Vec::new(),
        made: 0,
    };
    while ledger.goes_on() {
        agent.act();
        let pause = agent.dice.time(800, 3_500);
        ledger.pause(pause);
    }
    if let Err(why) = agent.client.stop() {
        ledger.problem(&format!("agent {number}"), &why);
    }
}

fn start(place: &Place, ledger: &Ledger, number: u64) -> Option<Client> {
    let mut command = place.windlass(&place.one);
    command.args(["mcp", "--toolsets", "all"]);
    match Client::start(command, &format!("agent-{number}")) {
        Ok(client) => {
            ledger.serves(number, client.child.id());
            ledger.count("server started");
            Some(client)
        }
        Err(why) => {
            ledger.problem(&format!("agent {number}"), &why);
            None
        }
    }
}

/// Some words, and which revision they are.
pub fn text(dice: &mut Dice, revision: u64) -> String {
    let words = 20 + dice.roll(1_500);
    let body: Vec<String> = (0..words)
        .map(|_| format!("w{:x}", dice.roll(40_000)))
        .collect();
    format!("revision {revision} {}", body.join(" "))
}

impl Agent<'_> {
    /// The result of a call; none if it was refused.
    fn call(&mut self, tool: &str, arguments: Json) -> Option<Json> {
        let begin = Instant::now();
        let answer = self.client.call(tool, arguments, Json::Null);
        self.ledger.waited(begin.elapsed());
        self.result(tool, answer)
    }

    fn result(&mut self, tool: &str, answer: Result<Json, String>) -> Option<Json> {
        let who = format!("agent {}, {tool}", self.number);
        let answer = match answer {
            Ok(answer) => answer,
            Err(why) => {
                self.ledger.problem(&who, &why);
                self.restart();
                return None;
            }
        };
        match refusal(&answer) {
            None => {
                self.ledger.count(tool);
                Some(answer["result"]["structuredContent"].clone())
            }
            Some(why) => {
                if MAY_REFUSE.contains(&tool) {
                    self.ledger.count(&format!("{tool}, refused"));
                } else {
                    self.ledger.problem(&who, &why);
                }
                None
            }
        }
    }

    fn restart(&mut self) {
        if let Some(fresh) = start(self.place, self.ledger, self.number) {
            std::mem::replace(&mut self.client, fresh).kill();
        }
    }

    fn title(&mut self) -> String {
        self.made += 1;
        format!("a{}n{}", self.number, self.made)
    }

    fn act(&mut self) {
        match self.dice.roll(100) {
            0..25 => self.create("note"),
            25..40 => self.create("task"),
            40..58 => self.revise(),
            58..68 => {
                let query = format!("w{:x}", self.dice.roll(40_000));
                self.call("search_fulltext", json!({"query": query, "limit": 20}));
            }
            68..76 => drop(self.call("task_ready", json!({"limit": 20}))),
            76..84 => self.take_a_task(),
            84..88 => {
                let code = "const all = await tasks.ready(); all.total ?? 0";
                self.call("execute", json!({"code": code}));
            }
            88..92 => {
                self.call(
                    "task_start",
                    json!({"unique_name": "quick", "wait_seconds": 20}),
                );
            }
            92..95 => self.run_a_long_job(),
            95..98 => self.delete(),
            _ => {
                self.call("event_list", json!({"limit": 50}));
            }
        }
    }

    fn create(&mut self, kind: &str) {
        let title = self.title();
        let content = text(&mut self.dice, 0);
        let arguments = json!({"type": kind, "title": title, "content": content});
        let meta = json!({"windlass/idempotency-key": title});
        let is_killed = self.number > 0 && self.dice.roll(KILL_ONE_IN) == 0;
        if is_killed {
            self.kill_during(&arguments, &meta);
        }
        let begin = Instant::now();
        let answer = self.client.call("entity_create", arguments, meta);
        self.ledger.waited(begin.elapsed());
        let Some(made) = self.result("entity_create", answer) else {
            return;
        };
        let id = made["id"].as_str().unwrap_or_default().to_owned();
        self.ledger.created(&title);
        if kind == "note" {
            self.notes.push((title, id, 0));
        }
    }

    /// Makes the call and kills the server at a random moment; afterwards there is another one.
    fn kill_during(&mut self, arguments: &Json, meta: &Json) {
        let moment = self.dice.time(0, 25);
        let pid = self.client.child.id().to_string();
        let killer = thread::spawn(move || {
            thread::sleep(moment);
            let mut kill = std::process::Command::new("kill");
            drop(kill.args(["-KILL", &pid]).status());
        });
        let _ = self
            .client
            .call("entity_create", arguments.clone(), meta.clone());
        let _ = killer.join();
        self.ledger.count("server killed");
        self.restart();
    }

    fn revise(&mut self) {
        if self.notes.is_empty() {
            return;
        }
        let at = self.dice.roll(self.notes.len() as u64);
        let at = usize::try_from(at).unwrap_or(0);
        let (title, id, revision) = self.notes[at].clone();
        let content = text(&mut self.dice, revision + 1);
        if self
            .call("entity_update", json!({"id": id, "content": content}))
            .is_some()
        {
            self.notes[at].2 = revision + 1;
            self.ledger.revised(&title, revision + 1);
        }
    }

    fn delete(&mut self) {
        if self.notes.len() < 5 {
            return;
        }
        let (title, id, _) = self.notes.remove(0);
        if self.call("entity_delete", json!({"id": id})).is_some() {
            self.ledger.deleted(&title);
        }
    }

    fn take_a_task(&mut self) {
        if self.call("begin", json!({})).is_none() {
            return;
        }
        if self.dice.roll(2) == 0 {
            self.call("done", json!({"summary": "All of it."}));
        } else {
            self.call(
                "partial",
                json!({"summary": "Half.", "remaining": "The other half."}),
            );
        }
    }

    fn run_a_long_job(&mut self) {
        let started = self.call(
            "task_start",
            json!({"unique_name": "long", "wait_seconds": 0}),
        );
        let Some(pid) = started.and_then(|started| started["pid"].as_i64()) else {
            return;
        };
        // Some are left to the end of their server, or to its kill.
        if self.number == 0 || self.dice.roll(3) > 0 {
            self.call("task_stop", json!({"pid": pid, "grace_period": 1}));
        }
    }
}
