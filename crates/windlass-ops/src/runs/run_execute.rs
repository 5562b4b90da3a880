use crate::prelude::*;
use windlass_runs::record::ExecutedRun;

use super::execution;

pub struct RunExecute;

/// Execute a created run, once: its steps in order, until one does not meet its expectations. Returns
/// when it has ended, or with wait false once it has started.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The id of the run.
    #[serde(rename = "runId")]
    #[arg(id = "runId", value_name = "RUN_ID")]
    pub run_id: String,
    /// Wait until it has ended.
    #[serde(default = "yes")]
    #[arg(long, default_value_t = true, action = clap::ArgAction::Set)]
    pub wait: bool,
}

fn yes() -> bool {
    true
}

impl Operation for RunExecute {
    type Input = Input;
    type Output = ExecutedRun;

    const DECLARATION: Declaration = Declaration::execute("run_execute", Toolset::Runs)
        .sdk("runs.execute")
        .cli(&["runs", "execute"])
        .long_running()
        .examples(&[Example::new(
            "The run of the sample",
            &["runs", "execute", "run-2"],
            r#"{"runId": "run-2"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<ExecutedRun> {
        let record = execution::execute(&context, &input.run_id, input.wait).await?;
        Ok(record.executed())
    }
}
