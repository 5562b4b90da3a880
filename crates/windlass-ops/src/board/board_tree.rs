use crate::prelude::*;
use windlass_core::TaskStatus;
use windlass_store::{TaskFilter, TaskOrder};

use super::outputs::{BoardTask, task_table};
use crate::outputs::more_line;
use crate::workflow::task_named;

pub struct BoardTree;

/// List one level of the tree of milestones, tasks and subtasks: the tasks below one, or those with
/// nothing above them, each with how much below it is done. What is made of parts comes first.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The task whose parts are listed: its number, or at least 4 hex digits of its id. Those with
    /// nothing above them if absent.
    #[serde(default)]
    #[arg(long)]
    pub parent: Option<Id>,
    /// Only tasks that have not ended.
    #[serde(default)]
    #[arg(long)]
    pub open: bool,
    #[serde(flatten, deserialize_with = "crate::input::part")]
    #[command(flatten)]
    pub paging: Paging<50>,
}

/// A task of the tree.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TreeTask {
    #[serde(flatten)]
    pub task: BoardTask,
    /// How many tasks without parts of their own are below it, at any depth.
    pub parts: u64,
    /// How many of them have ended.
    pub parts_ended: u64,
}

/// A page of one level of the tree.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TreeLevel {
    pub tasks: Vec<TreeTask>,
    /// How many there are on this level.
    pub total: u64,
    pub limit: u32,
    pub offset: u32,
}

impl Render for TreeLevel {
    fn view(&self) -> View {
        if self.tasks.is_empty() {
            return View::nothing("No tasks on this level.");
        }
        let tasks: Vec<BoardTask> = self.tasks.iter().map(|one| one.task.clone()).collect();
        let view = task_table(View::default(), &tasks);
        more_line(view, self.tasks.len(), self.offset, Some(self.total))
    }
}

impl ReadOperation for BoardTree {
    type Input = Input;
    type Output = TreeLevel;

    const DECLARATION: Declaration = Declaration::read("board_tree", Toolset::Board)
        .sdk("board.tree")
        .examples(&[
            Example::call("Milestones, and tasks without one", "{}"),
            Example::call("What task 2 is made of", r#"{"parent": "2"}"#),
        ]);

    async fn run(context: ReadContext, input: Input) -> Result<TreeLevel> {
        let page = input.paging.page()?;
        context.read(|reader| {
            reader.consistently(|reader| {
                let parent = input.parent.as_ref();
                let parent = parent
                    .map(|id| task_named(reader, "parent", id))
                    .transpose()?;
                let open = TaskStatus::ALL.into_iter().filter(|it| !it.is_ended());
                let filter = TaskFilter {
                    roots: parent.is_none(),
                    parent: parent.map(|task| task.id),
                    statuses: if input.open {
                        open.collect()
                    } else {
                        Vec::new()
                    },
                    ..TaskFilter::default()
                };
                let (listed, total) =
                    reader.listed_tasks_within(&filter, TaskOrder::PartsFirst, page)?;
                let mut tasks = Vec::new();
                for listed in listed {
                    let (parts, parts_ended) = reader.parts_below(&listed.task.id)?;
                    tasks.push(TreeTask {
                        task: BoardTask::from(listed),
                        parts,
                        parts_ended,
                    });
                }
                Ok(TreeLevel {
                    tasks,
                    total,
                    limit: page.limit,
                    offset: page.offset,
                })
            })
        })
    }
}
