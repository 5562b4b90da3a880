//! `windlass init`: makes a folder a project, looks at what is there, and says what to do next.
//!
//! It changes nothing outside of `.windlass`, runs nothing of the repository and allows nothing. A plan
//! that it finds is imported only when it was asked to.

mod answer;
mod command;
mod detect;
mod plans;
mod proposals;

pub use command::COMMANDS;
