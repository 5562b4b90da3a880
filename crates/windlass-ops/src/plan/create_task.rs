use crate::prelude::*;
use windlass_core::EntityType;

use super::outputs::PlanTask;
use super::tasks::{first_status, set_dependencies};
use crate::entity_fields::{FieldArguments, New, Task};

pub struct CreateTask;

/// Create a new task of a feature and a discipline, both of which must exist. Its status is pending,
/// or draft if it must be enriched first.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The name of its feature.
    pub feature: String,
    /// The name of its discipline.
    pub discipline: String,
    #[serde(flatten, deserialize_with = "crate::input::part")]
    #[command(flatten)]
    pub fields: FieldArguments<New<Task>>,
    /// draft or pending; pending if absent.
    #[serde(default)]
    #[arg(long)]
    pub status: Option<String>,
    /// Numbers of the tasks that must be done first.
    #[serde(default)]
    #[arg(long, value_delimiter = ',')]
    pub depends_on: Vec<Number>,
    /// Tags.
    #[serde(default)]
    #[arg(long = "tag")]
    pub tags: Vec<String>,
}

impl Operation for CreateTask {
    type Input = Input;
    type Output = PlanTask;

    const DECLARATION: Declaration = Declaration::write("create_task", Toolset::Plan)
        .sdk("plan.create_task")
        .examples(&[Example::call(
            "A task of the feature auth",
            r#"{"feature": "auth", "discipline": "backend", "title": "Rate-limit logins", "priority": "high", "depends_on": [6], "acceptance_criteria": ["The eleventh try in a minute is refused"]}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<PlanTask> {
        let status = first_status(input.status.as_deref())?;
        context.write(|writer| {
            for (field, kind, name) in [
                ("feature", EntityType::Feature, &input.feature),
                ("discipline", EntityType::Discipline, &input.discipline),
            ] {
                writer.by_name(field, kind, name)?;
            }
            let fields = input
                .fields
                .with("feature", input.feature)
                .with("discipline", input.discipline)
                .with("status", status.name());
            let draft = fields
                .into_draft(&input.tags)?
                .with_managed("provenance", context.origin.actor.name());
            let task = writer.create(draft)?;
            set_dependencies(writer, &task, &input.depends_on)?;
            PlanTask::read(writer, &task)
        })
    }
}
