//! One script for a whole run: compiled from a RunSpec, executed by any POSIX shell anywhere, and
//! understood again from the text that it writes.
//!
//! What executes the script only has to start it, to return its output, and to stop it. Expectations,
//! artifacts and skipped steps are decided in the script, because nothing can answer it from here.

mod compile;
mod expression;
mod frames;
mod glob;
mod machines;

pub use compile::{
    Place, Script, ScriptError, SecretSource, Transfer, UploadAddress, compile, given_name,
};
pub use frames::{Event, FrameReader, Kept, StepResult, Unstarted, Verdict};
pub use machines::Machines;
