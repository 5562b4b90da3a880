use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::{Result, Timestamp};
use windlass_store::JobFilter;

use super::answers::{JobView, job_table};
use super::{jobs, start};
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};
use crate::view::{Render, View};

pub struct TaskStatus;

/// List the jobs of one command: those that run, and those that ended within the last hour. There
/// may be several, with different arguments.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The unique name of the command.
    pub unique_name: String,
}

/// The jobs of a command, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Jobs {
    pub jobs: Vec<JobView>,
}

impl Render for Jobs {
    fn view(&self) -> View {
        job_table(&self.jobs, "It is not running.")
    }
}

impl Operation for TaskStatus {
    type Input = Input;
    type Output = Jobs;

    const DECLARATION: Declaration = Declaration {
        name: "task_status",
        toolset: Toolset::Commands,
        cli: &["jobs", "status"],
        sdk: "jobs.status",
        effect: Effect::Read,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Code,
        examples: &[Example {
            about: "Whether the build runs",
            cli: &["jobs", "status", "build"],
            input: r#"{"unique_name": "build"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<Jobs> {
        let keep = context.workshop.config()?.limits().keep_finished;
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
            // A name that never was is a slip; one without jobs is not.
            let catalogue = context.workshop.discovery()?.discover();
            if catalogue.get(&input.unique_name).is_none() {
                return Err(start::no_such_command(&catalogue, &input.unique_name));
            }
        }
        Ok(Jobs { jobs })
    }
}
