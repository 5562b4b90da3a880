use crate::prelude::*;
use windlass_core::{Actor, EntityType, Learning, LearningSource};

use super::learnings::{LearningResult, keep};
use super::tasks::find;

pub struct AppendFeatureLearning;

/// Add a learning to a feature. One that repeats another counts as a hit of it, one that contradicts
/// another replaces it. At most 50 are stored.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The name of the feature.
    pub feature_name: String,
    /// What was learnt, at most 500 characters.
    pub text: String,
    /// Who learned it: auto, agent or human; the caller if absent.
    #[serde(default)]
    #[arg(long)]
    pub source: Option<String>,
    /// The reason, at most 500 characters.
    #[serde(default)]
    #[arg(long)]
    pub reason: Option<String>,
    /// The number of the task that it came from.
    #[serde(default)]
    #[arg(long)]
    pub task_id: Option<Number>,
}

impl Operation for AppendFeatureLearning {
    type Input = Input;
    type Output = LearningResult;

    const DECLARATION: Declaration = Declaration::write("append_feature_learning", Toolset::Plan)
        .sdk("features.append_learning")
        .cli(&["features", "learn"])
        .examples(&[Example::new(
            "A learning from task 6",
            &[
                "features",
                "learn",
                "auth",
                "Tokens expire after ten minutes",
                "--task-id",
                "6",
            ],
            r#"{"feature_name": "auth", "text": "Tokens expire after ten minutes", "task_id": 6}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<LearningResult> {
        let source = match (&input.source, context.origin.actor) {
            (Some(word), _) => LearningSource::parse("source", word)?,
            (None, Actor::Human) => LearningSource::Human,
            (None, Actor::Agent) => LearningSource::Agent,
        };
        let learning = Learning::new(&input.text, source)?.with_reason(input.reason.as_deref())?;
        context.write(|writer| {
            let name = &input.feature_name;
            let feature = writer.by_name("feature_name", EntityType::Feature, name)?;
            let task = input.task_id.as_ref().map(|id| find(writer, "task_id", id));
            let task = task.transpose()?.map(|task| task.number);
            keep(writer, &feature, learning.from_task(task))
        })
    }
}
