use crate::prelude::*;
use windlass_store::JobFilter;

use super::jobs;
use super::outputs::{JobOutput, job_table};

pub struct JobList;

/// List jobs, newest first: what was started, by whom, and how it ended.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Only of this command.
    #[serde(default)]
    #[arg(long)]
    pub name: Option<String>,
    /// Only running ones.
    #[serde(default)]
    #[arg(long)]
    pub running: bool,
    /// How many to return, 1 to 100.
    #[serde(default)]
    #[arg(long, default_value_t)]
    pub limit: Limit<20>,
}

/// Jobs, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Jobs {
    pub jobs: Vec<JobOutput>,
}

impl Render for Jobs {
    fn view(&self) -> View {
        job_table(&self.jobs, "No jobs yet.")
    }
}

impl ReadOperation for JobList {
    type Input = Input;
    type Output = Jobs;

    const DECLARATION: Declaration = Declaration::read("job_list", Toolset::Commands)
        .sdk("jobs.list")
        .cli(&["jobs"])
        .errors(ErrorStyle::Result)
        .examples(&[Example::new(
            "The last five",
            &["jobs", "--limit", "5"],
            r#"{"limit": 5}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<Jobs> {
        let filter = JobFilter {
            unique_name: input.name,
            running: input.running,
            limit: input.limit.page(0)?.limit,
        };
        let jobs = jobs::listed(&context, &filter)?;
        Ok(Jobs { jobs })
    }
}
