use crate::prelude::*;
use crate::workflow::common;
use crate::workflow::handover::Handover;
use crate::workflow::outputs::Submitted;

pub struct WorkSubmit;

/// Submit a task for review: creates a review and runs its gates. Returns the review immediately, or
/// with wait when the gates have finished: which failed, why, and what to do. After failed gates, fix
/// the work and submit again.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its number, or at least 4 hex digits of its id.
    pub id: Id,
    /// Wait until the gates have finished.
    #[serde(default)]
    #[arg(long)]
    pub wait: bool,
}

impl Operation for WorkSubmit {
    type Input = Input;
    type Output = Submitted;

    const DECLARATION: Declaration = Declaration::execute("work_submit", Toolset::Workflow)
        .sdk("tasks.submit")
        .long_running()
        .examples(&[Example::call(
            "Task 12, with its gates",
            r#"{"id": "12", "wait": true}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<Submitted> {
        let id = input.id;
        let review = context
            .offload(move |context| {
                let task = context.read(|reader| common::task(reader, "id", &id))?;
                let handover = Handover::gather(context, &task)?;
                context.write(|writer| handover.submit(writer, &task))
            })
            .await?;
        common::answer_with_gates(&context, review, input.wait).await
    }
}
