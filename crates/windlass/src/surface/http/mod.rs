//! HTTP: MCP for clients that connect by URL, the plain JSON-RPC socket of seed 001, and what people
//! and monitors ask a server.
//!
//! The same handler, catalog and operations as on stdio; nothing here knows what a tool does.
//! Nothing is served to a request that [`admission`] did not let in.

mod access_log;
mod address;
mod admission;
mod answer;
mod connections;
#[cfg(feature = "conformance")]
mod fixture;
mod health;
mod lifecycle;
mod mcp_endpoints;
mod metrics;
mod plain;
mod routes;
mod sessions;

use std::path::PathBuf;

use windlass_core::Result;
use windlass_ops::{Machine, Settings, Toolset};

#[cfg(not(feature = "conformance"))]
use crate::surface::mcp::Server;

pub use self::admission::Token;
#[cfg(feature = "conformance")]
use self::fixture::handler;

/// What answers the requests of a connection.
#[cfg(not(feature = "conformance"))]
fn handler(server: Server) -> Server {
    server
}

/// The target of our lines in the log.
const LOG: &str = "windlass::http";

/// The longest body that is read. What is longer is answered with 413.
const MAX_BODY: usize = 4 * 1024 * 1024;

/// What `windlass serve` was asked to serve.
pub struct HttpOptions {
    /// The folder to find the project from.
    pub cwd: PathBuf,
    /// Where to listen: `127.0.0.1:3002`.
    pub address: String,
    /// What `/mcp` serves.
    pub toolsets: Vec<Toolset>,
    /// What any socket may serve.
    pub available: Vec<Toolset>,
    /// Only operations that change nothing.
    pub read_only: bool,
    pub token: Option<Token>,
    /// Names under which the server may be asked, beside those that are always right.
    pub allowed_hosts: Vec<String>,
    /// Web pages that may ask, beside those of this machine.
    pub allowed_origins: Vec<String>,
    pub settings: Settings,
    /// The machine and its user, as jobs need them.
    pub machine: Machine,
    /// Directives for the log, as in `RUST_LOG`.
    pub log: String,
}

/// Where the server can be reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    pub url: String,
}

/// Serves until a signal comes. `announce` is called once, when clients can connect.
pub fn serve(options: HttpOptions, announce: impl FnOnce(&Started)) -> Result<()> {
    lifecycle::run(options, announce)
}
