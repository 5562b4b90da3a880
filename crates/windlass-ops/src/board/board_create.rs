use crate::prelude::*;
use serde_json::json;
use windlass_core::{Actor, Dialect, Entity, EventType};
use windlass_store::Writer;

use super::entity_view::BoardEntity;
use super::links;
use super::new_task::{NewTask, kind_below};
use super::task_fields::{task_input, without_empty};
use crate::plan::first_status;

pub struct BoardCreate;

task_input! {
    /// Create a task. Only the title is required; all other fields can be set now or later.
    {
        /// What is to be done, in a few words.
        pub title: String,
        /// draft or pending; pending if absent.
        #[serde(default)]
        #[arg(long)]
        pub status: Option<String>,
    }
}

impl Operation for BoardCreate {
    type Input = Input;
    type Output = BoardEntity;

    const DECLARATION: Declaration = Declaration::write("board_create", Toolset::Board)
        .sdk("board.create")
        .cli(&["tasks", "create"])
        .examples(&[
            Example::new(
                "Just a title",
                &["tasks", "create", "Announce it"],
                r#"{"title": "Announce it"}"#,
            ),
            Example::new(
                "A task of a feature that waits for another one",
                &[
                    "tasks",
                    "create",
                    "Rate-limit logins",
                    "--feature",
                    "auth",
                    "--priority",
                    "high",
                    "--blocked-by",
                    "6",
                    "--tag",
                    "auth,web",
                    "--criterion",
                    "The eleventh try in a minute is refused",
                ],
                r#"{"title": "Rate-limit logins", "feature": "auth", "priority": "high", "blocked_by": ["6"], "tags": ["auth", "web"], "acceptance_criteria": ["The eleventh try in a minute is refused"]}"#,
            ),
        ]);

    async fn run(context: Context, input: Input) -> Result<BoardEntity> {
        let task = context.write(|writer| create(writer, context.origin.actor, &input))?;
        BoardEntity::load(&context, |reader| reader.entity(&task.id))
    }
}

fn create(writer: &Writer<'_>, actor: Actor, input: &Input) -> Result<Entity> {
    let fields = input.fields();
    let status = first_status(input.status.as_deref())?;
    let mut properties = fields.changes(Some(status.name())).0;
    let parent = match &input.parent {
        Some(id) => links::parent_named(writer, id)?,
        None => None,
    };
    let kind = kind_below(writer, parent.as_ref(), input.kind.as_deref())?;
    if input.kind.is_some() {
        properties.insert("kind".to_owned(), json!(kind.name()));
    }
    let task = NewTask {
        title: &input.title,
        description: input.description.as_deref(),
        tags: &without_empty(input.tags.as_deref().unwrap_or_default()),
        fields: properties,
        dialect: Dialect::Canonical,
        parent: parent.as_ref(),
        actor,
    }
    .create(writer)?;
    links::replace(writer, &task, &fields)?;
    let more = json!({"kind": kind.name(), "parent": parent.map(|parent| parent.number)});
    writer.record_task_event(EventType::TaskCreated, &task, more)?;
    Ok(task)
}
