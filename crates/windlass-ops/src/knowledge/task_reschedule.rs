use crate::prelude::*;
use serde_json::json;
use windlass_core::{Date, Dialect, EntityType, Patch};

use super::lookup::expect;
use crate::outputs::EntityOutput;

pub struct TaskReschedule;

/// Give a task another due date.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its number or id.
    pub id: Id,
    /// YYYY-MM-DD.
    pub due_date: String,
}

impl Operation for TaskReschedule {
    type Input = Input;
    type Output = EntityOutput;

    const DECLARATION: Declaration = Declaration::write("task_reschedule", Toolset::Knowledge)
        .sdk("tasks.reschedule")
        .cli(&["tasks", "reschedule"])
        .idempotent()
        .examples(&[Example::new(
            "Task 2 by the first of March",
            &["tasks", "reschedule", "2", "2026-03-01"],
            r#"{"id": "2", "due_date": "2026-03-01"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<EntityOutput> {
        let day = Date::parse("due_date", &input.due_date)?;
        context.write(|writer| {
            let id = expect(writer, "id", &input.id, EntityType::Task)?.id;
            let patch = Patch {
                properties: json!({"due_date": day})
                    .as_object()
                    .cloned()
                    .unwrap_or_default(),
                ..Patch::default()
            };
            writer
                .update(&id, &patch, Dialect::Knowledge)
                .map(EntityOutput::from)
        })
    }
}
