//! MCP on stdio.

use std::path::PathBuf;

use windlass_core::Result;
use windlass_ops::{Settings, Toolset};

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
    /// Directives for the log, as in `RUST_LOG`.
    pub log: String,
}

/// Serves until the client goes, a signal comes or the input ends.
pub fn serve(_options: ServeOptions) -> Result<()> {
    Ok(())
}
