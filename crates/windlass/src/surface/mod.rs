//! The surfaces for people and agents. Each loops over the list of operations.

pub mod cli;
mod dashboard_folder;
pub mod environment;
pub mod http;
mod log_files;
pub mod mcp;
mod memory;
mod os;
mod package_index;
pub mod person;
mod redact;
mod search_path;
mod signals;
