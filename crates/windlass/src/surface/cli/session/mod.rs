//! `windlass session launch`: starts a session and its client, and waits until the client exits.

mod client;
mod launch;

pub use launch::COMMANDS;
