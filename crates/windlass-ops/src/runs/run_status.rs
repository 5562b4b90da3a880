use crate::prelude::*;
use windlass_runs::record::RunState;

use super::stored;

pub struct RunStatus;

/// Show the status and times of a run.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The id of the run.
    #[serde(rename = "runId")]
    #[arg(id = "runId", value_name = "RUN_ID")]
    pub run_id: String,
}

impl ReadOperation for RunStatus {
    type Input = Input;
    type Output = RunState;

    const DECLARATION: Declaration = Declaration::read("run_status", Toolset::Runs)
        .sdk("runs.status")
        .cli(&["runs", "status"])
        .examples(&[Example::new(
            "The run of the sample",
            &["runs", "status", "run-1"],
            r#"{"runId": "run-1"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<RunState> {
        Ok(stored::load(&context, &input.run_id)?.record.state())
    }
}
