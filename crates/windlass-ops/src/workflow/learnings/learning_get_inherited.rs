use crate::prelude::*;
use crate::workflow::common;
use crate::workflow::outputs::Inherited;

pub struct LearningGetInherited;

/// List the learnings of a task, its parent and its milestone.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The task: its number, or at least 4 hex digits of its id.
    pub task_id: Id,
}

impl ReadOperation for LearningGetInherited {
    type Input = Input;
    type Output = Inherited;

    const DECLARATION: Declaration = Declaration::read("learning_get_inherited", Toolset::Workflow)
        .sdk("learnings.get_inherited")
        .cli(&["learnings", "inherited"])
        .examples(&[Example::new(
            "Of task 12",
            &["learnings", "inherited", "12"],
            r#"{"task_id": "12"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<Inherited> {
        context.read(|reader| {
            let task = common::task(reader, "task_id", &input.task_id)?;
            Inherited::read(reader, &task.id)
        })
    }
}
