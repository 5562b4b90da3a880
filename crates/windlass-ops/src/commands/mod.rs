//! Toolset `commands`: the commands that the repository defines, the jobs that run them, and the
//! allowlist that people maintain. One operation per file.

mod allowlist_allow;
mod allowlist_deny;
mod allowlist_file;
mod allowlist_list;
mod allowlist_revoke;
mod allowlist_wishes;
mod command_show;
mod grant_plan;
mod grants;
mod guard;
mod job_list;
mod jobs;
mod launch;
mod list_tasks;
pub mod local;
mod outputs;
mod pinned_view;
mod record;
mod runner_version;
mod stale_grants;
mod start;
mod status;
mod task_output;
mod task_start;
mod task_status;
mod task_stop;
mod task_wait;
mod waiting;
mod wished_texts;
mod wishes;

pub use allowlist_allow::{Allow, Input as AllowInput};
pub use allowlist_deny::Deny;
pub use allowlist_list::Allowed;
pub use allowlist_revoke::Revoke;
pub use allowlist_wishes::Wishes;
pub use command_show::CommandShow;
pub use grant_plan::GrantPlan;
pub use guard::confirm_text;
pub use job_list::JobList;
pub use jobs::{
    INTERRUPTED as INTERRUPTED_JOB, Place, find as find_job, listed as listed_jobs,
    not_found as job_not_found, orphans as orphaned_jobs,
};
pub use launch::{Choice, Launch};
pub use list_tasks::{Input as ListInput, ListTasks, list as list_commands};
pub use outputs::{JobOutput, exit_code, state_name};
pub use pinned_view::diff_view;
pub use stale_grants::stale_grants;
pub use start::{Wish, inside, look_up, look_up_to_start, start as start_job};
pub use status::Status;
pub use task_output::{Input as OutputInput, Output, StreamName, TaskOutput};
pub use task_start::{Input as StartInput, TaskStart, result_of as start_result};
pub use task_status::TaskStatus;
pub use task_stop::{Input as StopInput, TaskStop};
pub use task_wait::{Input as WaitInput, TaskWait, WaitResult};
pub use waiting::with_progress;
