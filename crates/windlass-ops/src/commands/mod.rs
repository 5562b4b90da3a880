//! Toolset `commands`: what the repository knows how to run, the jobs that run it, and the allowlist
//! that people keep. One operation a file.

mod allow;
mod allowed;
mod answers;
mod deny;
mod door;
mod grants;
mod job_list;
mod jobs;
mod launch;
mod list_tasks;
mod local;
mod owner;
mod record;
mod revoke;
mod start;
mod status;
mod task_output;
mod task_start;
mod task_status;
mod task_stop;
mod task_wait;
mod waiting;
mod workshop;

pub use allow::Allow;
pub use allowed::Allowed;
pub use answers::JobView;
pub use deny::Deny;
pub use door::dead_doors;
pub use job_list::JobList;
pub use jobs::{Place, find as find_job, not_found as job_not_found, orphans as orphaned_jobs};
pub use launch::{Choice, Launch};
pub use list_tasks::ListTasks;
pub use owner::Owner;
pub use revoke::Revoke;
pub use start::{Wish, inside, look_up, start as start_job};
pub use status::Status;
pub use task_output::{Input as OutputInput, Output, StreamName, TaskOutput};
pub use task_start::{Input as StartInput, TaskStart, result_of as start_result};
pub use task_status::TaskStatus;
pub use task_stop::TaskStop;
pub use task_wait::TaskWait;
pub use workshop::{EnvironmentLookup, Host, PRIVATE, Workshop};
