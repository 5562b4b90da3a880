use crate::prelude::*;
use serde_json::json;
use windlass_core::{Actor, Dialect, Entity, EventType};
use windlass_store::Writer;

use crate::board::{NewTask, kind_below};
use crate::entity_fields::Changes;
use crate::plan::set_blockers;
use crate::workflow::common;
use crate::workflow::outputs::WorkTask;

pub struct WorkCreate;

/// Create a milestone, a task or a subtask. Without a kind, the parent determines it; without a
/// parent it is a task.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// What is to be done, 1 to 500 characters. With a title, the text below it: markdown.
    #[serde(default)]
    pub description: Option<String>,
    /// What is to be done, 1 to 500 characters.
    #[serde(default)]
    #[arg(long)]
    pub title: Option<String>,
    /// What to know before starting: markdown, also shown to the tasks below it.
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
    /// Tags.
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
        let task = context.write(|writer| create(writer, context.origin.actor, &input))?;
        context.read(|reader| WorkTask::read(reader, task))
    }
}

fn create(writer: &Writer<'_>, actor: Actor, input: &Input) -> Result<Entity> {
    let parent = match &input.parent_id {
        Some(id) => Some(common::task(writer, "parent_id", id)?),
        None => None,
    };
    let kind = kind_below(writer, parent.as_ref(), input.kind.as_deref())?;
    let mut fields = Changes::default();
    fields.json("kind", Some(json!(kind.name())));
    fields.json("priority", input.priority.as_ref().map(|word| json!(word)));
    let text = common::task_text(
        input.title.as_deref(),
        input.description.as_deref(),
        input.context.as_deref(),
    );
    let task = NewTask {
        title: text.title.unwrap_or_default(),
        description: text.content.as_deref(),
        tags: &input.tags,
        fields: fields.0,
        dialect: Dialect::Sdk,
        parent: parent.as_ref(),
        actor,
    }
    .create(writer)?;
    let blockers = input.blocked_by.iter();
    let blockers = blockers.map(|id| common::task(writer, "blocked_by", id));
    set_blockers(
        writer,
        "blocked_by",
        &task,
        &blockers.collect::<Result<Vec<_>>>()?,
    )?;
    let more = json!({"kind": kind.name(), "parent": parent.map(|parent| parent.number)});
    writer.record_task_event(EventType::TaskCreated, &task, more)?;
    Ok(task)
}
