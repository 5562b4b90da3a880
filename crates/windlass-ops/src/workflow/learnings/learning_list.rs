use crate::prelude::*;
use crate::workflow::common;
use crate::workflow::outputs::{Learnings, TaskLearningOutput};

pub struct LearningList;

/// List the learnings of a task: its own, and those passed up from its children.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The task: its number, or at least 4 hex digits of its id.
    pub task_id: Id,
}

impl ReadOperation for LearningList {
    type Input = Input;
    type Output = Learnings;

    const DECLARATION: Declaration = Declaration::read("learning_list", Toolset::Workflow)
        .sdk("learnings.list")
        .cli(&["learnings", "list"])
        .examples(&[Example::new(
            "Of task 12",
            &["learnings", "list", "12"],
            r#"{"task_id": "12"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<Learnings> {
        let learnings = context.read(|reader| {
            let task = common::task(reader, "task_id", &input.task_id)?;
            reader.task_learnings(&task.id)
        })?;
        let learnings: Vec<TaskLearningOutput> = learnings
            .into_iter()
            .map(TaskLearningOutput::from)
            .collect();
        let total = learnings.len();
        Ok(Learnings { learnings, total })
    }
}
