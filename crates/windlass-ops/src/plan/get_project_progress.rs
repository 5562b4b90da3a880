use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::progress::ProjectProgress;

use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct GetProjectProgress;

/// Get task completion stats: total, done, by status, by feature and by discipline.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {}

impl Operation for GetProjectProgress {
    type Input = Input;
    type Output = ProjectProgress;

    const DECLARATION: Declaration = Declaration {
        name: "get_project_progress",
        toolset: Toolset::Plan,
        cli: &["progress"],
        sdk: "plan.get_project_progress",
        effect: Effect::Read,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "How far it is",
            cli: &["progress"],
            input: "{}",
        }],
    };

    async fn run(context: Context, input: Input) -> Result<ProjectProgress> {
        let Input {} = input;
        context.read(|reader| reader.consistently(ProjectProgress::read))
    }
}
