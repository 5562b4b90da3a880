//! Runs: ordered steps with expectations, artifacts, and secrets that stay secret.
//!
//! A caller parses a [`RunSpec`](spec::RunSpec) with `RunSpec::parse`, creates a
//! [`RunRecord`](record::RunRecord) from it with `RunRecord::create`, and passes both to an
//! [`Engine`](engine::Engine), which notifies an [`Observer`](engine::Observer) of every
//! transition. [`playbooks`] are stored specs with variables.
//!
//! The crate stores no records, knows nothing of the project except its folder, reads no
//! environment, does not check whether a run is allowed, and prints nothing: these are the caller's
//! tasks.

pub mod artifacts;
pub mod engine;
pub mod hosts;
mod paths;
pub mod playbooks;
pub mod record;
pub mod runtimes;
pub mod script;
pub mod secrets;
pub mod spec;

pub use tokio_util::sync::CancellationToken;
pub use windlass_process::Stream;
