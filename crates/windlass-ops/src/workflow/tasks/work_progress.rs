use crate::prelude::*;
use windlass_core::TaskStatus;

use crate::workflow::common;

pub struct WorkProgress;

/// Count tasks: total, completed, ready, blocked, in review and waiting for a person.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Only what is below this task: its number, or at least 4 hex digits of its id.
    #[serde(default)]
    pub id: Option<Id>,
}

/// The task counts. Tasks counted as ready or blocked are also counted by status.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Counts {
    pub total: u64,
    pub completed: u64,
    pub ready: u64,
    pub blocked: u64,
    pub pending: u64,
    pub in_progress: u64,
    pub in_review: u64,
    pub awaiting_human: u64,
    pub cancelled: u64,
}

impl Render for Counts {
    fn view(&self) -> View {
        let field = |name: &str, count: u64| (name.to_owned(), Span::from(count.to_string()));
        View::default().fields(vec![
            field("total", self.total),
            field("completed", self.completed),
            field("ready", self.ready),
            field("blocked", self.blocked),
            field("in progress", self.in_progress),
            field("in review", self.in_review),
            field("awaiting a person", self.awaiting_human),
            field("cancelled", self.cancelled),
        ])
    }
}

impl ReadOperation for WorkProgress {
    type Input = Input;
    type Output = Counts;

    const DECLARATION: Declaration = Declaration::read("work_progress", Toolset::Workflow)
        .sdk("tasks.progress")
        .examples(&[Example::call("Of the whole project", "{}")]);

    async fn run(context: ReadContext, input: Input) -> Result<Counts> {
        let counts = context.read(|reader| {
            let under = match &input.id {
                Some(id) => Some(common::task(reader, "id", id)?.id),
                None => None,
            };
            reader.work_counts(under.as_ref())
        })?;
        let mut progress = Counts::default();
        for (status, queue, count) in counts {
            progress.total += count;
            match queue {
                Some(1) => progress.ready += count,
                Some(_) => progress.blocked += count,
                None => {}
            }
            match status {
                TaskStatus::Done => progress.completed += count,
                TaskStatus::Skipped | TaskStatus::Cancelled => progress.cancelled += count,
                TaskStatus::InProgress => progress.in_progress += count,
                TaskStatus::InReview => progress.in_review += count,
                TaskStatus::AwaitingHuman => progress.awaiting_human += count,
                TaskStatus::Draft | TaskStatus::Pending | TaskStatus::Blocked => {
                    progress.pending += count;
                }
            }
        }
        Ok(progress)
    }
}
