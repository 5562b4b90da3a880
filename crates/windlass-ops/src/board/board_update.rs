use crate::prelude::*;
use serde_json::json;
use windlass_core::{Dialect, Entity, EventType, Patch, RelationType};
use windlass_store::Writer;

use super::entity_view::BoardEntity;
use super::links;
use super::task_fields::{task_input, without_empty};
use crate::workflow::task_named;

pub struct BoardUpdate;

task_input! {
    /// Change a task. Only the given fields change; a list replaces the whole list, and an empty text
    /// clears a field.
    {
        /// Its number, or at least 4 hex digits of its id.
        pub id: Id,
        /// What is to be done, in a few words.
        #[serde(default)]
        #[arg(long)]
        pub title: Option<String>,
        /// draft, pending, in_progress, blocked, done, skipped or cancelled.
        #[serde(default)]
        #[arg(long)]
        pub status: Option<String>,
        /// Tags to add.
        #[serde(default)]
        #[arg(long = "add-tag", value_delimiter = ',', value_name = "TAG")]
        pub add_tags: Vec<String>,
        /// Tags to remove.
        #[serde(default)]
        #[arg(long = "remove-tag", value_delimiter = ',', value_name = "TAG")]
        pub remove_tags: Vec<String>,
        /// More tasks that must be done first.
        #[serde(default)]
        #[arg(long, value_delimiter = ',', value_name = "ID")]
        pub add_blocked_by: Vec<Id>,
        /// Tasks that no longer block it.
        #[serde(default)]
        #[arg(long, value_delimiter = ',', value_name = "ID")]
        pub remove_blocked_by: Vec<Id>,
    }
}

impl Operation for BoardUpdate {
    type Input = Input;
    type Output = BoardEntity;

    const DECLARATION: Declaration = Declaration::write("board_update", Toolset::Board)
        .sdk("board.update")
        .cli(&["tasks", "update"])
        .idempotent()
        .examples(&[
            Example::new(
                "Raise the priority and assign it",
                &[
                    "tasks",
                    "update",
                    "6",
                    "--priority",
                    "urgent",
                    "--assignee",
                    "ann",
                ],
                r#"{"id": "6", "priority": "urgent", "assignee": "ann"}"#,
            ),
            Example::new(
                "One more blocker, and no due date",
                &["tasks", "update", "6", "--add-blocked-by", "2", "--due", ""],
                r#"{"id": "6", "add_blocked_by": ["2"], "due_date": ""}"#,
            ),
        ]);

    async fn run(context: Context, input: Input) -> Result<BoardEntity> {
        let task = context.write(|writer| update(writer, &input))?;
        BoardEntity::load(&context, |reader| reader.entity(&task.id))
    }
}

fn update(writer: &Writer<'_>, input: &Input) -> Result<Entity> {
    let before = task_named(writer, "id", &input.id)?;
    let fields = input.fields();
    let mut properties = fields.changes(input.status.as_deref()).0;
    if let Some(id) = &input.parent {
        let parent = links::parent_named(writer, id)?;
        links::move_under(writer, &before, parent.as_ref())?;
    }
    if input.parent.is_some() || input.kind.is_some() {
        let kind = links::kind_in_place(writer, &before, input.kind.as_deref())?;
        properties.insert("kind".to_owned(), json!(kind.map(|kind| kind.name())));
    }
    let patch = Patch {
        title: input.title.clone(),
        content: input.description.clone().map(Some),
        tags: input.tags.as_deref().map(without_empty),
        add_tags: without_empty(&input.add_tags),
        remove_tags: input.remove_tags.clone(),
        properties,
        ..Patch::default()
    };
    links::replace(writer, &before, &fields)?;
    for blocker in links::tasks(writer, "add_blocked_by", &input.add_blocked_by)? {
        writer.relate(&blocker, RelationType::Blocks, &before)?;
    }
    for blocker in links::tasks(writer, "remove_blocked_by", &input.remove_blocked_by)? {
        writer.unrelate(&blocker, RelationType::Blocks, &before)?;
    }
    // Last, so that the status is checked against the new blockers.
    let after = writer.update(&before.id, &patch, Dialect::Canonical)?;
    if after != before {
        writer.record_task_event(EventType::TaskUpdated, &after, json!({}))?;
    }
    Ok(after)
}
