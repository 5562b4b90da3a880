use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;
use windlass_runs::record::{CreatedRun, NewRun};

use super::stored;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct RunRerun;

/// Make a new run of the same specification as an earlier one. It is created, not executed.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The id of the run.
    #[serde(rename = "runId")]
    #[arg(id = "runId", value_name = "RUN_ID")]
    pub run_id: String,
}

impl Operation for RunRerun {
    type Input = Input;
    type Output = CreatedRun;

    const DECLARATION: Declaration = Declaration {
        name: "run_rerun",
        toolset: Toolset::Runs,
        cli: &["runs", "rerun"],
        sdk: "runs.rerun",
        effect: Effect::Write,
        idempotent: false,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "Once more",
            cli: &["runs", "rerun", "run-1"],
            input: r#"{"runId": "run-1"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<CreatedRun> {
        let earlier = stored::load(&context, &input.run_id).await?;
        let mut plan = earlier.plan;
        plan.spec.run_id = None;
        let new = NewRun {
            parent_run_id: Some(input.run_id),
            playbook_id: earlier.record.playbook_id().map(str::to_owned),
        };
        Ok(stored::create(&context, plan, new)?.created())
    }
}
