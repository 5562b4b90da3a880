use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;
use windlass_runs::record::ExecutedRun;

use super::execution;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct RunExecute;

/// Execute a run that was created, once: its steps in order, until one does not do what is expected of
/// it. Answers when it has ended, unless it is not to be waited for.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The id of the run.
    #[serde(rename = "runId")]
    #[arg(id = "runId", value_name = "RUN_ID")]
    pub run_id: String,
    /// Whether to wait for its end.
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

    const DECLARATION: Declaration = Declaration {
        name: "run_execute",
        toolset: Toolset::Runs,
        cli: &["runs", "execute"],
        sdk: "runs.execute",
        effect: Effect::Execute,
        idempotent: false,
        long_running: true,
        audience: Audience::Anyone,
        errors: ErrorStyle::Code,
        examples: &[Example {
            about: "The run of the sample",
            cli: &["runs", "execute", "run-2"],
            input: r#"{"runId": "run-2"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<ExecutedRun> {
        let record = execution::execute(&context, &input.run_id, input.wait).await?;
        Ok(record.executed())
    }
}
