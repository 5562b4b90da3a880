//! Discovers the commands that a repository defines, under unique names, and checks which of them a
//! human allowed.
//!
//! Nothing here executes anything: discovery only reads text and starts no process, not even a
//! runner that only lists commands. The crate reads no environment except `PATH`, and prints
//! nothing.

pub mod allowlist;
mod availability;
mod choice;
mod command;
mod command_set;
mod data;
mod decides;
mod details;
mod discovery;
mod encoding;
mod folders;
pub mod formats;
mod glob;
mod kept;
mod launcher;
mod masked;
mod memo;
mod names;
mod paths;
mod pinner;
mod pins;
pub mod policy;
mod rooted;
mod runner;
mod source;
mod stamp;
mod tracked;
mod walk;

pub use availability::{RunnerLookup, SearchPath};
pub use choice::Choice as NameChoice;
pub use command::{ArgumentStyle, Command, Invocation, Kind, fingerprint};
pub use command_set::CommandSet;
pub use decides::{Decides, How, Place};
pub use discovery::Discovery;
pub use launcher::{Launcher, Provided};
pub use names::assign_unique_names;
pub use pins::{Extent, PinnedFile, Pins};
pub use runner::Runner;
pub use source::{FileContext, FileSource, Found, MemorySource, Problem, ReadError};
pub use stamp::Stamp;
pub use walk::{DefinitionFile, definition_files};
