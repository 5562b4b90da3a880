use crate::prelude::*;
use windlass_store::JobFilter;

use super::jobs;
use super::outputs::{JobOutput, job_table};

pub struct Status;

/// List all running jobs.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {}

/// The jobs that run now.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Running {
    pub running: Vec<JobOutput>,
}

impl Render for Running {
    fn view(&self) -> View {
        job_table(&self.running, "Nothing is running.")
    }
}

impl ReadOperation for Status {
    type Input = Input;
    type Output = Running;

    const DECLARATION: Declaration = Declaration::read("status", Toolset::Commands)
        .sdk("jobs.running")
        .cli(&["jobs", "running"])
        .examples(&[Example::new("What runs now", &["jobs", "running"], "{}")]);

    async fn run(context: ReadContext, _: Input) -> Result<Running> {
        let filter = JobFilter {
            running: true,
            limit: 1000,
            ..JobFilter::default()
        };
        Ok(Running {
            running: jobs::listed(&context, &filter)?,
        })
    }
}
