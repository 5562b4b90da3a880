//! Time that passes only when nothing else can happen: a day takes as long as its work.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures::executor::LocalPool;

/// The simulated clock. Cheap to clone.
#[derive(Clone, Default)]
pub struct VirtualClock(Arc<Mutex<Timers>>);

#[derive(Default)]
struct Timers {
    now: Duration,
    /// When, in which order they were set, and which entry of `wakers`.
    waiting: BinaryHeap<Reverse<(Duration, u64)>>,
    wakers: std::collections::HashMap<u64, Waker>,
    count: u64,
}

impl VirtualClock {
    fn lock(&self) -> MutexGuard<'_, Timers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time since the simulation began.
    pub fn now(&self) -> Duration {
        self.lock().now
    }

    pub fn sleep(&self, time: Duration) -> Sleep {
        let until = self.lock().now + time;
        Sleep {
            clock: self.clone(),
            until,
            number: None,
        }
    }

    /// Runs what was spawned until this simulated time. It can go on from there.
    pub fn run(&self, pool: &mut LocalPool, end: Duration) {
        loop {
            pool.run_until_stalled();
            let mut timers = self.lock();
            let Some(&Reverse((at, number))) = timers.waiting.peek() else {
                return;
            };
            if at > end {
                timers.now = end;
                return;
            }
            timers.waiting.pop();
            timers.now = at;
            if let Some(waker) = timers.wakers.remove(&number) {
                drop(timers);
                waker.wake();
            }
        }
    }
}

/// Waits for a simulated time.
pub struct Sleep {
    clock: VirtualClock,
    until: Duration,
    number: Option<u64>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let clock = self.clock.clone();
        let mut timers = clock.lock();
        if timers.now >= self.until {
            return Poll::Ready(());
        }
        let until = self.until;
        let number = *self.number.get_or_insert_with(|| {
            timers.count += 1;
            let number = timers.count;
            timers.waiting.push(Reverse((until, number)));
            number
        });
        timers.wakers.insert(number, context.waker().clone());
        Poll::Pending
    }
}
