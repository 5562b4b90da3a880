//! What a discipline sets for its sessions: additional MCP servers, and tools to disable.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::{Error, Result};

const MAX_SERVERS: usize = 20;
const MAX_DISABLED: usize = 200;

/// An additional MCP server for the sessions of a discipline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpServer {
    pub name: String,
    pub command: String,
    #[serde(default)]
    pub args: Vec<String>,
    #[serde(default)]
    pub env: BTreeMap<String, String>,
}

impl McpServer {
    /// The servers in a stored field.
    pub fn all_of(field: Option<&str>) -> Vec<Self> {
        field
            .and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_default()
    }
}

/// A list of servers, each with a unique name and a command.
pub(crate) fn check_servers(field: &str, given: &Json) -> Result<Json> {
    let items = given
        .as_array()
        .ok_or_else(|| Error::validation(field, "must be a list of servers"))?;
    if items.len() > MAX_SERVERS {
        let problem = format!(
            "has {} servers; at most {MAX_SERVERS} are allowed",
            items.len()
        );
        return Err(Error::validation(field, problem));
    }
    let mut servers: Vec<McpServer> = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        let place = format!("{field}[{at}]");
        let server: McpServer = serde_json::from_value(item.clone()).map_err(|problem| {
            Error::validation(&place, problem)
                .with_hint("A server has name and command, and may have args and env.")
        })?;
        for (name, value) in [("name", &server.name), ("command", &server.command)] {
            if value.trim().is_empty() {
                return Err(Error::validation(&format!("{place}.{name}"), "is required"));
            }
        }
        let is_taken =
            server.name == "windlass" || servers.iter().any(|other| other.name == server.name);
        if is_taken {
            return Err(Error::validation(
                &format!("{place}.name"),
                format!("\"{}\" is already used", server.name),
            )
            .with("value", server.name)
            .with_hint(
                "Give every server a unique name; \"windlass\" is the name of this server.",
            ));
        }
        servers.push(server);
    }
    Ok(json!(servers))
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolOverrides {
    #[serde(default)]
    additional_disabled: Vec<String>,
}

/// An object with the tools to disable. Tools cannot be added.
pub(crate) fn check_tool_overrides(field: &str, given: &Json) -> Result<Json> {
    let overrides: ToolOverrides = serde_json::from_value(given.clone()).map_err(|problem| {
        Error::validation(field, problem)
            .with_hint("For example {\"additional_disabled\": [\"create_task\"]}.")
    })?;
    if overrides.additional_disabled.len() > MAX_DISABLED {
        return Err(Error::validation(
            field,
            format!("names more than {MAX_DISABLED} tools"),
        ));
    }
    Ok(json!(overrides))
}

/// The tools that a stored field disables.
pub fn additional_disabled(field: Option<&str>) -> Vec<String> {
    field
        .and_then(|text| serde_json::from_str::<ToolOverrides>(text).ok())
        .map(|overrides| overrides.additional_disabled)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_have_unique_names() {
        let good = json!([{"name": "ui", "command": "npx", "args": ["-y", "ui"]}]);
        let checked = check_servers("mcp_servers", &good).expect("valid");
        assert_eq!(McpServer::all_of(Some(&checked.to_string()))[0].name, "ui");
        for (bad, field) in [
            (json!({}), "mcp_servers"),
            (json!([{"name": "ui"}]), "mcp_servers[0]"),
            (
                json!([{"name": "ui", "command": " "}]),
                "mcp_servers[0].command",
            ),
            (
                json!([{"name": "windlass", "command": "x"}]),
                "mcp_servers[0].name",
            ),
            (
                json!([{"name": "a", "command": "x"}, {"name": "a", "command": "y"}]),
                "mcp_servers[1].name",
            ),
            (
                json!([{"name": "a", "command": "x", "url": "y"}]),
                "mcp_servers[0]",
            ),
        ] {
            let error = check_servers("mcp_servers", &bad).unwrap_err();
            assert_eq!(error.data()["field"], field);
        }
    }

    #[test]
    fn overrides_can_only_disable_tools() {
        let good = json!({"additional_disabled": ["create_task"]});
        let checked = check_tool_overrides("field", &good).expect("valid");
        assert_eq!(
            additional_disabled(Some(&checked.to_string())),
            ["create_task"]
        );
        assert!(check_tool_overrides("field", &json!({"additional_enabled": ["x"]})).is_err());
        assert_eq!(additional_disabled(None), [""; 0]);
    }
}
