use crate::prelude::*;
use windlass_core::{Dialect, Patch};

use super::outputs::PlanTask;
use super::tasks::{Changes, find, set_dependencies};

pub struct UpdateTask;

/// Update task fields. What is not given stays as it is; lists are replaced as a whole, and an
/// empty text clears a field.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The number of the task.
    pub id: Number,
    /// What is to be done, in a few words.
    #[serde(default)]
    #[arg(long)]
    pub title: Option<String>,
    /// What is to be done, at length.
    #[serde(default)]
    #[arg(long)]
    pub description: Option<String>,
    /// low, medium, high or critical.
    #[serde(default)]
    #[arg(long)]
    pub priority: Option<PriorityWord>,
    /// What must hold when it is done, one text each.
    #[serde(default)]
    #[arg(long = "criterion")]
    pub acceptance_criteria: Option<Vec<String>>,
    /// Numbers of the tasks that must be done first.
    #[serde(default)]
    #[arg(long, value_delimiter = ',')]
    pub depends_on: Option<Vec<Number>>,
    /// Words to find it by.
    #[serde(default)]
    #[arg(long = "tag")]
    pub tags: Option<Vec<String>>,
    /// Files to read first: paths in the project, at most 30.
    #[serde(default)]
    #[arg(long = "context-file")]
    pub context_files: Option<Vec<String>>,
    /// Files that the work brings about: paths in the project.
    #[serde(default)]
    #[arg(long = "output-artifact")]
    pub output_artifacts: Option<Vec<String>>,
    /// Advice for whoever does it.
    #[serde(default)]
    #[arg(long)]
    pub hints: Option<String>,
    /// How many turns an agent may need.
    #[serde(default)]
    #[arg(long)]
    pub estimated_turns: Option<u32>,
}

impl Operation for UpdateTask {
    type Input = Input;
    type Output = PlanTask;

    const DECLARATION: Declaration = Declaration::write("update_task", Toolset::Plan)
        .sdk("plan.update_task")
        .idempotent()
        .examples(&[Example::call(
            "More urgent",
            r#"{"id": 6, "priority": "critical"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<PlanTask> {
        context.write(|writer| {
            let task = find(writer, "id", &input.id)?;
            let mut changes = Changes::default();
            changes.text(
                "priority",
                input.priority.as_ref().map(PriorityWord::as_str),
            );
            changes.list("acceptance_criteria", input.acceptance_criteria.as_deref());
            changes.list("context_files", input.context_files.as_deref());
            changes.list("output_artifacts", input.output_artifacts.as_deref());
            changes.text("hints", input.hints.as_deref());
            changes.json("estimated_turns", input.estimated_turns.map(Into::into));
            let patch = Patch {
                title: input.title.clone(),
                content: input.description.clone().map(Some),
                tags: input.tags.clone(),
                properties: changes.0,
                ..Patch::default()
            };
            let task = writer.update(&task.id, &patch, Dialect::Plan)?;
            if let Some(depends_on) = &input.depends_on {
                set_dependencies(writer, &task, depends_on)?;
            }
            PlanTask::read(writer, &task)
        })
    }
}
