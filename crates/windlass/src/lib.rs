//! The surfaces of Windlass: the command line and MCP. No SQL, no Loro, no rules of the domain.

mod start;
pub mod surface;

pub use start::main;

/// The hidden first argument that makes this program the shim of a job.
pub const SHIM: &str = "__shim";

/// The hidden first argument that makes this program a worker for scripts.
pub const WORKER: &str = "__worker";

/// The hidden first argument that makes this program print the documents under `docs/`.
pub const DOCUMENTS: &str = "__docs";
