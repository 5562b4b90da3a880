//! Threads of one process in many different orders, chosen by a scheduler with a seed: the files under
//! test are compiled once more, with locks that it controls. A wait that nobody ends is found as a
//! deadlock.
//!
//! Orders of transactions of several processes are tried in `tests/it/interleavings.rs`.

#[allow(clippy::duplicate_mod, reason = "compiled once more, with other locks")]
mod hub_of_changes;
#[allow(clippy::duplicate_mod, reason = "compiled once more, with other locks")]
mod pool_of_readers;

/// In the stead of `crate::locks`.
mod locks {
    pub(super) use shuttle::sync::{Arc, Condvar, Mutex, MutexGuard};
}

/// How many orders are tried of each.
const ORDERS: usize = 2_000;
