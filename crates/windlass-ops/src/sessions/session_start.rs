use super::session::{self, StartedSession, Wanted};
use crate::prelude::*;

pub struct SessionStart;

/// Start a session for an agent: record it, claim its task, and write its context file and the
/// client's configuration. Feature and discipline default to those of the task.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The name of the recipe.
    #[arg(long)]
    pub recipe: String,
    /// The name of the discipline; that of the task if absent.
    #[serde(default)]
    #[arg(long)]
    pub discipline: Option<String>,
    /// The name of the feature; that of the task if absent.
    #[serde(default)]
    #[arg(long)]
    pub feature: Option<String>,
    /// The number of the task to work on.
    #[serde(default)]
    #[arg(long)]
    pub task: Option<Number>,
}

impl Operation for SessionStart {
    type Input = Input;
    type Output = StartedSession;

    const DECLARATION: Declaration = Declaration::write("session_start", Toolset::Sessions)
        .sdk("sessions.start")
        .cli(&["session", "start"])
        .examples(&[Example::new(
            "An executor for task 6",
            &[
                "session",
                "start",
                "--recipe",
                "task_execution",
                "--task",
                "6",
            ],
            r#"{"recipe": "task_execution", "task": 6}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<StartedSession> {
        session::start(
            &context,
            &Wanted {
                recipe: &input.recipe,
                discipline: input.discipline.as_deref(),
                feature: input.feature.as_deref(),
                task: input.task.as_ref(),
            },
        )
    }
}
