//! Code mode: scripts of agents, run in a process that has nothing but a pipe to its host.
//!
//! A [`Pool`] keeps a few *workers*: the same executable, started with a hidden first word that
//! calls [`worker_main`]. A worker gets source text, makes JavaScript of it, and runs it in a fresh
//! engine; what the script asks of the SDK crosses the pipe and is answered by a [`CallHandler`]. The
//! worker can open no file, no connection and no process, and it is killed soon after the deadline
//! whatever it does, because no limit inside of an engine holds against every script.
//!
//! This crate knows nothing of operations, projects or protocols: it is given a table of methods
//! and a host that answers them. It is the only one that names rquickjs and oxc.

mod call_handler;
mod limits;
mod method;
mod outcome;
mod pool;
mod wire;
mod worker;

pub use call_handler::{CallError, CallFuture, CallHandler};
pub use limits::{Limits, MAX_CODE_BYTES};
pub use method::{Method, camel_case};
pub use outcome::{CallEnd, CallRecord, ErrorCode, Failure, Level, LogEntry, Outcome, Place};
pub use pool::{Pool, PoolOptions, Request, WorkerCommand};
pub use worker::worker_main;

/// For the fuzz target of the bridge.
#[doc(hidden)]
pub mod fuzzing {
    /// Reads `bytes` as either side of the bridge would.
    pub fn read_as_both_sides(bytes: &[u8]) {
        crate::wire::read_as_both_sides(bytes);
    }
}
