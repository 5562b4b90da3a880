//! The specification of a run, as a caller writes it.

pub(crate) mod check;
mod limits;
mod rules;
mod types;

pub use check::{Invalid, Issue};
pub use limits::Limits;
pub use rules::{expectation_pattern, is_environment_name};
pub use types::{EnvRef, Expect, RunSpec, RuntimeName, Seconds, Shell, Step};
