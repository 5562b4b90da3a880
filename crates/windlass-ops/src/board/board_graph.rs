use std::collections::BTreeSet;

use windlass_core::{Entity, EntityType, Page, TaskStatus};
use windlass_store::{Reader, TaskFilter, Wait};

use super::critical_path::critical_path;
use super::outputs::{numbers, priority_of, status_of, task_status_span};
use crate::outputs::number;
use crate::prelude::*;
use crate::workflow::task_named;

pub struct BoardGraph;

/// Show which open tasks wait for which others, and the critical path: the longest chain of tasks of
/// which each waits for the one before it.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Only tasks of the feature of this name, and what they wait for.
    #[serde(default)]
    #[arg(long)]
    pub feature: Option<String>,
    /// Only tasks below this one, and what they wait for: its number, or at least 4 hex digits of its
    /// id.
    #[serde(default)]
    #[arg(long)]
    pub milestone: Option<Id>,
}

/// A task of the graph.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct GraphTask {
    pub number: i64,
    pub title: String,
    pub status: String,
    pub priority: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// The numbers of the tasks that it waits for, directly.
    pub blocked_by: Vec<i64>,
}

/// The open tasks and what each waits for.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TaskGraph {
    /// By number. Tasks that are cancelled or skipped are included while others still wait for them.
    pub tasks: Vec<GraphTask>,
    /// The numbers of the tasks on the critical path, the first to do first.
    pub critical_path: Vec<i64>,
}

impl Render for TaskGraph {
    fn view(&self) -> View {
        if self.tasks.is_empty() {
            return View::nothing("No open tasks. `windlass tasks create TITLE` creates one.");
        }
        let waiting: Vec<&GraphTask> = self
            .tasks
            .iter()
            .filter(|task| !task.blocked_by.is_empty())
            .collect();
        let mut view = View::default();
        if waiting.is_empty() {
            view = view.line([Span::from("No open task waits for another.")]);
        } else {
            view = self.add_critical_path(view);
            view = view.blank().line([Span::new("Waiting", Style::Strong)]);
            let row = |task: &&GraphTask| {
                vec![
                    number(task.number),
                    task_status_span(&task.status),
                    Span::from(task.title.clone()),
                    Span::from(numbers(&task.blocked_by)),
                ]
            };
            let columns = vec![
                Column::new("#").right(),
                Column::new("STATUS"),
                Column::new("TITLE").shrinking(),
                Column::new("WAITS FOR").shrinking(),
            ];
            view = view.table(columns, waiting.iter().map(row).collect());
        }
        let ended = |task: &&GraphTask| {
            let status = TaskStatus::parse_any(&task.status);
            status.is_some_and(TaskStatus::is_ended)
        };
        let ended = self.tasks.iter().filter(ended).count();
        let (open, waiting) = (self.tasks.len() - ended, waiting.len());
        let line = format!("{open} open tasks, {waiting} of them wait for others");
        view.blank().line([Span::new(line, Style::Dim)])
    }
}

impl TaskGraph {
    fn add_critical_path(&self, view: View) -> View {
        let path = &self.critical_path;
        let heading = format!("Critical path ({} tasks)", path.len());
        let view = view.line([Span::new(heading, Style::Strong)]);
        let tasks = path.iter().filter_map(|number| self.task(*number));
        tasks.fold(view, |view, task| {
            view.line([
                Span::from("  "),
                number(task.number),
                Span::from(format!(" {}  ", task.title)),
                task_status_span(&task.status),
            ])
        })
    }

    fn task(&self, number: i64) -> Option<&GraphTask> {
        let found = self.tasks.binary_search_by_key(&number, |task| task.number);
        found.ok().and_then(|at| self.tasks.get(at))
    }

    fn read(reader: &Reader<'_>, input: &Input) -> Result<Self> {
        if let Some(name) = &input.feature {
            reader.by_name("feature", EntityType::Feature, name)?;
        }
        let above = input.milestone.as_ref();
        let above = above
            .map(|id| task_named(reader, "milestone", id))
            .transpose()?;
        let open = TaskStatus::ALL.into_iter().filter(|it| !it.is_ended());
        let filter = TaskFilter {
            under: above.map(|task| task.id),
            feature: input.feature.clone(),
            statuses: open.collect(),
            ..TaskFilter::default()
        };
        let all = Page {
            limit: u32::MAX,
            offset: 0,
        };
        let mut tasks = reader.tasks(&filter, all)?;
        let mut known: BTreeSet<i64> = tasks.iter().map(|task| task.number).collect();
        let mut waits = reader.open_waits()?;
        waits.retain(|wait| known.contains(&wait.waiting));
        for wait in &waits {
            // Not among those that were asked for, or ended without being done.
            if known.insert(wait.blocker) {
                tasks.push(reader.named("id", &wait.blocker.to_string())?);
            }
        }
        tasks.sort_by_key(|task| task.number);
        Ok(Self {
            critical_path: critical_path(&waits),
            tasks: graph_tasks(tasks, waits),
        })
    }
}

fn graph_tasks(tasks: Vec<Entity>, mut waits: Vec<Wait>) -> Vec<GraphTask> {
    waits.sort_by_key(|wait| (wait.waiting, wait.blocker));
    let blockers = |number: i64| {
        let from = waits.partition_point(|wait| wait.waiting < number);
        let to = waits.partition_point(|wait| wait.waiting <= number);
        waits.get(from..to).unwrap_or_default()
    };
    let task = |task: Entity| GraphTask {
        number: task.number,
        status: status_of(&task).to_owned(),
        priority: priority_of(&task).to_owned(),
        assignee: task.text("assignee").map(str::to_owned),
        blocked_by: blockers(task.number).iter().map(|it| it.blocker).collect(),
        title: task.title,
    };
    tasks.into_iter().map(task).collect()
}

impl ReadOperation for BoardGraph {
    type Input = Input;
    type Output = TaskGraph;

    const DECLARATION: Declaration = Declaration::read("board_graph", Toolset::Board)
        .sdk("board.graph")
        .examples(&[
            Example::call("All open tasks", "{}"),
            Example::call("Those of a feature", r#"{"feature": "auth"}"#),
        ]);

    async fn run(context: ReadContext, input: Input) -> Result<TaskGraph> {
        context.read(|reader| reader.consistently(|reader| TaskGraph::read(reader, &input)))
    }
}
