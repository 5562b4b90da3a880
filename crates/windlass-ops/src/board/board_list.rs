use crate::prelude::*;
use windlass_core::{Dialect, EntityType};
use windlass_store::{Reader, TaskFilter};

use super::filters;
use super::outputs::{BoardTask, task_table};
use crate::outputs::more_line;
use crate::workflow::task_named;

pub struct BoardList;

/// List tasks, narrowed by any combination of filters. Open tasks come first, by priority, due date and
/// number.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Only these statuses: draft, pending, in_progress, in_review, awaiting_human, blocked, done,
    /// skipped, cancelled. A ! before a status excludes it.
    #[serde(default)]
    #[arg(long, value_delimiter = ',')]
    pub status: Vec<String>,
    /// Only tasks that can be worked on now; false for all others.
    #[serde(default)]
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub ready: Option<bool>,
    /// Only tasks that are blocked, by other tasks or by a person; false for all others.
    #[serde(default)]
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub blocked: Option<bool>,
    /// Only tasks claimed by a session; false for unclaimed ones.
    #[serde(default)]
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub claimed: Option<bool>,
    /// Only tasks claimed by this session.
    #[serde(default)]
    #[arg(long, value_name = "SESSION")]
    pub claimed_by: Option<String>,
    /// Only tasks with this assignee.
    #[serde(default)]
    #[arg(long)]
    pub assignee: Option<String>,
    /// Only tasks of the feature of this name.
    #[serde(default)]
    #[arg(long)]
    pub feature: Option<String>,
    /// Only tasks of the discipline of this name.
    #[serde(default)]
    #[arg(long)]
    pub discipline: Option<String>,
    /// Only tasks right below this one: its number, or at least 4 hex digits of its id.
    #[serde(default)]
    #[arg(long)]
    pub parent: Option<Id>,
    /// milestone, task or subtask.
    #[serde(default)]
    #[arg(long)]
    pub kind: Option<String>,
    /// Only tasks with all these tags.
    #[serde(default)]
    #[arg(long, value_delimiter = ',')]
    pub tag: Vec<String>,
    /// Only these priorities: low, normal, high, urgent.
    #[serde(default)]
    #[arg(long, value_delimiter = ',')]
    pub priority: Vec<PriorityWord>,
    /// overdue, today, none, a date, before:DATE or after:DATE; dates as YYYY-MM-DD.
    #[serde(default)]
    #[arg(long)]
    pub due: Option<String>,
    /// Only tasks that contain all these words.
    #[serde(default)]
    #[arg(long)]
    pub text: Option<String>,
    /// queue (priority, due date, number), number, updated or due; queue if absent.
    #[serde(default)]
    #[arg(long)]
    pub sort: Option<String>,
    /// How many to return, 1 to 100.
    #[serde(default)]
    #[arg(long, default_value_t)]
    pub limit: Limit<50>,
    /// How many to skip.
    #[serde(default)]
    #[arg(long, default_value_t)]
    pub offset: u32,
}

/// A page of tasks.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TaskPage {
    pub tasks: Vec<BoardTask>,
    /// How many match in all.
    pub total: u64,
    pub limit: u32,
    pub offset: u32,
    /// Where the next page begins, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u32>,
}

impl Render for TaskPage {
    fn view(&self) -> View {
        if self.tasks.is_empty() {
            return View::nothing("No tasks match. `windlass tasks create TITLE` creates one.");
        }
        let view = task_table(View::default(), &self.tasks);
        more_line(view, self.tasks.len(), self.offset, Some(self.total))
    }
}

impl ReadOperation for BoardList {
    type Input = Input;
    type Output = TaskPage;

    const DECLARATION: Declaration = Declaration::read("board_list", Toolset::Board)
        .sdk("board.list")
        .cli(&["tasks", "list"])
        .examples(&[
            Example::new("All tasks", &["tasks", "list"], "{}"),
            Example::new(
                "Open tasks with a tag",
                &["tasks", "list", "--status", "!done", "--tag", "auth"],
                r#"{"status": ["!done"], "tag": ["auth"]}"#,
            ),
            Example::new(
                "Ready and unclaimed tasks of a feature",
                &[
                    "tasks",
                    "list",
                    "--feature",
                    "auth",
                    "--ready",
                    "--claimed=false",
                ],
                r#"{"feature": "auth", "ready": true, "claimed": false}"#,
            ),
        ]);

    async fn run(context: ReadContext, input: Input) -> Result<TaskPage> {
        let page = input.limit.page(input.offset)?;
        let order = input.sort.as_deref().unwrap_or("queue");
        let order = filters::order(order)?;
        let (tasks, total) = context.read(|reader| {
            let filter = filter(reader, &context.origin.session, &input)?;
            reader.listed_tasks(&filter, order, page)
        })?;
        let tasks: Vec<BoardTask> = tasks.into_iter().map(BoardTask::from).collect();
        let reached = page.offset + u32::try_from(tasks.len()).unwrap_or(u32::MAX);
        Ok(TaskPage {
            tasks,
            total,
            limit: page.limit,
            offset: page.offset,
            next_offset: (u64::from(reached) < total).then_some(reached),
        })
    }
}

fn filter(reader: &Reader<'_>, session: &str, input: &Input) -> Result<TaskFilter> {
    for (field, kind, name) in [
        ("feature", EntityType::Feature, &input.feature),
        ("discipline", EntityType::Discipline, &input.discipline),
    ] {
        if let Some(name) = name {
            reader.by_name(field, kind, name)?;
        }
    }
    let parent = input.parent.as_ref();
    let parent = parent
        .map(|id| task_named(reader, "parent", id))
        .transpose()?;
    let priorities = input.priority.iter().map(|it| it.parse(Dialect::Canonical));
    let kind = input.kind.as_deref().map(filters::kind).transpose()?;
    Ok(TaskFilter {
        parent: parent.map(|task| task.id),
        kinds: kind.into_iter().collect(),
        statuses: filters::statuses(&input.status)?,
        ready: input.ready,
        session: Some(session.to_owned()),
        blocked: input.blocked,
        claimed: input.claimed,
        claimed_by: input.claimed_by.clone(),
        assignee: input.assignee.clone(),
        feature: input.feature.clone(),
        discipline: input.discipline.clone(),
        tags: input.tag.clone(),
        priorities: priorities.collect::<Result<_>>()?,
        due: input.due.as_deref().map(filters::due).transpose()?,
        text: input.text.clone(),
        ..TaskFilter::default()
    })
}
