//! Many processes on one project: none loses a write, none is shown an error.

use std::thread;

use serde_json::json;
use windlass_core::Page;
use windlass_store::EntityFilter;

use crate::repository::{Repository, signal};
use crate::sample;
use crate::server::Server;

const PROCESSES: usize = 8;
const CREATES: usize = 500;

#[test]
fn eight_writers_leave_no_gap() {
    let sample = sample::empty();
    let folder = sample.folder.path();
    thread::scope(|scope| {
        for process in 0..PROCESSES {
            scope.spawn(move || {
                let mut server = Server::start(folder);
                for at in 0..CREATES {
                    let title = format!("{process} {at}");
                    server.ok("entity_create", json!({"type": "note", "title": title}));
                }
            });
        }
    });
    let store = sample.store();
    let count = PROCESSES * CREATES;
    let page = Page {
        limit: u32::try_from(count).expect("small") + 1,
        offset: 0,
    };
    let (entities, total) = store
        .read(None, |reader| {
            reader.entities(&EntityFilter::default(), page)
        })
        .expect("read");
    assert_eq!(total, count as u64);
    let numbers: Vec<i64> = entities.iter().map(|entity| entity.number).collect();
    let expected: Vec<i64> = (1..=i64::try_from(count).expect("small")).collect();
    assert_eq!(numbers, expected, "without gap or double");
    assert_eq!(store.check(&sample::origin()), Ok(vec![]));
}

/// The database is made by whoever comes first; the others must not trip over that.
#[test]
fn many_processes_may_open_a_new_project_at_once() {
    for _ in 0..10 {
        let sample = sample::empty();
        let folder = sample.folder.path();
        thread::scope(|scope| {
            for process in 0..PROCESSES {
                scope.spawn(move || {
                    let output = sample::windlass()
                        .arg("--cwd")
                        .arg(folder)
                        .args(["add", "note", &format!("from {process}")])
                        .output()
                        .expect("started");
                    let error = String::from_utf8_lossy(&output.stderr);
                    assert!(output.status.success(), "{error}");
                });
            }
        });
        assert_eq!(sample.store().check(&sample::origin()), Ok(vec![]));
    }
}

#[test]
fn one_of_eight_gets_the_task() {
    let sample = sample::filled();
    let folder = sample.folder.path();
    let winners: usize = thread::scope(|scope| {
        let claims: Vec<_> = (0..PROCESSES)
            .map(|process| {
                scope.spawn(move || {
                    let mut server = Server::start(folder);
                    let owner = format!("agent-{process}");
                    let answer = server
                        .call("task_claim", json!({"id": "2", "owner": owner}))
                        .expect("an answer");
                    let won = answer["result"]["isError"] != true;
                    if !won {
                        let error = &answer["result"]["structuredContent"];
                        assert_eq!(error["error_type"], "TaskClaimed", "{answer}");
                    }
                    usize::from(won)
                })
            })
            .collect();
        claims
            .into_iter()
            .map(|claim| claim.join().expect("no panic"))
            .sum()
    });
    assert_eq!(winners, 1);
}

#[test]
fn the_queue_is_handed_out_without_doubles() {
    let sample = sample::empty();
    let folder = sample.folder.path();
    let mut server = Server::start(folder);
    for at in 0..40 {
        server.ok(
            "entity_create",
            json!({"type": "task", "title": format!("t{at}")}),
        );
    }
    let mut taken: Vec<i64> = thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|worker| {
                scope.spawn(move || {
                    let mut server = Server::start(folder);
                    let owner = format!("worker-{worker}");
                    let mut mine = Vec::new();
                    loop {
                        let claim = server.ok("task_claim", json!({"owner": owner}));
                        let Some(number) = claim["task"]["sequence_number"].as_i64() else {
                            return mine;
                        };
                        server.ok("task_complete", json!({"id": number.to_string()}));
                        mine.push(number);
                    }
                })
            })
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().expect("no panic"))
            .collect()
    });
    taken.sort_unstable();
    assert_eq!(taken, (1..=40).collect::<Vec<i64>>());
}

#[test]
fn the_command_line_works_beside_a_busy_server() {
    let sample = sample::empty();
    let folder = sample.folder.path();
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut server = Server::start(folder);
            for at in 0..200 {
                server.ok(
                    "entity_create",
                    json!({"type": "note", "title": format!("server {at}")}),
                );
            }
        });
        for person in 0..2 {
            scope.spawn(move || {
                for at in 0..15 {
                    let output = sample::windlass()
                        .arg("--cwd")
                        .arg(folder)
                        .args(["add", "note", &format!("person {person} {at}")])
                        .output()
                        .expect("started");
                    let error = String::from_utf8_lossy(&output.stderr);
                    assert!(output.status.success(), "{error}");
                }
            });
        }
    });
    let store = sample.store();
    let (_, total) = store
        .read(None, |reader| {
            reader.entities(&EntityFilter::default(), Page::default())
        })
        .expect("read");
    assert_eq!(total, 230);
}

/// Otherwise the next process has to read it first.
#[test]
fn the_last_server_leaves_no_log_of_the_database() {
    for end in ["hang up", "-TERM"] {
        let repository = Repository::new(&[]);
        let mut server = Server::of(repository.command(&["mcp"]));
        for at in 0..30 {
            server.ok(
                "entity_create",
                json!({"type": "note", "title": format!("{at}")}),
            );
        }
        assert!(repository.exists(".windlass/state/windlass.db-wal"));
        match end {
            "hang up" => server.hang_up(),
            name => signal(name, server.child.id()),
        }
        assert_eq!(server.child.wait().expect("ended").code(), Some(0), "{end}");
        assert!(
            !repository.exists(".windlass/state/windlass.db-wal"),
            "{end}"
        );
    }
}
