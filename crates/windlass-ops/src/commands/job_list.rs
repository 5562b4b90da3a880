use crate::prelude::*;
use windlass_store::JobFilter;

use super::jobs;
use super::outputs::{JobOutput, job_table};

pub struct JobList;

/// List jobs, newest first.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Of this command.
    #[serde(default)]
    #[arg(long)]
    pub name: Option<String>,
    /// Only running ones.
    #[serde(default)]
    #[arg(long)]
    pub running: bool,
    /// Only the newest one with this PID.
    #[serde(default)]
    #[arg(long)]
    pub pid: Option<i32>,
    /// How many to return, 1 to 100.
    #[serde(default)]
    #[arg(long, default_value_t)]
    pub limit: Limit<20>,
    /// How many to skip.
    #[serde(default)]
    #[arg(long, default_value_t)]
    pub offset: u32,
}

/// Jobs, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Jobs {
    pub jobs: Vec<JobOutput>,
    /// How many match in all.
    pub total: u64,
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
        if let Some(pid) = input.pid {
            let jobs: Vec<JobOutput> = jobs::by_pid(&context, pid)?.into_iter().collect();
            let total = jobs.len() as u64;
            return Ok(Jobs { jobs, total });
        }
        let page = input.limit.page(input.offset)?;
        // Jobs that are not on record yet are merged in, so the page begins at the newest.
        let filter = JobFilter {
            unique_name: input.name,
            running: input.running,
            limit: page.limit.saturating_add(page.offset),
        };
        let mut jobs = jobs::listed(&context, &filter)?;
        let recorded = context.read(|reader| reader.count_jobs(&filter))?;
        let total = recorded.max(jobs.len() as u64);
        let jobs = jobs.split_off(jobs.len().min(page.offset as usize));
        Ok(Jobs { jobs, total })
    }
}
