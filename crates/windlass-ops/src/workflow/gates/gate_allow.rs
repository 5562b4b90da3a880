use crate::granted_texts::{GrantedTexts, TextKind, check_unchanged};
use crate::prelude::*;
use crate::workflow::outputs::GateOutput;

pub struct GateAllow;

/// Allow the shell text of a gate that someone else added, so that it runs on this machine. Only for
/// people. Gates that you add yourself are allowed.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The gate: its number, its name, or at least 4 hex digits of its id.
    pub id: Id,
    /// Only if its command is still the one with this fingerprint, as allowlist_wishes shows it.
    #[serde(default)]
    #[arg(long, value_name = "SHA256")]
    pub fingerprint: Option<String>,
}

impl Operation for GateAllow {
    type Input = Input;
    type Output = GateOutput;

    const DECLARATION: Declaration = Declaration::write("gate_allow", Toolset::Workflow)
        .sdk("gates.allow")
        .cli(&["gates", "allow"])
        .idempotent()
        .human_only()
        .examples(&[Example::new(
            "Gate 1",
            &["gates", "allow", "1"],
            r#"{"id": "1"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<GateOutput> {
        let gate = context.read(|reader| reader.gate(&input.id.0))?;
        let definition = &gate.definition;
        check_unchanged(input.fingerprint.as_deref(), &definition.command)?;
        GrantedTexts::of(&context.workspace).allow(
            TextKind::Gate,
            &definition.name,
            &definition.command,
        )?;
        context.read(|reader| GateOutput::of_added(reader, gate))
    }
}
