use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;
use windlass_store::JobFilter;

use super::answers::{JobView, job_table};
use super::jobs;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};
use crate::view::{Render, View};

pub struct Status;

/// List all running jobs of the project, whoever started them.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {}

/// The jobs that run now.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Running {
    pub running: Vec<JobView>,
}

impl Render for Running {
    fn view(&self) -> View {
        job_table(&self.running, "Nothing is running.")
    }
}

impl Operation for Status {
    type Input = Input;
    type Output = Running;

    const DECLARATION: Declaration = Declaration {
        name: "status",
        toolset: Toolset::Commands,
        cli: &["jobs", "running"],
        sdk: "jobs.running",
        effect: Effect::Read,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Code,
        examples: &[Example {
            about: "What runs now",
            cli: &["jobs", "running"],
            input: "{}",
        }],
    };

    async fn run(context: Context, _: Input) -> Result<Running> {
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
