use crate::prelude::*;
use serde_json::Value as Json;
use windlass_core::EntityType;

use super::disciplines::{DisciplineOutput, McpServerInput, ToolOverridesInput, parse_json};
use super::named_entities::{New, create, required};
use super::tasks::Changes;

pub struct CreateDiscipline;

/// Create a new discipline: a craft that tasks need.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The name of the discipline.
    pub name: String,
    /// What people call it.
    pub display_name: String,
    /// A sign for it, for example an emoji.
    pub icon: String,
    /// Its colour, for example #3b82f6.
    pub color: String,
    /// Four of A-Z and 0-9, unique; made from the name if absent.
    #[serde(default)]
    #[arg(long)]
    pub acronym: Option<String>,
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

impl Operation for CreateDiscipline {
    type Input = Input;
    type Output = DisciplineOutput;

    const DECLARATION: Declaration = Declaration::write("create_discipline", Toolset::Plan)
        .sdk("disciplines.create")
        .cli(&["disciplines", "create"])
        .examples(&[Example::new(
            "A craft of its own",
            &["disciplines", "create", "data", "Data", "🗄", "teal"],
            r#"{"name": "data", "display_name": "Data", "icon": "🗄", "color": "teal"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<DisciplineOutput> {
        required("icon", &input.icon)?;
        required("color", &input.color)?;
        context.write(|writer| {
            let mut fields = Changes::default();
            fields.text("icon", Some(&input.icon));
            fields.text("color", Some(&input.color));
            fields.text("system_prompt", input.system_prompt.as_deref());
            fields.list("skills", input.skills.as_deref());
            fields.text("conventions", input.conventions.as_deref());
            fields.json("mcp_servers", input.mcp_servers.clone());
            fields.json("mcp_tool_overrides", input.mcp_tool_overrides.clone());

            let discipline = create(
                writer,
                EntityType::Discipline,
                &New {
                    name: &input.name,
                    display_name: &input.display_name,
                    description: input.description.as_deref(),
                    acronym: input.acronym.as_deref(),
                },
                fields,
            )?;
            Ok(DisciplineOutput::from(&discipline))
        })
    }
}
