use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::answers::WorkDetails;
use super::common;
use crate::arguments::Id;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct WorkGet;

/// Read a piece of work with all that helps to do it: what those above it say, what was learnt, its gates, its
/// review, and the question that it waits with.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its number, or at least 4 hex digits of its id.
    pub id: Id,
}

impl Operation for WorkGet {
    type Input = Input;
    type Output = WorkDetails;

    const DECLARATION: Declaration = Declaration {
        name: "work_get",
        toolset: Toolset::Workflow,
        cli: &["work", "get"],
        sdk: "tasks.get",
        effect: Effect::Read,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "By number",
            cli: &["work", "get", "12"],
            input: r#"{"id": "12"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<WorkDetails> {
        let file_gates = common::file_gate_names(&context);
        context.read(|reader| {
            let task = common::task(reader, "id", &input.id)?;
            WorkDetails::read(reader, task, file_gates, context.answer_budget)
        })
    }
}
