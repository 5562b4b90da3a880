use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;
use windlass_store::JobFilter;

use super::answers::{JobView, job_table};
use super::jobs;
use crate::budget::fit_items;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};
use crate::paging::Limit;
use crate::view::{Render, View};

pub struct JobList;

/// List jobs of the project, newest first: what was started, by whom, and how it ended.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Only jobs of this command.
    #[serde(default)]
    #[arg(long)]
    pub name: Option<String>,
    /// Only jobs that run.
    #[serde(default)]
    #[arg(long)]
    pub running: bool,
    /// How many to answer, 1 to 100.
    #[serde(default)]
    #[arg(long, default_value_t)]
    pub limit: Limit<20>,
}

/// Jobs, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Jobs {
    pub jobs: Vec<JobView>,
}

impl Render for Jobs {
    fn view(&self) -> View {
        job_table(&self.jobs, "No jobs yet.")
    }
}

impl Operation for JobList {
    type Input = Input;
    type Output = Jobs;

    const DECLARATION: Declaration = Declaration {
        name: "job_list",
        toolset: Toolset::Commands,
        cli: &["jobs"],
        sdk: "jobs.list",
        effect: Effect::Read,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "The last five",
            cli: &["jobs", "--limit", "5"],
            input: r#"{"limit": 5}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<Jobs> {
        let filter = JobFilter {
            unique_name: input.name,
            running: input.running,
            limit: input.limit.page(0)?.limit,
        };
        let mut jobs = jobs::listed(&context, &filter)?;
        fit_items(&mut jobs, context.answer_budget);
        Ok(Jobs { jobs })
    }
}
