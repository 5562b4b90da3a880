//! What is simulated.

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;

/// Simulates many clones with agents that share a plan over object storage. States, packs, exchanges
/// and leases are the real ones; time, the network and the store are simulated.
#[derive(Debug, Parser)]
pub struct Arguments {
    #[arg(long, default_value_t = 100)]
    pub clones: usize,
    /// Agents of each clone.
    #[arg(long, default_value_t = 10)]
    pub agents: usize,
    /// Simulated hours.
    #[arg(long, default_value_t = 24.0)]
    pub hours: f64,
    /// The mean time that an agent works on a task, in minutes.
    #[arg(long, default_value_t = 120.0)]
    pub work_minutes: f64,
    /// Seconds between two exchanges of a clone.
    #[arg(long, default_value_t = 60.0)]
    pub interval: f64,
    /// The latency of a request in milliseconds.
    #[arg(long, default_value_t = 40.0)]
    pub latency: f64,
    /// The mean hours until a clone is cut off, and the mean minutes that this lasts.
    #[arg(long, default_value_t = 6.0)]
    pub up_hours: f64,
    #[arg(long, default_value_t = 10.0)]
    pub down_minutes: f64,
    /// Tasks at the beginning.
    #[arg(long, default_value_t = 3_000)]
    pub tasks: usize,
    /// Packs on the remote past which it is compacted.
    #[arg(long, default_value_t = 2_000)]
    pub compact_after: usize,
    /// Where the states are; a file system in memory makes it faster.
    #[arg(long, default_value = "/dev/shm")]
    pub folder: PathBuf,
}

/// The same for the clones.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    pub clones: usize,
    pub work: Duration,
    pub interval: Duration,
    pub up: Duration,
    pub down: Duration,
    pub compact_after: usize,
    /// The wall clock at the beginning, in milliseconds.
    pub begin: i64,
}

impl Arguments {
    pub fn options(&self) -> Options {
        let seconds = Duration::from_secs_f64;
        Options {
            clones: self.clones,
            work: seconds(self.work_minutes * 60.0),
            interval: seconds(self.interval),
            up: seconds(self.up_hours * 3_600.0),
            down: seconds(self.down_minutes * 60.0),
            compact_after: self.compact_after,
            begin: windlass_core::Timestamp::now().as_millis(),
        }
    }
}
