//! `windlass session launch`: starts a session and its client, shows what happens, and ends the
//! session with the client.

mod client;
mod launch;
mod live;
mod outcome;
mod printer;
mod process;
mod round;
mod rounds;

pub use launch::COMMANDS;
