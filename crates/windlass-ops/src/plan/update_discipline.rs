use crate::prelude::*;
use serde_json::Value as Json;
use windlass_core::{Dialect, EntityType, Patch};

use super::disciplines::{DisciplineOutput, McpServerInput, ToolOverridesInput, parse_json};
use super::named_entities::required;
use super::tasks::Changes;

pub struct UpdateDiscipline;

/// Update discipline fields. What is not given stays as it is; lists are replaced as a whole, and
/// an empty text clears a field.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The name of the discipline.
    pub name: String,
    /// What people call it.
    #[serde(default)]
    #[arg(long)]
    pub display_name: Option<String>,
    /// A sign for it, for example an emoji.
    #[serde(default)]
    #[arg(long)]
    pub icon: Option<String>,
    /// Its colour, for example #3b82f6.
    #[serde(default)]
    #[arg(long = "colour")]
    pub color: Option<String>,
    /// How an agent of this craft works.
    #[serde(default)]
    #[arg(long)]
    pub system_prompt: Option<String>,
    /// What it can do, one text each.
    #[serde(default)]
    #[arg(long = "skill")]
    pub skills: Option<Vec<String>>,
    /// The rules that its work follows.
    #[serde(default)]
    #[arg(long)]
    pub conventions: Option<String>,
    /// What it is for.
    #[serde(default)]
    #[arg(long)]
    pub description: Option<String>,
    /// Other MCP servers that its sessions get: name, command, args, env.
    #[serde(default)]
    #[arg(long, value_parser = parse_json)]
    #[schemars(with = "Option<Vec<McpServerInput>>")]
    pub mcp_servers: Option<Json>,
    /// Tools that its sessions do not get: additional_disabled.
    #[serde(default)]
    #[arg(long, value_parser = parse_json)]
    #[schemars(with = "Option<ToolOverridesInput>")]
    pub mcp_tool_overrides: Option<Json>,
}

impl Operation for UpdateDiscipline {
    type Input = Input;
    type Output = DisciplineOutput;

    const DECLARATION: Declaration = Declaration::write("update_discipline", Toolset::Plan)
        .sdk("disciplines.update")
        .cli(&["disciplines", "update"])
        .idempotent()
        .examples(&[Example::new(
            "How it works",
            &[
                "disciplines",
                "update",
                "backend",
                "--conventions",
                "No unwrap",
            ],
            r#"{"name": "backend", "conventions": "No unwrap"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<DisciplineOutput> {
        if let Some(name) = &input.display_name {
            required("display_name", name)?;
        }
        context.write(|writer| {
            let discipline = writer.by_name("name", EntityType::Discipline, &input.name)?;
            let mut fields = Changes::default();
            fields.text("icon", input.icon.as_deref());
            fields.text("color", input.color.as_deref());
            fields.text("system_prompt", input.system_prompt.as_deref());
            fields.list("skills", input.skills.as_deref());
            fields.text("conventions", input.conventions.as_deref());
            fields.json("mcp_servers", input.mcp_servers.clone());
            fields.json("mcp_tool_overrides", input.mcp_tool_overrides.clone());

            let patch = Patch {
                title: input.display_name.clone(),
                content: input.description.clone().map(Some),
                properties: fields.0,
                ..Patch::default()
            };
            let discipline = writer.update(&discipline.id, &patch, Dialect::Plan)?;
            Ok(DisciplineOutput::from(&discipline))
        })
    }
}
