use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::answers::GateView;
use crate::arguments::Id;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct GateRemove;

/// Remove a gate that was added. Only a person may, and not while a review is under way that it belongs to.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The gate: its number, its name, or at least 4 hex digits of its id.
    pub id: Id,
}

impl Operation for GateRemove {
    type Input = Input;
    type Output = GateView;

    const DECLARATION: Declaration = Declaration {
        name: "gate_remove",
        toolset: Toolset::Workflow,
        cli: &["gates", "remove"],
        sdk: "gates.remove",
        effect: Effect::Destructive,
        idempotent: false,
        long_running: false,
        audience: Audience::Human,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "Gate 1",
            cli: &["gates", "remove", "1"],
            input: r#"{"id": "1"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<GateView> {
        context
            .write(|writer| writer.remove_gate(&input.id.0))
            .map(GateView::from)
    }
}
