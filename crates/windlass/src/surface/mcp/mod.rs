//! MCP: the handler behind every connection, and the transport on stdio.
//!
//! It loops over the list of operations and has no rules itself. On stdio, only protocol messages
//! are written to standard output.

mod call_counts;
mod call_log;
mod content;
mod errors;
#[cfg(test)]
mod fixture;
mod hub;
mod info;
mod lifecycle;
mod log;
mod published_schema;
mod server;
#[cfg(test)]
mod tests;
mod tool_catalog;
mod tools;
mod transport;

use std::path::PathBuf;

use windlass_core::Result;
use windlass_ops::{Machine, Settings, Toolset};

use self::log::LOG;
use super::log_files::LogSettings;

// Shared with the HTTP surface.
pub(super) use self::call_counts::CallCounts;
pub(super) use self::call_log::LoggedCall;
pub(super) use self::errors::{Fault, unknown_tool};
pub(super) use self::lifecycle::{
    BLOCKING_THREADS, KEEP_THREADS, LEAVE_WITHIN, embed_texts, export_spans, flush_spans,
    fresh_session, import_packs, keep_serving, prepare_scripts, sweep, sync_remote,
};
pub(super) use self::log::{RequestLog, flush as flush_log, install as install_log};
pub(super) use self::server::{
    Answer, Offered, QuickCalls, Server, Shared, WeakQuickCalls, answer_of, idempotency_key,
};
pub use self::tool_catalog::OutputSchemas;
pub(super) use self::tool_catalog::ToolCatalog;
pub(super) use self::tools::{SessionTools, Tools};
pub(super) use self::transport::{Parsed, ToolCall, invalid_request, parse_call, parse_line};

/// The session that a server works for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionName {
    /// A session that must be on record.
    Recorded(String),
    /// A name that may be on record.
    Any(String),
}

/// What `windlass mcp` was asked to serve.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// The folder to find the project from.
    pub cwd: PathBuf,
    pub toolsets: Vec<Toolset>,
    /// Only operations that change nothing.
    pub read_only: bool,
    pub output_schemas: OutputSchemas,
    /// The name that claims and events carry; a fresh one if absent.
    pub session: Option<SessionName>,
    pub settings: Settings,
    /// The machine and its user, as jobs need them.
    pub machine: Machine,
    /// What is logged, and where to.
    pub log: LogSettings,
}

/// Serves until the client disconnects, a signal arrives or the input ends.
pub fn serve(options: ServeOptions) -> Result<()> {
    lifecycle::run(options)
}
