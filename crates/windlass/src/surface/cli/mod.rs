//! The command line: one command for each operation, made from the same list as every other
//! surface.
//!
//! It holds no rules of the domain. It parses, calls, renders and reports; only `output` writes to
//! the standard streams.

mod confirm;
mod dispatch;
mod doctor;
mod exec;
mod execute;
mod exit_codes;
mod global;
mod init;
mod input;
mod output;
mod quote;
pub mod reference;
mod render;
mod report;
mod run;
mod serve;
mod serve_http;
mod session;
mod setup;
mod steps;
mod text;
mod tree;

pub use dispatch::main;
