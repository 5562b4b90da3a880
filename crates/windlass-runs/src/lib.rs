//! Runs: ordered steps with expectations, artifacts, and secrets that stay secret.
//!
//! A caller reads a [`RunSpec`](spec::RunSpec) with `RunSpec::parse`, makes a
//! [`RunRecord`](record::RunRecord) of it with `RunRecord::create`, and hands both to an
//! [`Engine`](engine::Engine), which tells an [`Observer`](engine::Observer) of every transition.
//! [`playbooks`] are stored specs with variables.
//!
//! The crate stores no records, knows no project beyond its folder, reads no environment, asks
//! nobody whether a run is allowed, and prints nothing: all that is the caller's.

pub mod artifacts;
pub mod engine;
mod paths;
pub mod playbooks;
pub mod record;
pub mod runtimes;
pub mod secrets;
pub mod spec;

pub use tokio_util::sync::CancellationToken;
pub use windlass_process::Stream;
