use crate::prelude::*;
use serde_json::json;
use windlass_core::EventType;

use crate::workflow::common;

pub struct WorkDelete;

/// Delete a task. Only for people; agents use work_cancel. A task that others wait for, or that has
/// children, cannot be deleted.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its number, or at least 4 hex digits of its id.
    pub id: Id,
}

/// What was deleted.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DeletedTask {
    pub id: String,
    pub number: i64,
    pub description: String,
    /// Always true.
    pub deleted: bool,
}

impl Render for DeletedTask {
    fn view(&self) -> View {
        View::default().line([Span::from(format!(
            "Deleted #{} {}",
            self.number, self.description
        ))])
    }
}

impl Operation for WorkDelete {
    type Input = Input;
    type Output = DeletedTask;

    const DECLARATION: Declaration = Declaration::destructive("work_delete", Toolset::Workflow)
        .sdk("tasks.delete")
        .human_only()
        .examples(&[Example::call("By number", r#"{"id": "12"}"#)]);

    async fn run(context: Context, input: Input) -> Result<DeletedTask> {
        let task = context.write(|writer| {
            let task = common::task(writer, "id", &input.id)?;
            let children = writer.children(&task.id)?;
            if let Some(child) = children.first() {
                return Err(Error::validation(
                    "id",
                    format!(
                        "task {} has children, task {} among them",
                        task.number, child.number
                    ),
                )
                .with_hint("Delete or move those first."));
            }
            writer.record_task_event(EventType::TaskDeleted, &task, json!({}))?;
            writer.delete(&task.id)
        })?;
        Ok(DeletedTask {
            id: task.id.as_str().to_owned(),
            number: task.number,
            description: task.title,
            deleted: true,
        })
    }
}
