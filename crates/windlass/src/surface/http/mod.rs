//! HTTP: MCP for clients that connect by URL, the plain JSON-RPC endpoint of the runs contract, the
//! dashboard, and health and metrics for people and monitors.
//!
//! The same handler, catalog and operations as on stdio; nothing here knows what a tool does.
//! Only requests that [`admission`] accepts are served.

mod access_log;
mod address;
mod admission;
mod answer;
mod connections;
mod dashboard;
#[cfg(feature = "conformance")]
mod fixture;
mod health;
mod lifecycle;
mod mcp_endpoints;
mod metrics;
mod own_token;
mod peer;
mod plain;
mod quick;
mod routes;
mod sessions;

use std::path::PathBuf;

use windlass_core::Result;
use windlass_ops::{Machine, Naming, Settings, Toolset};

use crate::surface::log_files::LogSettings;
use crate::surface::mcp::OutputSchemas;

#[cfg(not(feature = "conformance"))]
use crate::surface::mcp::Server;

pub use self::admission::Token;
#[cfg(feature = "conformance")]
use self::fixture::{WithFixture as Handler, handler};

/// What handles the requests of a connection.
#[cfg(not(feature = "conformance"))]
type Handler = Server;

/// The handler of a connection.
#[cfg(not(feature = "conformance"))]
fn handler(server: Server) -> Handler {
    server
}

/// The target of our lines in the log.
const LOG: &str = "windlass::http";

/// The longest body that is read. A longer one gets the status 413.
const MAX_BODY: usize = 4 * 1024 * 1024;

/// What `windlass serve` was asked to serve.
pub struct HttpOptions {
    /// The folder to find the project from.
    pub cwd: PathBuf,
    /// Where to listen: `127.0.0.1:3002`.
    pub address: String,
    /// What `/mcp` serves.
    pub toolsets: Vec<Toolset>,
    /// What any endpoint may serve.
    pub available: Vec<Toolset>,
    /// Only operations that change nothing.
    pub read_only: bool,
    pub output_schemas: OutputSchemas,
    pub token: Option<Token>,
    /// Where a token is kept that the server has to make for itself.
    pub token_folder: PathBuf,
    /// Host names that are accepted in addition to the default ones.
    pub allowed_hosts: Vec<String>,
    /// Origins that are accepted in addition to those of this machine.
    pub allowed_origins: Vec<String>,
    pub settings: Settings,
    /// The machine and its user, as jobs need them.
    pub machine: Machine,
    /// Where the dashboard and `windlass dashboard` meet; made for each project.
    pub state_home: PathBuf,
    /// How hints name operations to a person.
    pub naming: Naming,
    /// What is logged, and where to.
    pub log: LogSettings,
}

/// Where the server can be reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    pub url: String,
    /// The file of a token that the server made for itself, because it cannot see who connects.
    pub token_file: Option<PathBuf>,
}

/// Serves until a signal arrives. `announce` is called once, when clients can connect.
pub fn serve(options: HttpOptions, announce: impl FnOnce(&Started)) -> Result<()> {
    lifecycle::run(options, announce)
}
