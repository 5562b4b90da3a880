//! `windlass session launch`: a session, its client, and the wait for its end.

mod client;
mod launch;

pub use launch::COMMANDS;
