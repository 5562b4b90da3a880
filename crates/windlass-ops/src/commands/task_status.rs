use crate::prelude::*;
use windlass_core::Timestamp;
use windlass_store::JobFilter;

use super::outputs::{JobOutput, job_table};
use super::{jobs, start};

pub struct TaskStatus;

/// List the jobs of one command: running, or ended within the last hour.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The command.
    pub unique_name: String,
}

/// The jobs of a command, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Jobs {
    pub jobs: Vec<JobOutput>,
}

impl Render for Jobs {
    fn view(&self) -> View {
        job_table(&self.jobs, "It is not running.")
    }
}

impl ReadOperation for TaskStatus {
    type Input = Input;
    type Output = Jobs;

    const DECLARATION: Declaration = Declaration::read("task_status", Toolset::Commands)
        .sdk("jobs.status")
        .blocking()
        .cli(&["jobs", "status"])
        .examples(&[Example::new(
            "Whether the build runs",
            &["jobs", "status", "build"],
            r#"{"unique_name": "build"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<Jobs> {
        let keep = context.workspace.commands_config()?.limits().keep_finished;
        let keep = i64::try_from(keep.as_secs()).unwrap_or(i64::MAX);
        let filter = JobFilter {
            unique_name: Some(input.unique_name.clone()),
            limit: 100,
            ..JobFilter::default()
        };
        let now = Timestamp::now().as_millis() / 1000;
        let mut jobs = jobs::listed(&context, &filter)?;
        jobs.retain(|job| {
            job.state == "running" || job.started_at + job.elapsed_seconds + keep >= now
        });
        if jobs.is_empty() {
            // An unknown name is an error; a command without jobs is not.
            let commands = context.workspace.discovery()?.discover();
            if commands.get(&input.unique_name).is_none() {
                return Err(start::no_such_command(&commands, &input.unique_name, ""));
            }
        }
        Ok(Jobs { jobs })
    }
}
