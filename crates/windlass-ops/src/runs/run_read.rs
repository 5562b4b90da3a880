use crate::prelude::*;
use windlass_runs::record::FullRun;

use super::stored;

pub struct RunRead;

/// Show all details of a run: its status and each step with its exit code, times and the end of its
/// output.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The id of the run.
    #[serde(rename = "runId")]
    #[arg(id = "runId", value_name = "RUN_ID")]
    pub run_id: String,
}

impl ReadOperation for RunRead {
    type Input = Input;
    type Output = FullRun;

    const DECLARATION: Declaration = Declaration::read("run_read", Toolset::Runs)
        .sdk("runs.read")
        .blocking()
        .cli(&["runs", "read"])
        .examples(&[Example::new(
            "The run of the sample with its outputs",
            &["runs", "read", "run-1"],
            r#"{"runId": "run-1"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<FullRun> {
        let mut run = stored::load(&context, &input.run_id)?;
        if run.is_left {
            context.jobs.show_left_outputs(&mut run.record).await?;
        }
        Ok(run.record.full())
    }
}
