use crate::prelude::*;
use crate::workflow::outputs::Submitted;

pub struct ReviewApprove;

/// Approve work in review. An agent's approval ends the agent phase; a session cannot approve its own
/// work while another session could review it. A person's approval completes the task, or, if gates
/// used up their attempts, lets it pass the gates.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The review: its number, or at least 4 hex digits of its id.
    pub id: Id,
}

impl Operation for ReviewApprove {
    type Input = Input;
    type Output = Submitted;

    const DECLARATION: Declaration = Declaration::write("review_approve", Toolset::Workflow)
        .sdk("reviews.approve")
        .cli(&["reviews", "approve"])
        .examples(&[Example::new(
            "Review 1",
            &["reviews", "approve", "1"],
            r#"{"id": "1"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<Submitted> {
        let phases = context.workspace.phases()?;
        let review = context.write(|writer| writer.approve_review(&input.id.0, phases))?;
        context.read(|reader| Submitted::read(reader, review, context.output_budget))
    }
}
