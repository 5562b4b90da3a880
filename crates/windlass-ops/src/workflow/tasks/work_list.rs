use crate::prelude::*;
use windlass_core::workflow::TaskKind;
use windlass_core::{Dialect, TaskStatus};
use windlass_store::TaskFilter;

use crate::workflow::common;
use crate::workflow::outputs::{WorkPage, WorkTask};

pub struct WorkList;

/// List tasks by number: all, those under a parent, or those of some kind or status.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Only those right below this task; "none" for those without a parent.
    #[serde(default)]
    #[arg(long)]
    pub parent_id: Option<Id>,
    /// Only these kinds: milestone, task, subtask.
    #[serde(default)]
    #[arg(long)]
    pub kind: Vec<String>,
    /// Only these statuses: pending, in_progress, in_review, awaiting_human, blocked, completed, cancelled.
    #[serde(default)]
    #[arg(long)]
    pub status: Vec<String>,
    /// Only those that can be worked on now.
    #[serde(default)]
    #[arg(long)]
    pub ready: bool,
    #[serde(flatten, deserialize_with = "crate::input::part")]
    #[command(flatten)]
    pub paging: Paging<20>,
}

impl ReadOperation for WorkList {
    type Input = Input;
    type Output = WorkPage;

    const DECLARATION: Declaration = Declaration::read("work_list", Toolset::Workflow)
        .sdk("tasks.list")
        .examples(&[
            Example::call("What is in review", r#"{"status": ["in_review"]}"#),
            Example::call("What has no parent", r#"{"parent_id": "none", "limit": 5}"#),
        ]);

    async fn run(context: ReadContext, input: Input) -> Result<WorkPage> {
        let page = input.paging.page()?;
        let kinds = input.kind.iter().map(|word| {
            TaskKind::parse(word).ok_or_else(|| Error::invalid_enum("kind", word, &TaskKind::NAMES))
        });
        let kinds = kinds.collect::<Result<Vec<_>>>()?;
        let mut statuses: Vec<TaskStatus> = Vec::new();
        for word in &input.status {
            common::status(word)?;
            statuses.extend(Dialect::Sdk.statuses_shown_as(word));
        }
        let (tasks, page) = read_page(page, |page| {
            context.read(|reader| {
                let roots = input.parent_id.as_ref().is_some_and(|id| id.0 == "none");
                let parent = match &input.parent_id {
                    Some(id) if !roots => Some(common::task(reader, "parent_id", id)?.id),
                    _ => None,
                };
                let filter = TaskFilter {
                    parent,
                    roots,
                    kinds,
                    statuses,
                    ready: input.ready.then_some(true),
                    ..TaskFilter::default()
                };
                let tasks = reader.tasks(&filter, page)?;
                tasks
                    .into_iter()
                    .map(|task| WorkTask::read(reader, task))
                    .collect()
            })
        })?;
        Ok(WorkPage { tasks, page })
    }
}
