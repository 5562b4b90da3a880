//! Being notified of commits, whichever process made them.
//!
//! A [`Changes`] says that something was committed, never what: whoever waits reads the state again
//! and decides. One thread per store watches for the commits of other processes; it is started with
//! the first handle and ends with the store. There is no async runtime here: the future registers a
//! waker, and whoever notices the commit wakes it.

mod board;
mod hub;
mod watcher;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::locks;
use board::Board;
pub(crate) use watcher::Watcher;

/// Waits for commits. It remembers up to which commit it has reported, so that none is lost between
/// two waits: read the state, wait, read again.
///
/// Several commits may be reported as one, and a wait may end without a commit, for example right
/// after the first handle was made. After the store was dropped nothing is reported any more.
pub struct Changes {
    board: Arc<Board>,
    id: u64,
    seen: u64,
}

impl Changes {
    fn new(board: Arc<Board>) -> Self {
        let (id, seen) = board.enter();
        Self { board, id, seen }
    }

    /// Resolves as soon as something was committed that this handle has not reported yet.
    pub fn changed(&mut self) -> Changed<'_> {
        Changed { changes: self }
    }

    /// Like [`Changes::changed`], for threads: false if nothing was committed in time.
    pub fn wait(&mut self, timeout: Duration) -> bool {
        match self.board.wait(self.seen, timeout) {
            Some(generation) => {
                self.seen = generation;
                true
            }
            None => false,
        }
    }
}

/// The future of [`Changes::changed`]. It can be dropped at any time without losing a commit.
#[must_use = "nothing is waited for unless the future is awaited"]
pub struct Changed<'a> {
    changes: &'a mut Changes,
}

impl Future for Changed<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Changes { board, id, seen } = &mut *self.changes;
        match board.poll(*id, *seen, context.waker()) {
            Some(generation) => {
                *seen = generation;
                Poll::Ready(())
            }
            None => Poll::Pending,
        }
    }
}

impl Drop for Changed<'_> {
    fn drop(&mut self) {
        self.changes.board.forget(self.changes.id);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::task::Wake;

    use super::board::Board;

    #[derive(Default)]
    struct Count(AtomicU32);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn who_waits_is_woken_once_and_who_stopped_waiting_is_not() {
        let board = Board::default();
        let (first, second) = (Arc::<Count>::default(), Arc::<Count>::default());
        for (id, count) in [(1, &first), (2, &second), (1, &first)] {
            assert_eq!(board.poll(id, 0, &Arc::clone(count).into()), None);
        }
        board.forget(2);
        board.advance().wake();
        board.advance().wake();
        assert_eq!(first.0.load(Ordering::Relaxed), 1);
        assert_eq!(second.0.load(Ordering::Relaxed), 0);
        assert_eq!(board.poll(2, 0, &second.into()), Some(2));
        assert_eq!(board.waiting(), 0);
    }
}
