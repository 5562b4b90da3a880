//! MCP on stdio.
//!
//! The only place that knows the protocol. It loops over the list of operations and holds no rule
//! of its own; nothing but protocol messages is ever written to standard output.

mod call;
mod catalogue;
mod content;
mod errors;
#[cfg(test)]
mod fixture;
mod hub;
mod info;
mod lifecycle;
mod log;
mod pace;
mod server;
#[cfg(test)]
mod tests;
mod transport;

use std::path::PathBuf;

use windlass_core::Result;
use windlass_ops::{Host, Settings, Toolset};

use self::log::LOG;

/// What `windlass mcp` was asked to serve.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// The folder to find the project from.
    pub cwd: PathBuf,
    pub toolsets: Vec<Toolset>,
    /// Only operations that change nothing.
    pub read_only: bool,
    /// The name that claims and events carry; a fresh one if absent.
    pub session: Option<String>,
    pub settings: Settings,
    /// The machine and its user, as jobs need them.
    pub host: Host,
    /// Directives for the log, as in `RUST_LOG`.
    pub log: String,
}

/// Serves until the client goes, a signal comes or the input ends.
pub fn serve(options: ServeOptions) -> Result<()> {
    lifecycle::run(options)
}
