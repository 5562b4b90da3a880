use crate::granted_texts::{GrantedTexts, TextKind};
use crate::prelude::*;
use crate::workflow::outputs::GateOutput;

pub struct GateUpdate;

/// Change a gate that was added. Only for people, and not while a review that uses it is active.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The gate: its number, its name, or at least 4 hex digits of its id.
    pub id: Id,
    /// The new name.
    #[serde(default)]
    #[arg(long)]
    pub name: Option<String>,
    /// The new command.
    #[serde(default)]
    #[arg(long)]
    pub command: Option<String>,
    /// How long one execution may take, in seconds.
    #[serde(default)]
    #[arg(long)]
    pub timeout_secs: Option<u32>,
    /// After this many failed attempts a person decides.
    #[serde(default)]
    #[arg(long)]
    pub max_retries: Option<u32>,
    /// How many seconds to wait before a gate that exits with 75 is run again.
    #[serde(default)]
    #[arg(long)]
    pub poll_interval_secs: Option<u32>,
    /// For how many seconds a gate may keep exiting with 75.
    #[serde(default)]
    #[arg(long)]
    pub max_pending_secs: Option<u32>,
}

impl Operation for GateUpdate {
    type Input = Input;
    type Output = GateOutput;

    const DECLARATION: Declaration = Declaration::write("gate_update", Toolset::Workflow)
        .sdk("gates.update")
        .cli(&["gates", "update"])
        .idempotent()
        .human_only()
        .examples(&[Example::new(
            "A longer timeout",
            &["gates", "update", "1", "--timeout-secs", "600"],
            r#"{"id": "1", "timeout_secs": 600}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<GateOutput> {
        if let Some(command) = &input.command {
            let grants = GrantedTexts::of(&context.workspace);
            grants.allow(TextKind::Gate, &input.id.0, command.trim())?;
        }
        context.write(|writer| {
            let updated = writer.update_gate(&input.id.0, |gate| {
                if let Some(name) = &input.name {
                    name.trim().clone_into(&mut gate.name);
                }
                if let Some(command) = &input.command {
                    command.trim().clone_into(&mut gate.command);
                }
                let numbers = [
                    (&mut gate.timeout_secs, input.timeout_secs),
                    (&mut gate.max_retries, input.max_retries),
                    (&mut gate.poll_interval_secs, input.poll_interval_secs),
                    (&mut gate.max_pending_secs, input.max_pending_secs),
                ];
                for (field, given) in numbers {
                    *field = given.unwrap_or(*field);
                }
            })?;
            GateOutput::of_added(writer, updated)
        })
    }
}
