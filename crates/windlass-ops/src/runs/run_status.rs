use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;
use windlass_runs::record::RunState;

use super::stored;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct RunStatus;

/// Where a run stands: its status and its times.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The id of the run.
    #[serde(rename = "runId")]
    #[arg(id = "runId", value_name = "RUN_ID")]
    pub run_id: String,
}

impl Operation for RunStatus {
    type Input = Input;
    type Output = RunState;

    const DECLARATION: Declaration = Declaration {
        name: "run_status",
        toolset: Toolset::Runs,
        cli: &["runs", "status"],
        sdk: "runs.status",
        effect: Effect::Read,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Code,
        examples: &[Example {
            about: "The run of the sample",
            cli: &["runs", "status", "run-1"],
            input: r#"{"runId": "run-1"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<RunState> {
        Ok(stored::load(&context, &input.run_id).await?.record.state())
    }
}
