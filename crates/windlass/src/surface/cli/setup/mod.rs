//! `windlass setup CLIENT`: makes an MCP client start `windlass mcp` on this project, with an entry
//! in the client's settings, and gives its agents the rules in files and hooks that the client
//! reads by itself. The rest of each file is not changed.

mod answer;
mod clients;
mod command;
mod document;
mod entry;
mod file;
mod hooks;
mod instructions;
mod json;
mod outdated;
mod parts;
mod plan;
mod program;
mod run;
mod section;
mod toml;

pub use answer::diff;
pub use clients::{CLIENTS, Client, Scope};
pub use entry::{is_windlass, words};
pub use file::ConfigFile;
pub use outdated::outdated_files;
pub use parts::starts_windlass;
pub use program::{Program, look_up};
pub use run::COMMANDS;
