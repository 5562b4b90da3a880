use crate::prelude::*;
use crate::workflow::common;
use crate::workflow::outputs::TaskLearningOutput;

pub struct LearningAdd;

/// Record a learning of a task. When the task is completed, its parent gets the learning too.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The task: its number, or at least 4 hex digits of its id.
    pub task_id: Id,
    /// What was learnt, 1 to 500 characters.
    pub content: String,
}

impl Operation for LearningAdd {
    type Input = Input;
    type Output = TaskLearningOutput;

    const DECLARATION: Declaration = Declaration::write("learning_add", Toolset::Workflow)
        .sdk("learnings.add")
        .cli(&["learnings", "add"])
        .idempotent()
        .examples(&[Example::new(
            "Of task 12",
            &["learnings", "add", "12", "The build needs two cores"],
            r#"{"task_id": "12", "content": "The build needs two cores"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<TaskLearningOutput> {
        context
            .write(|writer| {
                let task = common::task(writer, "task_id", &input.task_id)?;
                writer.add_learning(&task.id, &input.content)
            })
            .map(TaskLearningOutput::from)
    }
}
