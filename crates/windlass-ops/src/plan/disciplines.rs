//! A discipline with all that belongs to it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use windlass_core::{Entity, McpServer, additional_disabled};

use super::outputs::{list, section};
use crate::view::{Render, Span, Style, View};

/// Another MCP server that the sessions of a discipline get.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct McpServerInput {
    pub name: String,
    pub command: String,
    #[serde(default)]
    pub args: Vec<String>,
    #[serde(default)]
    pub env: BTreeMap<String, String>,
}

/// Tools that the sessions of a discipline do not get.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct ToolOverridesInput {
    #[serde(default)]
    pub additional_disabled: Vec<String>,
}

/// JSON on the command line.
pub fn parse_json(text: &str) -> Result<Json, String> {
    serde_json::from_str(text).map_err(|problem| format!("is not JSON: {problem}"))
}

/// A craft that tasks need.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DisciplineOutput {
    pub name: String,
    /// The number of the entity behind it.
    pub id: i64,
    pub display_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acronym: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    pub skills: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conventions: Option<String>,
    pub mcp_servers: Vec<McpServerInput>,
    pub mcp_tool_overrides: ToolOverridesInput,
    pub created_at: String,
    pub updated_at: String,
}

impl From<&Entity> for DisciplineOutput {
    fn from(discipline: &Entity) -> Self {
        let text = |field: &str| discipline.text(field).map(str::to_owned);
        let servers = McpServer::all_of(discipline.text("mcp_servers"));
        Self {
            name: text("name").unwrap_or_default(),
            id: discipline.number,
            display_name: discipline.title.clone(),
            acronym: text("acronym"),
            icon: text("icon"),
            color: text("color"),
            description: discipline.content.clone(),
            system_prompt: text("system_prompt"),
            skills: discipline.texts("skills").to_vec(),
            conventions: text("conventions"),
            mcp_servers: servers
                .into_iter()
                .map(|server| McpServerInput {
                    name: server.name,
                    command: server.command,
                    args: server.args,
                    env: server.env,
                })
                .collect(),
            mcp_tool_overrides: ToolOverridesInput {
                additional_disabled: additional_disabled(discipline.text("mcp_tool_overrides")),
            },
            created_at: discipline.created_at.as_str().to_owned(),
            updated_at: discipline.updated_at.as_str().to_owned(),
        }
    }
}

impl Render for DisciplineOutput {
    fn view(&self) -> View {
        let mut fields = vec![("name".to_owned(), Span::new(self.name.clone(), Style::Id))];
        for (name, value) in [
            ("acronym", &self.acronym),
            ("icon", &self.icon),
            ("color", &self.color),
        ] {
            if let Some(value) = value {
                fields.push((name.to_owned(), Span::from(value.clone())));
            }
        }
        let view = View::default()
            .line([Span::new(self.display_name.clone(), Style::Strong)])
            .fields(fields);
        let view = section(view, "description", self.description.as_deref());
        let view = section(view, "system prompt", self.system_prompt.as_deref());
        let view = section(view, "conventions", self.conventions.as_deref());
        let view = list(view, "skills", &self.skills);
        let servers: Vec<String> = self
            .mcp_servers
            .iter()
            .map(|server| {
                format!(
                    "{}: {} {}",
                    server.name,
                    server.command,
                    server.args.join(" ")
                )
            })
            .collect();
        let view = list(view, "MCP servers", &servers);
        let off = &self.mcp_tool_overrides.additional_disabled;
        list(view, "tools taken away", off)
    }
}
