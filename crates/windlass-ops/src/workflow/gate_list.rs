use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;
use windlass_store::GateScope;

use super::answers::{GateView, Gates};
use super::{common, gates};
use crate::arguments::Id;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct GateList;

/// List gates: those of .windlass/gates.toml and those that people added, for all work or for one task.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Only those of this very task: its number, or at least 4 hex digits of its id.
    #[serde(default)]
    #[arg(long)]
    pub task_id: Option<Id>,
}

impl Operation for GateList {
    type Input = Input;
    type Output = Gates;

    const DECLARATION: Declaration = Declaration {
        name: "gate_list",
        toolset: Toolset::Workflow,
        cli: &["gates", "list"],
        sdk: "gates.list",
        effect: Effect::Read,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "All of them",
            cli: &["gates", "list"],
            input: "{}",
        }],
    };

    async fn run(context: Context, input: Input) -> Result<Gates> {
        let mut all = match input.task_id {
            Some(_) => Vec::new(),
            None => gates::file_gates(&context.workshop)
                .into_iter()
                .map(GateView::from)
                .collect(),
        };
        let added = context.read(|reader| match &input.task_id {
            Some(id) => {
                let task = common::task(reader, "task_id", id)?;
                reader.gates_of(&GateScope::Task(task.id))
            }
            None => reader.gates(),
        })?;
        all.extend(added.into_iter().map(GateView::from));
        Ok(Gates::of(all, context.answer_budget))
    }
}
