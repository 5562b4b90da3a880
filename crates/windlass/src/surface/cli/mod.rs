//! The command line: a tree of commands for people, and `windlass call` for every operation.
//!
//! It holds no rules of the domain. It parses, calls, renders and reports; only `output` writes to
//! the standard streams.

mod board;
mod bundle;
mod caller;
mod commands;
mod confirm;
mod dashboard;
mod dispatch;
mod doctor;
mod editor;
mod execute;
mod exit_codes;
mod global;
mod hook;
mod init;
mod input;
mod long_text;
mod output;
mod own_command;
mod pager;
mod prime;
mod quote;
pub mod reference;
mod render;
mod report;
mod repository_commands;
mod serve;
mod serve_http;
mod session;
mod setup;
mod steps;
mod sync;
mod text;
mod tour;
mod tree;
mod trust;

pub use commands::call::words_of as call_words;
pub use dispatch::main;
pub use exit_codes::EXIT_CODES;
pub use own_command::own_commands;
pub use quote::command_line;
pub use text::typed_command;
pub use tree::full as command;
