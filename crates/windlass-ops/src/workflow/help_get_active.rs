use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::answers::{ActiveHelp, HelpView};
use super::common;
use crate::arguments::Id;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct HelpGetActive;

/// Find the question that a task waits with.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The task: its number, or at least 4 hex digits of its id.
    pub task_id: Id,
}

impl Operation for HelpGetActive {
    type Input = Input;
    type Output = ActiveHelp;

    const DECLARATION: Declaration = Declaration {
        name: "help_get_active",
        toolset: Toolset::Workflow,
        cli: &["help-requests", "active"],
        sdk: "help.get_active",
        effect: Effect::Read,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "Of task 14",
            cli: &["help-requests", "active", "14"],
            input: r#"{"task_id": "14"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<ActiveHelp> {
        let help_request = context.read(|reader| {
            let task = common::task(reader, "task_id", &input.task_id)?;
            let request = reader.active_help(&task.id)?;
            request
                .map(|request| HelpView::read(reader, request))
                .transpose()
        })?;
        Ok(ActiveHelp {
            active: help_request.is_some(),
            help_request,
        })
    }
}
