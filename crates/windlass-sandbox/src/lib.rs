//! Code mode: runs scripts of agents in a process that has only a pipe to its host.
//!
//! A [`Pool`] keeps a few *workers*: processes of the same executable, started with a hidden first
//! argument that makes it call [`worker_main`]. A worker receives source text, turns it into
//! JavaScript, and runs it in a fresh engine; calls of the SDK go through the pipe to a
//! [`CallHandler`]. The worker cannot open files, connections or processes, and it is killed soon
//! after the deadline whatever it does, because no limit inside an engine holds against every
//! script.
//!
//! This crate knows nothing of operations, projects or protocols: it receives a table of methods
//! and a host that handles them. It is the only crate that uses rquickjs and oxc.

mod call_handler;
mod limits;
mod method;
mod os;
mod outcome;
mod pool;
mod spin;
mod wire;
mod worker;

pub use call_handler::{CallError, CallFuture, CallHandler};
pub use limits::{Limits, MAX_CODE_BYTES};
pub use method::{Method, camel_case};
pub use outcome::{
    CallEnd, CallRecord, ErrorCode, Failure, Level, LogEntry, Outcome, SourceLocation,
};
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
