use crate::prelude::*;
use windlass_core::EntityType;

use super::disciplines::DisciplineOutput;
use crate::granted_texts::{GrantedTexts, check_unchanged, servers_text};

pub struct DisciplineAllow;

/// Allow the MCP servers of a discipline that someone else set up, so that clients of its sessions
/// start them. Only for people. Servers that you set yourself are allowed.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The name of the discipline.
    pub name: String,
    /// Only if its servers are still those with this fingerprint, as allowlist_wishes shows them.
    #[serde(default)]
    #[arg(long, value_name = "SHA256")]
    pub fingerprint: Option<String>,
}

impl Operation for DisciplineAllow {
    type Input = Input;
    type Output = DisciplineOutput;

    const DECLARATION: Declaration = Declaration::write("discipline_allow", Toolset::Sessions)
        .sdk("disciplines.allow")
        .cli(&["disciplines", "allow"])
        .idempotent()
        .human_only()
        .examples(&[Example::new(
            "The servers of frontend work",
            &["disciplines", "allow", "backend"],
            r#"{"name": "backend"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<DisciplineOutput> {
        let discipline = context
            .read(|reader| reader.by_name("name", EntityType::Discipline, input.name.trim()))?;
        check_unchanged(input.fingerprint.as_deref(), &servers_text(&discipline))?;
        GrantedTexts::of(&context.workspace).allow_servers(&discipline)?;
        Ok(DisciplineOutput::from(&discipline))
    }
}
