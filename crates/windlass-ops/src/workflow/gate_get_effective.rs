use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::answers::{GateView, Gates};
use super::{common, gates};
use crate::arguments::Id;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct GateGetEffective;

/// List the gates that the work of a task has to pass, in their order: the project's, then those of the tasks above it,
/// then its own.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The task: its number, or at least 4 hex digits of its id.
    pub task_id: Id,
}

impl Operation for GateGetEffective {
    type Input = Input;
    type Output = Gates;

    const DECLARATION: Declaration = Declaration {
        name: "gate_get_effective",
        toolset: Toolset::Workflow,
        cli: &["gates", "effective"],
        sdk: "gates.get_effective",
        effect: Effect::Read,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "Of task 3",
            cli: &["gates", "effective", "3"],
            input: r#"{"task_id": "3"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<Gates> {
        let mut all = gates::file_gates(&context.workshop);
        all.extend(context.read(|reader| {
            let task = common::task(reader, "task_id", &input.task_id)?;
            reader.effective_gates(&task.id)
        })?);
        let all = all.into_iter().map(GateView::from).collect();
        Ok(Gates::of(all, context.answer_budget))
    }
}
