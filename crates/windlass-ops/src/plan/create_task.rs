use crate::prelude::*;
use windlass_core::{Dialect, EntityType};

use super::outputs::PlanTask;
use super::tasks::{Changes, first_status, set_dependencies};
use crate::board::NewTask;

pub struct CreateTask;

/// Create a new task of a feature and a discipline, both of which must exist. It is pending, or a
/// draft that is to be enriched first.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The name of its feature.
    pub feature: String,
    /// The name of its discipline.
    pub discipline: String,
    /// What is to be done, in a few words.
    pub title: String,
    /// What is to be done, at length.
    #[serde(default)]
    #[arg(long)]
    pub description: Option<String>,
    /// low, medium, high or critical; medium if absent.
    #[serde(default)]
    #[arg(long)]
    pub priority: Option<PriorityWord>,
    /// draft or pending; pending if absent.
    #[serde(default)]
    #[arg(long)]
    pub status: Option<String>,
    /// What must hold when it is done, one text each.
    #[serde(default)]
    #[arg(long = "criterion")]
    pub acceptance_criteria: Vec<String>,
    /// Numbers of the tasks that must be done first.
    #[serde(default)]
    #[arg(long, value_delimiter = ',')]
    pub depends_on: Vec<Number>,
    /// Words to find it by.
    #[serde(default)]
    #[arg(long = "tag")]
    pub tags: Vec<String>,
    /// Files to read first: paths in the project, at most 30.
    #[serde(default)]
    #[arg(long = "context-file")]
    pub context_files: Vec<String>,
    /// Files that the work brings about: paths in the project.
    #[serde(default)]
    #[arg(long = "output-artifact")]
    pub output_artifacts: Vec<String>,
    /// Advice for whoever does it.
    #[serde(default)]
    #[arg(long)]
    pub hints: Option<String>,
    /// How many turns an agent may need.
    #[serde(default)]
    #[arg(long)]
    pub estimated_turns: Option<u32>,
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
            let mut fields = Changes::default();
            fields.text("feature", Some(&input.feature));
            fields.text("discipline", Some(&input.discipline));
            fields.text("status", Some(status.name()));
            fields.text(
                "priority",
                input.priority.as_ref().map(PriorityWord::as_str),
            );
            fields.list("acceptance_criteria", given(&input.acceptance_criteria));
            fields.list("context_files", given(&input.context_files));
            fields.list("output_artifacts", given(&input.output_artifacts));
            fields.text("hints", input.hints.as_deref());
            fields.json("estimated_turns", input.estimated_turns.map(Into::into));
            let task = NewTask {
                title: &input.title,
                description: input.description.as_deref(),
                tags: &input.tags,
                fields: fields.0,
                dialect: Dialect::Plan,
                parent: None,
                actor: context.origin.actor,
            }
            .create(writer)?;
            set_dependencies(writer, &task, &input.depends_on)?;
            PlanTask::read(writer, &task)
        })
    }
}

/// What was given; nothing where the list is empty.
fn given(list: &[String]) -> Option<&[String]> {
    (!list.is_empty()).then_some(list)
}
