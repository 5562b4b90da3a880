use crate::prelude::*;
use windlass_runs::record::{CreatedRun, NewRun};

use super::stored;

pub struct RunRerun;

/// Create a new run with the specification of an earlier one, without executing it.
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

    const DECLARATION: Declaration = Declaration::write("run_rerun", Toolset::Runs)
        .sdk("runs.rerun")
        .cli(&["runs", "rerun"])
        .errors(ErrorStyle::Result)
        .examples(&[Example::new(
            "Run it again",
            &["runs", "rerun", "run-1"],
            r#"{"runId": "run-1"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<CreatedRun> {
        let earlier = stored::load(&context, &input.run_id)?;
        let mut plan = earlier.plan;
        plan.spec.run_id = None;
        let new = NewRun {
            parent_run_id: Some(input.run_id),
            playbook_id: earlier.record.playbook_id().map(str::to_owned),
        };
        Ok(stored::create(&context, plan, new)?.created())
    }
}
