//! `windlass doctor`: looks at everything that a project needs and says what to do. It changes nothing
//! and runs nothing of the repository.

mod check;
mod clients;
mod commands;
mod disk;
mod git;
mod leftovers;
mod machine;
mod run;
mod settings;
mod state;

pub use run::COMMANDS;
