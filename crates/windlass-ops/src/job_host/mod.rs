//! Everything that starts other processes: the jobs of the repository's commands, the steps of runs,
//! gates, and the workers of scripts. One host, one way to shut it down.

mod alive;
mod command_jobs;
mod gate_executor;
mod host;
mod machine;
mod owner;
mod run_executor;
mod socket;

pub use command_jobs::CommandJobs;
pub use gate_executor::GateExecutor;
pub use host::{JobHost, Lifetime};
pub use machine::{EnvironmentLookup, Machine, OF_A_JOB, PRIVATE, StorageVariables};
pub use owner::Owner;
pub use socket::{Request, ask, dead_job_sockets};
