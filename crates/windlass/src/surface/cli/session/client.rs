//! How each client gets the MCP servers of a session: its arguments and environment variables.

use std::path::Path;

use serde_json::{Map, Value as Json};
use windlass_core::{Error, Result};

/// The placeholder for the path of the configuration in the arguments of a client.
const CONFIG: &str = "{config}";
/// The placeholder for the briefing.
const PROMPT: &str = "{prompt}";

/// A client as it is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client {
    pub program: String,
    pub args: Vec<String>,
    pub env: Vec<(&'static str, String)>,
}

impl Client {
    /// From the arguments after `--`, the path of the configuration and its content.
    pub fn new(words: &[String], path: &Path, config: &Json, briefing: &str) -> Result<Self> {
        let Some((program, args)) = words.split_first() else {
            return Err(
                Error::invalid_params("Which client? Give its command after --.").with_hint(
                    "For example: windlass session launch --recipe focus --task 7 -- claude",
                ),
            );
        };
        let path_text = path.display().to_string();
        let filled: Vec<String> = args
            .iter()
            .map(|word| word.replace(CONFIG, &path_text).replace(PROMPT, briefing))
            .collect();
        let mut client = Self {
            program: program.clone(),
            args: filled,
            env: Vec::new(),
        };
        if args.iter().any(|word| word.contains(CONFIG)) {
            return Ok(client);
        }
        let name = Path::new(program).file_name().unwrap_or_default();
        match name.to_string_lossy().as_ref() {
            "claude" => {
                client
                    .args
                    .splice(0..0, ["--mcp-config".to_owned(), path_text]);
            }
            "codex" => {
                client.args.splice(0..0, codex_words(config));
            }
            // It has no option for this, but reads settings of this shape from this path.
            "gemini" => client
                .env
                .push(("GEMINI_CLI_SYSTEM_SETTINGS_PATH", path_text)),
            "cursor-agent" => {
                return Err(Error::invalid_params(
                    "cursor-agent reads MCP servers only from .cursor/mcp.json",
                )
                .with_hint(
                    "Start it with a script that copies {config} there, and pass the script here.",
                ));
            }
            other => {
                return Err(Error::invalid_params(format!(
                    "It is not known how to pass MCP servers to {other}"
                ))
                .with_hint("Put {config} in its arguments; it is replaced by the path."));
            }
        }
        Ok(client)
    }
}

/// Codex takes single settings, each as a key and a TOML value.
fn codex_words(config: &Json) -> Vec<String> {
    let mut words = Vec::new();
    let none = Map::new();
    let servers = config["mcpServers"].as_object().unwrap_or(&none);
    for (name, server) in servers {
        for (key, value) in server.as_object().unwrap_or(&none) {
            words.push("-c".to_owned());
            words.push(format!("mcp_servers.{name}.{key}={}", toml_value(value)));
        }
    }
    words
}

/// Strings, lists and tables of strings: JSON strings are valid TOML strings.
fn toml_value(value: &Json) -> String {
    match value {
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(toml_value).collect();
            format!("[{}]", items.join(", "))
        }
        Json::Object(object) => {
            let pairs: Vec<String> = object
                .iter()
                .map(|(key, value)| format!("{} = {}", Json::from(key.as_str()), toml_value(value)))
                .collect();
            format!("{{{}}}", pairs.join(", "))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn client(words: &[&str]) -> Result<Client> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let config = json!({"mcpServers": {
            "windlass": {"command": "windlass", "args": ["mcp", "--session", "s"]},
            "ui": {"command": "npx", "args": ["-y", "ui"], "env": {"KEY": "a \"b\""}},
        }});
        Client::new(&words, Path::new("/tmp/s/mcp.json"), &config, "Do it.")
    }

    #[test]
    fn each_client_is_told_in_its_own_way() {
        let claude = client(&["/usr/bin/claude", "-p", "{prompt}"]).unwrap();
        assert_eq!(
            claude.args,
            ["--mcp-config", "/tmp/s/mcp.json", "-p", "Do it."]
        );
        let gemini = client(&["gemini"]).unwrap();
        assert_eq!(gemini.env[0].1, "/tmp/s/mcp.json");
        let codex = client(&["codex", "exec"]).unwrap();
        assert!(
            codex
                .args
                .contains(&"mcp_servers.windlass.args=[\"mcp\", \"--session\", \"s\"]".to_owned())
        );
        assert!(
            codex
                .args
                .contains(&"mcp_servers.ui.env={\"KEY\" = \"a \\\"b\\\"\"}".to_owned())
        );
        assert_eq!(codex.args.last().unwrap(), "exec");
        let any = client(&["./agent.sh", "--servers={config}"]).unwrap();
        assert_eq!(any.args, ["--servers=/tmp/s/mcp.json"]);
    }

    #[test]
    fn a_client_that_could_not_be_told_is_refused() {
        for words in [&["./agent.sh"][..], &["cursor-agent"], &[]] {
            let error = client(words).unwrap_err();
            assert!(error.hint().is_some(), "{words:?}");
        }
    }

    #[test]
    fn toml_reads_what_codex_is_given() {
        let line = format!("env = {}", toml_value(&json!({"KEY": "a \"b\" \u{e9}"})));
        let read: toml::Table = toml::from_str(&line).unwrap();
        assert_eq!(read["env"]["KEY"].as_str(), Some("a \"b\" \u{e9}"));
    }
}
