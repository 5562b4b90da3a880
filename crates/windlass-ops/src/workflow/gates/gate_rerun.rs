use crate::prelude::*;
use crate::workflow::outputs::Submitted;
use crate::workflow::{common, gates};

pub struct GateRerun;

/// Run gates of a review again on the current state of the work: those that failed, or the named one.
/// Gates whose process has exited are taken over, and the answer waits for them. Each failure counts
/// as an attempt; when none is left, only a person can do this.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The review: its number, or at least 4 hex digits of its id.
    pub review_id: Id,
    /// The name of a gate, or its id.
    #[serde(default)]
    #[arg(long)]
    pub gate: Option<String>,
    /// Wait until the gates have finished.
    #[serde(default)]
    #[arg(long)]
    pub wait: bool,
}

impl Operation for GateRerun {
    type Input = Input;
    type Output = Submitted;

    const DECLARATION: Declaration = Declaration::execute("gate_rerun", Toolset::Workflow)
        .sdk("gates.rerun")
        .cli(&["gates", "rerun"])
        .long_running()
        .examples(&[Example::new(
            "What failed in review 2",
            &["gates", "rerun", "2", "--wait"],
            r#"{"review_id": "2", "wait": true}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<Submitted> {
        let (review, gate) = (input.review_id.0, input.gate);
        let (review, taken_over) = context
            .offload(move |context| {
                let phases = context.workspace.phases()?;
                context.write(|writer| {
                    let found = writer.review(&review)?;
                    // Nothing failed: the process that ran them has exited.
                    if gates::is_abandoned(writer, &found)? {
                        return Ok((found, true));
                    }
                    let rerun = writer.rerun_gates(&review, gate.as_deref(), phases)?;
                    Ok((rerun, false))
                })
            })
            .await?;
        common::answer_with_gates(&context, review, input.wait || taken_over).await
    }
}
