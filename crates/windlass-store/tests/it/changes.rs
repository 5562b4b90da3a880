//! Notification of commits: of this process, of another store, of another process.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use windlass_store::{Changes, Project, StateReader, Store};

use crate::support::{Sandbox, origin, sandbox};

/// More than any test waits where all is well.
const LONG: Duration = Duration::from_secs(20);
/// Longer than a commit is looked for after a write to the log.
const QUIET: Duration = Duration::from_millis(1500);

fn commit(store: &Store, round: u32) {
    store
        .write(&origin(), |writer| {
            writer.create(crate::support::draft(
                windlass_core::EntityType::Task,
                &format!("Round {round}"),
                None,
                &[],
                serde_json::json!({}),
            ))
        })
        .expect("written");
}

/// A handle that has reported what was before.
fn watched(store: &Store) -> Changes {
    let mut changes = store.watch();
    while changes.wait(QUIET) {}
    changes
}

struct Unpark(std::thread::Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits for the future as a runtime would, and says whether it resolved in time.
fn resolves(changes: &mut Changes, timeout: Duration) -> bool {
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut changed = std::pin::pin!(changes.changed());
    let begin = Instant::now();
    loop {
        if changed.as_mut().poll(&mut Context::from_waker(&waker)) == Poll::Ready(()) {
            return true;
        }
        let Some(left) = timeout.checked_sub(begin.elapsed()) else {
            return false;
        };
        std::thread::park_timeout(left);
    }
}

#[test]
fn a_commit_of_this_process_is_reported_at_once_and_once() {
    let Sandbox { store, .. } = &sandbox();
    let mut changes = watched(store);
    let mut late = store.watch();
    commit(store, 1);
    assert!(
        changes.wait(Duration::ZERO),
        "it is there when write returns"
    );
    assert!(!resolves(&mut changes, QUIET), "and not reported twice");
    assert!(
        resolves(&mut late, Duration::ZERO),
        "each handle reports it"
    );
}

#[test]
fn what_changes_nothing_is_not_reported() {
    let Sandbox { store, .. } = &sandbox();
    commit(store, 1);
    let mut changes = watched(store);
    store.write(&origin(), |_| Ok(())).expect("written");
    let refused = store.write(&origin(), |writer| {
        writer.create(crate::support::draft(
            windlass_core::EntityType::Task,
            "Never stored",
            None,
            &[],
            serde_json::json!({}),
        ))?;
        Err::<(), _>(windlass_core::Error::internal("on purpose"))
    });
    assert!(refused.is_err());
    assert!(!changes.wait(QUIET));
}

#[test]
fn a_commit_of_another_store_wakes_the_future() {
    let Sandbox { project, store, .. } = &sandbox();
    let other = Store::open(project).expect("opened");
    let mut changes = watched(store);
    std::thread::scope(|scope| {
        scope.spawn(|| commit(&other, 1));
        assert!(resolves(&mut changes, LONG));
    });
}

#[test]
fn no_commit_is_lost_however_it_falls_between_two_waits() {
    const ROUNDS: u32 = 1_000;
    let sandbox = sandbox();
    let other = Store::open(&sandbox.project).expect("opened");
    let state = StateReader::new(Arc::new(Store::open(&sandbox.project).expect("opened")));
    let begin = Instant::now();
    std::thread::scope(|scope| {
        let (answer, answers) = std::sync::mpsc::channel();
        let reader = &state;
        // Before the first commit, which would else be taken for an old one.
        let mut changes = reader.watch();
        let mut seen = reader.last_event().expect("read");
        scope.spawn(move || {
            // Read, wait, read again: it must see each commit without another one to wake it.
            for _ in 0..ROUNDS {
                loop {
                    let now = reader.last_event().expect("read");
                    if now != seen {
                        seen = now;
                        break;
                    }
                    assert!(resolves(&mut changes, LONG), "a commit was lost");
                }
                answer.send(()).expect("sent");
            }
        });
        for round in 0..ROUNDS {
            let writer = if round % 3 == 0 {
                &sandbox.store
            } else {
                &other
            };
            commit(writer, round);
            answers.recv_timeout(LONG).expect("noticed");
            // A little later each time, so that commits fall on every place of the loop.
            std::thread::sleep(Duration::from_micros(u64::from(round % 50) * 20));
        }
    });
    let each = begin.elapsed() / ROUNDS;
    assert!(
        each < Duration::from_millis(200),
        "{each:?} a round: the tick found them"
    );
}

#[test]
fn the_log_may_be_emptied_or_removed_and_made_again() {
    let Sandbox { project, store, .. } = &sandbox();
    let other = Store::open(project).expect("opened");
    let log = PathBuf::from(format!("{}-wal", project.database().display()));
    let mut changes = watched(store);
    commit(&other, 1);
    assert!(changes.wait(LONG));
    while changes.wait(QUIET) {}
    let plain = rusqlite::Connection::open(project.database()).expect("opened");
    plain
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .expect("written back");
    assert_eq!(log.metadata().expect("a log").len(), 0);
    commit(&other, 2);
    assert!(changes.wait(LONG), "after the log was emptied");
    drop((plain, other));

    // The last who closes the database removes the log.
    let sandbox = sandbox();
    let log = PathBuf::from(format!("{}-wal", sandbox.project.database().display()));
    commit(&sandbox.store, 1);
    let project = sandbox.project.clone();
    let folder = sandbox.close();
    assert!(!log.exists());
    let first = Store::open(&project).expect("opened");
    let mut changes = watched(&first);
    let second = Store::open(&project).expect("opened");
    commit(&second, 2);
    assert!(changes.wait(LONG), "after the log was made again");
    assert!(log.exists());
    drop((first, second, folder));
}

#[test]
fn the_watcher_ends_with_the_store_and_its_handles_stay_quiet() {
    let sandbox = sandbox();
    let mut changes = watched(&sandbox.store);
    let project = sandbox.project.clone();
    let log = PathBuf::from(format!("{}-wal", project.database().display()));
    commit(&sandbox.store, 1);
    assert!(changes.wait(LONG));
    let begin = Instant::now();
    let _folder = sandbox.close();
    assert!(
        begin.elapsed() < Duration::from_millis(900),
        "no tick was waited for"
    );
    assert!(!log.exists(), "no connection is left");
    commit(&Store::open(&project).expect("opened"), 2);
    assert!(!changes.wait(Duration::from_millis(100)));
}

/// The other process of the tests below: this binary with one test, which follows its orders.
struct OtherProcess {
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl OtherProcess {
    fn start(project: &Project) -> Self {
        let mut child = Command::new(std::env::current_exe().expect("this binary"))
            .args([
                "--exact",
                "changes::other_process",
                "--ignored",
                "--nocapture",
            ])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("started");
        let mut other = Self {
            orders: child.stdin.take().expect("a pipe"),
            answers: BufReader::new(child.stdout.take().expect("a pipe")),
            child,
        };
        other.order(project.root().to_str().expect("a path"));
        other
    }

    fn order(&mut self, text: &str) {
        writeln!(self.orders, "{text}").expect("sent");
    }

    /// The next answer, past what the test harness prints.
    fn answer(&mut self) -> u128 {
        loop {
            let mut line = String::new();
            assert_ne!(
                self.answers.read_line(&mut line).expect("read"),
                0,
                "it is gone"
            );
            if let Some((_, number)) = line.split_once("answer ") {
                return number.trim().parse().expect("a number");
            }
        }
    }

    fn end(mut self) {
        drop(self.orders);
        assert!(self.child.wait().expect("ended").success());
    }
}

fn nanos_now() -> u128 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("after 1970")
        .as_nanos()
}

#[test]
#[ignore = "the other process of other tests; it reads its orders from standard input"]
fn other_process() {
    let mut orders = std::io::stdin().lines().map_while(Result::ok);
    let Some(root) = orders.next() else { return };
    let (project, _) = Project::init(root.as_ref()).expect("a project");
    let store = Store::open(&project).expect("opened");
    for (round, order) in (0..).zip(orders) {
        let answer = match order.as_str() {
            "commit" => {
                commit(&store, round);
                nanos_now()
            }
            "idle" => u128::from(wake_ups_while_idle(&store)),
            other => panic!("unknown order {other}"),
        };
        println!("\nanswer {answer}");
    }
}

/// How often the watcher of this process woke up in a second in which nothing happened.
fn wake_ups_while_idle(store: &Store) -> u64 {
    let wake_ups = || {
        let tasks = std::fs::read_dir("/proc/self/task").expect("tasks");
        let watcher = tasks
            .map(|task| task.expect("a task").path())
            .find(|task| {
                std::fs::read_to_string(task.join("comm"))
                    .is_ok_and(|name| name.trim() == "windlass-watch")
            })
            .expect("the watcher");
        let status = std::fs::read_to_string(watcher.join("status")).expect("a status");
        status
            .lines()
            .find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))
            .and_then(|count| count.trim().parse::<u64>().ok())
            .expect("a count")
    };
    let mut changes = watched(store);
    let before = wake_ups();
    assert!(!changes.wait(Duration::from_millis(1_100)));
    wake_ups() - before
}

#[test]
#[cfg(target_os = "linux")]
fn nothing_runs_while_nothing_happens() {
    let sandbox = sandbox();
    commit(&sandbox.store, 1);
    let mut other = OtherProcess::start(&sandbox.project);
    other.order("idle");
    let wake_ups = other.answer();
    // The safety tick, and the mutexes that it may have to wait for.
    assert!(wake_ups <= 4, "{wake_ups}");
    other.end();
}

#[test]
fn commits_of_another_process_are_reported_within_milliseconds() {
    const COMMITS: usize = 100;
    let sandbox = sandbox();
    let mut other = OtherProcess::start(&sandbox.project);
    other.order("commit");
    other.answer();
    let mut changes = watched(&sandbox.store);
    let mut delays: Vec<u128> = (0..COMMITS)
        .map(|_| {
            other.order("commit");
            assert!(changes.wait(LONG));
            let noticed = nanos_now();
            let committed = other.answer();
            // What was left to report of this commit must not be taken for the next.
            while changes.wait(Duration::from_millis(2)) {}
            noticed.saturating_sub(committed) / 1_000
        })
        .collect();
    other.end();
    delays.sort_unstable();
    let (middle, worst) = (delays[COMMITS / 2], delays[COMMITS * 99 / 100]);
    println!("delay in microseconds: p50 {middle}, p99 {worst}");
    if cfg!(target_os = "linux") {
        // The tick alone would need 125 ms on the average.
        assert!(middle < 50_000, "{delays:?}");
    }
}
