//! Runs: ordered steps with expectations, artifacts, and secrets that stay secret.
pub mod artifacts;
mod paths;
pub mod record;
pub mod secrets;
pub mod spec;
