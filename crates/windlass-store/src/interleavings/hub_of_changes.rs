//! Commits of this process and of others, seen by the watching thread and by those who commit: no one
//! who waits misses one.

#[path = "../changes/board.rs"]
mod board;
#[path = "../changes/hub.rs"]
mod hub;

use std::convert::Infallible;
use std::task::{Wake, Waker};
use std::time::Duration;

use shuttle::sync::{Arc, Condvar, Mutex};
use shuttle::thread;

use super::{ORDERS, locks};
use board::Board;
use hub::{Hub, Probe, Unknown};

/// How many commits there are. As SQLite's `data_version`, which a commit of anyone changes.
type Database = Arc<Mutex<u64>>;

struct Version {
    database: Database,
    seen: u64,
}

impl Probe for Version {
    type Error = Infallible;

    fn changed(&mut self) -> Result<bool, Infallible> {
        let now = read(&self.database);
        Ok(std::mem::replace(&mut self.seen, now) != now)
    }
}

fn read(database: &Database) -> u64 {
    *database.lock().expect("no panic")
}

fn commit(database: &Database) {
    *database.lock().expect("no panic") += 1;
}

/// What an executor does: it polls again once the waker was used.
#[derive(Default)]
struct Task {
    signal: Arc<(Mutex<bool>, Condvar)>,
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        let (flag, woken) = &*self.signal;
        *flag.lock().expect("no panic") = true;
        woken.notify_all();
    }
}

impl Task {
    fn until_woken(&self) {
        let (flag, woken) = &*self.signal;
        let mut flag = flag.lock().expect("no panic");
        while !*flag {
            flag = woken.wait(flag).expect("no panic");
        }
        *flag = false;
    }
}

/// Reads until all commits are there, and waits for a change in between, as an async task does.
fn follow_by_polling(board: &Board, database: &Database, all: u64) {
    let (id, mut seen) = board.enter();
    let task = Arc::new(Task::default());
    let waker = Waker::from(Arc::clone(&task));
    while read(database) < all {
        loop {
            if let Some(generation) = board.poll(id, seen, &waker) {
                seen = generation;
                break;
            }
            task.until_woken();
        }
    }
    board.forget(id);
}

/// The same for a thread.
fn follow_by_waiting(board: &Board, database: &Database, all: u64) {
    let (_, mut seen) = board.enter();
    while read(database) < all {
        if let Some(generation) = board.wait(seen, Duration::from_hours(1)) {
            seen = generation;
        }
    }
}

fn commits_are_noticed() {
    let database = Database::default();
    let hub = Arc::new(Hub::new(Version {
        database: Arc::clone(&database),
        seen: 0,
    }));
    let own = 2;
    let all = own + 1;
    let mut threads = Vec::new();
    for _ in 0..own {
        let (hub, database) = (Arc::clone(&hub), Arc::clone(&database));
        threads.push(thread::spawn(move || {
            let before = hub.board.generation();
            commit(&database);
            hub.look(Unknown::IsAChange);
            // Whoever is told that a write is done finds it reported.
            assert_ne!(hub.board.generation(), before);
        }));
    }
    // Another process commits, and the thread that watches looks afterwards, and at other times.
    let (watching, theirs) = (Arc::clone(&hub), Arc::clone(&database));
    threads.push(thread::spawn(move || {
        watching.look(Unknown::IsNothing);
        commit(&theirs);
        watching.look(Unknown::IsNothing);
        watching.look(Unknown::IsNothing);
    }));
    for follow in [follow_by_polling, follow_by_waiting] {
        let (hub, database) = (Arc::clone(&hub), Arc::clone(&database));
        threads.push(thread::spawn(move || follow(&hub.board, &database, all)));
    }
    for thread in threads {
        thread.join().expect("no panic");
    }
    assert_eq!(hub.board.waiting(), 0, "no waker is left");
}

#[test]
fn no_one_who_waits_misses_a_commit() {
    shuttle::check_random(commits_are_noticed, ORDERS);
    shuttle::check_pct(commits_are_noticed, ORDERS, 3);
}
