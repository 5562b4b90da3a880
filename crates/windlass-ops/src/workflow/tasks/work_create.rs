use crate::prelude::*;
use serde_json::json;
use windlass_core::workflow::TaskKind;
use windlass_core::{Dialect, Draft, Entity, EntityType, EventType, RelationType};
use windlass_store::Writer;

use crate::workflow::common;
use crate::workflow::outputs::WorkTask;

pub struct WorkCreate;

/// Create a piece of work: a milestone, a task or a subtask. Without a kind it is what fits under its
/// parent; without a parent it is a task of its own.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// What is to be done, 1 to 500 characters.
    #[serde(default)]
    pub description: Option<String>,
    /// The same under another name.
    #[serde(default)]
    #[arg(long)]
    pub title: Option<String>,
    /// What to know before starting: markdown, seen by those below it too.
    #[serde(default)]
    #[arg(long)]
    pub context: Option<String>,
    /// The task that it is a part of: its number, or at least 4 hex digits of its id.
    #[serde(default)]
    #[arg(long)]
    pub parent_id: Option<Id>,
    /// milestone, task or subtask.
    #[serde(default)]
    #[arg(long)]
    pub kind: Option<String>,
    /// low, normal, high or urgent.
    #[serde(default)]
    #[arg(long)]
    pub priority: Option<PriorityWord>,
    /// Tasks that must be done first.
    #[serde(default)]
    #[arg(long)]
    pub blocked_by: Vec<Id>,
    /// Words to find it by.
    #[serde(default)]
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
}

impl Operation for WorkCreate {
    type Input = Input;
    type Output = WorkTask;

    const DECLARATION: Declaration = Declaration::write("work_create", Toolset::Workflow)
        .sdk("tasks.create")
        .examples(&[
            Example::call(
                "A milestone",
                r#"{"description": "Version 1", "kind": "milestone"}"#,
            ),
            Example::call(
                "A task that waits for another one",
                r#"{"description": "Announce it", "priority": "high", "blocked_by": ["2"]}"#,
            ),
        ]);

    async fn run(context: Context, input: Input) -> Result<WorkTask> {
        let task = context.write(|writer| create(writer, &input))?;
        let share = context.output_budget.map(|chars| chars / 4);
        context.read(|reader| Ok(WorkTask::read(reader, task)?.shortened(share)))
    }
}

fn create(writer: &Writer<'_>, input: &Input) -> Result<Entity> {
    let parent = match &input.parent_id {
        Some(id) => Some(common::task(writer, "parent_id", id)?),
        None => None,
    };
    let above = match &parent {
        Some(parent) => Some(writer.task_kind(&parent.id)?),
        None => None,
    };
    let kind = match input.kind.as_deref() {
        Some(word) => TaskKind::parse(word)
            .ok_or_else(|| Error::invalid_enum("kind", word, &TaskKind::NAMES))?,
        None => TaskKind::below(above)?,
    };
    kind.check_below(above)?;
    let mut properties = json!({"kind": kind.name()});
    if let Some(priority) = &input.priority {
        properties["priority"] = json!(priority);
    }
    let title = input.description.as_ref().or(input.title.as_ref());
    let draft = Draft::new(
        EntityType::Task,
        title.map_or("", String::as_str),
        input.context.as_deref(),
        &input.tags,
        properties.as_object().unwrap_or(&serde_json::Map::new()),
        Dialect::Sdk,
    )?;
    let task = writer.create(draft)?;
    if let Some(parent) = &parent {
        common::check_open(parent)?;
        writer.relate(&task, RelationType::Parent, parent)?;
    }
    for id in &input.blocked_by {
        let blocker = common::task(writer, "blocked_by", id)?;
        writer.relate(&blocker, RelationType::Blocks, &task)?;
    }
    let more = json!({"kind": kind.name(), "parent": parent.map(|parent| parent.number)});
    writer.tell_of_task(EventType::TaskCreated, &task, more)?;
    Ok(task)
}
