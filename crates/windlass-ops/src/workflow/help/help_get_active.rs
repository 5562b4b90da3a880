use crate::prelude::*;
use crate::workflow::common;
use crate::workflow::outputs::{ActiveHelp, HelpOutput};

pub struct HelpGetActive;

/// Get the open help request of a task.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The task: its number, or at least 4 hex digits of its id.
    pub task_id: Id,
}

impl ReadOperation for HelpGetActive {
    type Input = Input;
    type Output = ActiveHelp;

    const DECLARATION: Declaration = Declaration::read("help_get_active", Toolset::Workflow)
        .sdk("help.get_active")
        .cli(&["questions", "show"])
        .examples(&[Example::new(
            "Of task 14",
            &["questions", "show", "14"],
            r#"{"task_id": "14"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<ActiveHelp> {
        let help_request = context.read(|reader| {
            let task = common::task(reader, "task_id", &input.task_id)?;
            let request = reader.active_help(&task.id)?;
            request
                .map(|request| HelpOutput::read(reader, request))
                .transpose()
        })?;
        Ok(ActiveHelp {
            active: help_request.is_some(),
            help_request,
        })
    }
}
