//! `windlass setup CLIENT`: has an MCP client start `windlass mcp` on this project, by an entry in
//! the client's own settings. What else is in the file stays as it is.

mod answer;
mod clients;
mod command;
mod document;
mod entry;
mod file;
mod json;
mod plan;
mod program;
mod run;
mod toml;

pub use clients::{CLIENTS, Client, Scope};
pub use entry::{is_windlass, words};
pub use file::ConfigFile;
pub use program::{Program, look_up};
pub use run::COMMANDS;
