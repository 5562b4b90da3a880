use crate::prelude::*;
use serde_json::json;
use windlass_core::{Dialect, EventType, Patch};

use crate::workflow::common;
use crate::workflow::outputs::WorkTask;

pub struct WorkUpdate;

/// Change the description, context or priority of a task. Its status is changed by work_start,
/// work_submit and others.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its number, or at least 4 hex digits of its id.
    pub id: Id,
    /// The new description. With a title, the text below it: markdown.
    #[serde(default)]
    #[arg(long)]
    pub description: Option<String>,
    /// The new title, as description without a title.
    #[serde(default)]
    #[arg(long)]
    pub title: Option<String>,
    /// The new context. An empty text removes it.
    #[serde(default)]
    #[arg(long)]
    pub context: Option<String>,
    /// low, normal, high or urgent.
    #[serde(default)]
    #[arg(long)]
    pub priority: Option<PriorityWord>,
}

impl Operation for WorkUpdate {
    type Input = Input;
    type Output = WorkTask;

    const DECLARATION: Declaration = Declaration::write("work_update", Toolset::Workflow)
        .sdk("tasks.update")
        .idempotent()
        .examples(&[Example::call(
            "A new priority",
            r#"{"id": "12", "priority": "urgent"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<WorkTask> {
        let text = common::task_text(
            input.title.as_deref(),
            input.description.as_deref(),
            input.context.as_deref(),
        );
        let mut patch = Patch {
            title: text.title.map(str::to_owned),
            content: text.content.map(Some),
            ..Patch::default()
        };
        if let Some(priority) = &input.priority {
            patch
                .properties
                .insert("priority".to_owned(), json!(priority));
        }
        let task = context.write(|writer| {
            let before = common::task(writer, "id", &input.id)?;
            let after = writer.update(&before.id, &patch, Dialect::Sdk)?;
            if after != before {
                writer.record_task_event(EventType::TaskUpdated, &after, json!({}))?;
            }
            Ok(after)
        })?;
        context.read(|reader| WorkTask::read(reader, task))
    }
}
