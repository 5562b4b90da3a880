use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;
use windlass_runs::record::FullRun;

use super::stored;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct RunRead;

/// Everything about a run: its status and each step with its exit code, its times and the end of its
/// output.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The id of the run.
    #[serde(rename = "runId")]
    #[arg(id = "runId", value_name = "RUN_ID")]
    pub run_id: String,
}

impl Operation for RunRead {
    type Input = Input;
    type Output = FullRun;

    const DECLARATION: Declaration = Declaration {
        name: "run_read",
        toolset: Toolset::Runs,
        cli: &["runs", "read"],
        sdk: "runs.read",
        effect: Effect::Read,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Code,
        examples: &[Example {
            about: "The run of the sample with its outputs",
            cli: &["runs", "read", "run-1"],
            input: r#"{"runId": "run-1"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<FullRun> {
        Ok(stored::load(&context, &input.run_id).await?.record.full())
    }
}
