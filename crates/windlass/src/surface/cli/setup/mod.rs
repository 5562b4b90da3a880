//! `windlass setup CLIENT`: makes an MCP client start `windlass mcp` on this project, with an entry
//! in the client's settings. The rest of the file is not changed.

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
