use crate::prelude::*;
use crate::workflow::outputs::GateOutput;

pub struct GateRemove;

/// Remove a gate that was added. Only for people, and not while a review that uses it is active.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The gate: its number, its name, or at least 4 hex digits of its id.
    pub id: Id,
}

impl Operation for GateRemove {
    type Input = Input;
    type Output = GateOutput;

    const DECLARATION: Declaration = Declaration::destructive("gate_remove", Toolset::Workflow)
        .sdk("gates.remove")
        .cli(&["gates", "remove"])
        .human_only()
        .examples(&[Example::new(
            "Gate 1",
            &["gates", "remove", "1"],
            r#"{"id": "1"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<GateOutput> {
        context.write(|writer| GateOutput::of_added(writer, writer.remove_gate(&input.id.0)?))
    }
}
