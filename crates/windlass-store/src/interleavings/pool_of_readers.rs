//! More callers than connections, some of which give up: everyone else is served, never more are open
//! than may be, and nothing is left over.

#[path = "../turns.rs"]
mod turns;

use std::time::Duration;

use shuttle::sync::atomic::{AtomicUsize, Ordering};
use shuttle::sync::{Arc, Mutex};
use shuttle::thread;

use super::{ORDERS, locks};
use turns::{Asked, Turn, Turns};

const MOST: usize = 2;
const KEPT: usize = 1;

/// How many connections there are, and how many of them are used.
#[derive(Default)]
struct Counts {
    open: AtomicUsize,
    used: AtomicUsize,
}

/// A connection. It is used by one caller at a time.
struct Connection {
    used: Mutex<()>,
    counts: Arc<Counts>,
}

impl Connection {
    fn open(counts: &Arc<Counts>) -> Self {
        counts.open.fetch_add(1, Ordering::SeqCst);
        Self {
            used: Mutex::new(()),
            counts: Arc::clone(counts),
        }
    }

    fn work(&self) {
        let used = self.used.try_lock().expect("used by this one only");
        let others = self.counts.used.fetch_add(1, Ordering::SeqCst);
        assert!(others < MOST, "{others} others are used");
        thread::yield_now();
        self.counts.used.fetch_sub(1, Ordering::SeqCst);
        drop(used);
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.counts.open.fetch_sub(1, Ordering::SeqCst);
    }
}

/// What a caller does with a turn.
#[derive(Clone, Copy, PartialEq)]
enum Caller {
    Reads,
    /// Its connection cannot be opened, or its work panics.
    Fails,
    /// Its time is over at once.
    GivesUp,
}

fn call(turns: &Turns<Connection>, counts: &Arc<Counts>, caller: Caller) {
    let turn = match turns.ask() {
        Asked::Now(turn) => turn,
        Asked::Later(waiter) if caller == Caller::GivesUp => {
            thread::yield_now();
            turns.give_up(&waiter);
            return;
        }
        Asked::Later(waiter) => waiter
            .wait(Duration::from_hours(1))
            .expect("its turn comes"),
    };
    if caller == Caller::Fails {
        drop(turn);
        turns.pass_on(None);
        return;
    }
    let connection = match turn {
        Turn::Use(connection) => connection,
        Turn::Open => Connection::open(counts),
    };
    connection.work();
    turns.pass_on(Some(connection));
}

fn callers_take_turns() {
    let turns = Arc::new(Turns::new(MOST, || MOST, KEPT));
    let counts = Arc::<Counts>::default();
    let callers = [
        Caller::Reads,
        Caller::Reads,
        Caller::GivesUp,
        Caller::Fails,
        Caller::Reads,
    ];
    let threads: Vec<_> = callers
        .into_iter()
        .map(|caller| {
            let (turns, counts) = (Arc::clone(&turns), Arc::clone(&counts));
            thread::spawn(move || call(&turns, &counts, caller))
        })
        .collect();
    for thread in threads {
        thread.join().expect("no panic");
    }
    assert_eq!(turns.waiting(), 0);
    assert_eq!(
        turns.open(),
        counts.open.load(Ordering::SeqCst),
        "none is lost"
    );
    assert!(turns.open() <= KEPT && turns.open() < turns.most());
}

#[test]
fn callers_are_served_in_every_order() {
    shuttle::check_random(callers_take_turns, ORDERS);
    shuttle::check_pct(callers_take_turns, ORDERS, 3);
}
