//! `windlass board`, `windlass watch` and `windlass graph`: the tasks as a person looks at them, live
//! on a terminal, once as text, or as a page in a file.
//!
//! Everything shown comes from operations, and everything done is one: nothing here decides who may
//! do what.

mod card;
mod columns;
mod command;
mod graph;
mod html;
mod live;
mod once;
mod source;

pub use command::COMMANDS;
pub use graph::COMMANDS as GRAPH_COMMANDS;
