//! What a caller may add to a command: arguments that stay arguments, and environment variables
//! that change what the command reads, not what is run.

mod arguments;
mod environment;
mod folder;
mod mentions;
mod shell;
mod variables;

pub use arguments::{check_arguments, full_invocation};
pub use environment::check_environment;
pub use folder::in_another_folder;

/// Why an addition of a caller is rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Refusal {
    pub reason: String,
    /// What the caller can do instead.
    pub hint: String,
}

impl Refusal {
    fn new(reason: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            hint: hint.into(),
        }
    }
}
