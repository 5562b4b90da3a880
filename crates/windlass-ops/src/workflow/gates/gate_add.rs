use crate::prelude::*;
use windlass_core::workflow::GateDefinition;
use windlass_store::GateScope;

use crate::granted_texts::{GrantedTexts, TextKind};
use crate::workflow::common;
use crate::workflow::outputs::GateOutput;

pub struct GateAdd;

/// Add a gate: a check that work has to pass before it is reviewed. Only for people. Exit code 0
/// passes, 75 means try again later, any other fails. Work that is in review already keeps the gates
/// that it was submitted with.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its name, unique in its scope.
    pub name: String,
    /// Shell text, command:NAME for a command of the repository, or playbook:ID.
    pub command: String,
    /// Only for this task and all below it: its number, or at least 4 hex digits of its id. All work if absent.
    #[serde(default)]
    #[arg(long)]
    pub task_id: Option<Id>,
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

impl Operation for GateAdd {
    type Input = Input;
    type Output = GateOutput;

    const DECLARATION: Declaration = Declaration::write("gate_add", Toolset::Workflow)
        .sdk("gates.add")
        .cli(&["gates", "add"])
        .human_only()
        .examples(&[Example::new(
            "The tests, for all work",
            &["gates", "add", "tests", "command:test"],
            r#"{"name": "tests", "command": "command:test"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<GateOutput> {
        let usual = GateDefinition::new(&input.name, &input.command);
        let definition = GateDefinition {
            timeout_secs: input.timeout_secs.unwrap_or(usual.timeout_secs),
            max_retries: input.max_retries.unwrap_or(usual.max_retries),
            poll_interval_secs: input.poll_interval_secs.unwrap_or(usual.poll_interval_secs),
            max_pending_secs: input.max_pending_secs.unwrap_or(usual.max_pending_secs),
            ..usual
        };
        let grants = GrantedTexts::of(&context.workspace);
        grants.allow(TextKind::Gate, &definition.name, &definition.command)?;
        context.write(|writer| {
            let scope = match &input.task_id {
                Some(id) => GateScope::Task(common::task(writer, "task_id", id)?.id),
                None => GateScope::Repo,
            };
            GateOutput::of_added(writer, writer.add_gate(&scope, &definition)?)
        })
    }
}
