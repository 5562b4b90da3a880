use crate::prelude::*;
use crate::workflow::common;
use crate::workflow::outputs::HelpOutput;

pub struct HelpResume;

/// Resume a task that waited for an answer, in its earlier status. Only for people, after the request
/// is answered.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The task: its number, or at least 4 hex digits of its id.
    pub task_id: Id,
}

impl Operation for HelpResume {
    type Input = Input;
    type Output = HelpOutput;

    const DECLARATION: Declaration = Declaration::write("help_resume", Toolset::Workflow)
        .sdk("help.resume")
        .cli(&["questions", "resume"])
        .human_only()
        .examples(&[Example::new(
            "Task 14",
            &["questions", "resume", "14"],
            r#"{"task_id": "14"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<HelpOutput> {
        let phases = context.workspace.phases()?;
        let request = context.write(|writer| {
            let task = common::task(writer, "task_id", &input.task_id)?;
            writer.resume_task(&task.id, phases)
        })?;
        context.read(|reader| HelpOutput::read(reader, request))
    }
}
