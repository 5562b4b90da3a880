use crate::prelude::*;
use windlass_core::{Dialect, Patch};

use super::outputs::PlanTask;
use super::tasks::{find, set_dependencies};
use crate::entity_fields::{Changed, FieldArguments, Task};

pub struct UpdateTask;

/// Update task fields. Only the given fields change; lists are replaced as a whole, and an empty text
/// clears a field.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The number of the task.
    pub id: Number,
    #[serde(flatten, deserialize_with = "crate::input::part")]
    #[command(flatten)]
    pub fields: FieldArguments<Changed<Task>>,
    /// Numbers of the tasks that must be done first.
    #[serde(default)]
    #[arg(long, value_delimiter = ',')]
    pub depends_on: Option<Vec<Number>>,
    /// Tags.
    #[serde(default)]
    #[arg(long = "tag")]
    pub tags: Option<Vec<String>>,
}

impl Operation for UpdateTask {
    type Input = Input;
    type Output = PlanTask;

    const DECLARATION: Declaration = Declaration::write("update_task", Toolset::Plan)
        .sdk("plan.update_task")
        .idempotent()
        .examples(&[Example::call(
            "Raise the priority",
            r#"{"id": 6, "priority": "critical"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<PlanTask> {
        context.write(|writer| {
            let task = find(writer, "id", &input.id)?;
            let patch = Patch {
                tags: input.tags,
                ..input.fields.into_patch()?
            };
            let task = writer.update(&task.id, &patch, Dialect::Plan)?;
            if let Some(depends_on) = &input.depends_on {
                set_dependencies(writer, &task, depends_on)?;
            }
            PlanTask::read(writer, &task)
        })
    }
}
