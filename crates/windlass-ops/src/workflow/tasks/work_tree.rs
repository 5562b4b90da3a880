use crate::prelude::*;
use windlass_core::{Entity, EntityId, Page};
use windlass_store::{Reader, TaskFilter};

use crate::workflow::common;
use crate::workflow::outputs::WorkTask;

pub struct WorkTree;

/// Show a task with all below it, or the whole tree: milestones, their tasks, their subtasks. At most
/// 500 are shown.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its number, or at least 4 hex digits of its id. All roots if absent.
    #[serde(default)]
    pub id: Option<Id>,
}

const MAX_NODES: usize = 500;

/// A task with those below it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Node<C> {
    #[serde(flatten)]
    pub task: WorkTask,
    pub children: Vec<C>,
}

/// A subtask has no children.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Never {}

/// Milestones with their tasks and subtasks.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Tree {
    pub tree: Vec<Node<Node<Node<Never>>>>,
    /// Whether there are more than are shown.
    pub truncated: bool,
}

impl Render for Tree {
    fn view(&self) -> View {
        if self.tree.is_empty() {
            return View::nothing("No tasks.");
        }
        let mut rows = Vec::new();
        for root in &self.tree {
            rows.push(root.task.row());
            for child in &root.children {
                rows.push(child.task.row());
                rows.extend(child.children.iter().map(|leaf| leaf.task.row()));
            }
        }
        View::default().table(WorkTask::columns(), rows)
    }
}

type Below<'a, C> = &'a dyn Fn(&Reader<'_>, EntityId, &mut usize) -> Result<Vec<C>>;

/// As many tasks as the limit still allows, each with those below it.
fn nodes<C>(
    reader: &Reader<'_>,
    tasks: Vec<Entity>,
    left: &mut usize,
    below: Below<'_, C>,
) -> Result<Vec<Node<C>>> {
    let mut nodes = Vec::new();
    for task in tasks {
        if *left == 0 {
            break;
        }
        *left -= 1;
        let id = task.id.clone();
        let task = WorkTask::read(reader, task)?;
        let children = below(reader, id, left)?;
        nodes.push(Node { task, children });
    }
    Ok(nodes)
}

impl ReadOperation for WorkTree {
    type Input = Input;
    type Output = Tree;

    const DECLARATION: Declaration = Declaration::read("work_tree", Toolset::Workflow)
        .sdk("tasks.tree")
        .examples(&[Example::call("Everything below task 2", r#"{"id": "2"}"#)]);

    async fn run(context: ReadContext, input: Input) -> Result<Tree> {
        let mut left = MAX_NODES;
        let tree = context.read(|reader| {
            let roots = if let Some(id) = &input.id {
                vec![common::task(reader, "id", id)?]
            } else {
                let filter = TaskFilter {
                    roots: true,
                    ..TaskFilter::default()
                };
                let page = Page {
                    limit: 501,
                    offset: 0,
                };
                reader.tasks(&filter, page)?
            };
            nodes(reader, roots, &mut left, &|reader, child, left| {
                let below = reader.children(&child)?;
                nodes(reader, below, left, &|reader, leaf, left| {
                    let below = reader.children(&leaf)?;
                    nodes(reader, below, left, &|_, _, _| Ok(Vec::<Never>::new()))
                })
            })
        })?;
        Ok(Tree {
            tree,
            truncated: left == 0,
        })
    }
}
