use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use windlass_core::{Date, Dialect, EntityType, Patch, Result};

use super::lookup::expect;
use crate::answers::EntityView;
use crate::arguments::Id;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct TaskReschedule;

/// Give a task another due date.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its number, or at least 4 hex digits of its id.
    pub id: Id,
    /// The new day, as YYYY-MM-DD.
    pub due_date: String,
}

impl Operation for TaskReschedule {
    type Input = Input;
    type Output = EntityView;

    const DECLARATION: Declaration = Declaration {
        name: "task_reschedule",
        toolset: Toolset::Knowledge,
        cli: &["tasks", "reschedule"],
        sdk: "tasks.reschedule",
        effect: Effect::Write,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Code,
        examples: &[Example {
            about: "Task 2 by the first of March",
            cli: &["tasks", "reschedule", "2", "2026-03-01"],
            input: r#"{"id": "2", "due_date": "2026-03-01"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<EntityView> {
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
                .map(EntityView::from)
        })
    }
}
