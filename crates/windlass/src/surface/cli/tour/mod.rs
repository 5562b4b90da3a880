//! `windlass tour`: plays the loop of a project with real commands in a temporary one.
//!
//! Every step is a process of its own, with the rights of whoever started the tour and no others: where
//! that is no person, the steps of a person are refused as anywhere else, and the tour goes on without
//! them. The tour itself writes no grant, approves nothing and reads no settings of the user.

mod chapters;
mod command;
mod place;
mod play;
mod wait;

pub use command::COMMANDS;
