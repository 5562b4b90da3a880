use crate::prelude::*;
use windlass_core::{Actor, ErrorKind};
use windlass_store::Review;

use crate::workflow::common::changed_since_submission;
use crate::workflow::outputs::Submitted;

pub struct ReviewApprove;

/// Approve work in review. An agent's approval ends the agent phase; a session cannot approve its own
/// work while another session could review it. A person's approval completes the task, or, if gates
/// used up their attempts, lets it pass the gates. Files that changed since the work was submitted keep
/// an agent from approving; a person has to accept them.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The review: its number, or at least 4 hex digits of its id.
    pub id: Id,
    /// Approve although files have changed since the work was submitted. For people.
    #[serde(default)]
    #[arg(long)]
    pub accept_changes: bool,
}

impl Operation for ReviewApprove {
    type Input = Input;
    type Output = Submitted;

    const DECLARATION: Declaration = Declaration::write("review_approve", Toolset::Workflow)
        .sdk("reviews.approve")
        .blocking()
        .cli(&["reviews", "approve"])
        .examples(&[Example::new(
            "Review 1",
            &["reviews", "approve", "1"],
            r#"{"id": "1"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<Submitted> {
        let phases = context.workspace.phases()?;
        let review = context.read(|reader| reader.review(&input.id.0))?;
        let changed = changed_since_submission(&context, &review) == Some(true);
        let accepted = input.accept_changes && context.origin.actor == Actor::Human;
        if changed && !accepted {
            return Err(changed_since(&review, context.origin.actor));
        }
        let review = context.write(|writer| writer.approve_review(&review.id, phases))?;
        let mut answer =
            context.read(|reader| Submitted::read(reader, review, context.output_budget))?;
        if changed {
            answer.message.push_str(
                " Files have changed since the work was submitted: the gates did not see them.",
            );
        }
        Ok(answer)
    }
}

fn changed_since(review: &Review, actor: Actor) -> Error {
    let hint = match actor {
        Actor::Human => {
            "Look at the change with [[review_show]]. Then approve with accept_changes (--accept-changes), or request changes with [[review_request_changes]]."
        }
        Actor::Agent => {
            "Request changes with [[review_request_changes]], so that it is submitted again."
        }
    };
    Error::new(
        ErrorKind::InvalidTransition,
        format!(
            "Files have changed since the work of review {} was submitted: its gates did not see them",
            review.number
        ),
    )
    .with("review_id", review.id.as_str())
    .with("state", review.status.name())
    .with_hint(hint)
}
