//! How each client gets the MCP servers of a session: its arguments and environment variables.
//!
//! One row per client, as its own help describes it; no other module of the launcher names one.

use std::path::Path;

use serde_json::{Map, Value as Json, json};
use windlass_core::{Error, Result};

use crate::surface::cli::quote::quote;

/// The placeholder for the path of the configuration in the arguments of a client.
const CONFIG: &str = "{config}";
/// The placeholder for the briefing.
const PROMPT: &str = "{prompt}";

/// What a client is given.
pub struct Given<'a> {
    /// The path of the configuration, in the form that Claude Code reads.
    pub path: &'a Path,
    /// Its content.
    pub config: &'a Json,
    pub briefing: &'a str,
    /// Whether the client's own settings in the folder that it works in start windlass.
    pub is_set_up: &'a dyn Fn(&str) -> bool,
}

impl Given<'_> {
    fn servers(&self) -> impl Iterator<Item = (&String, &Map<String, Json>)> {
        let servers = self.config["mcpServers"].as_object().into_iter().flatten();
        servers.filter_map(|(name, server)| Some((name, server.as_object()?)))
    }
}

/// How a client takes MCP servers.
enum Way {
    /// Words before its own arguments.
    WordsBefore(fn(&Given<'_>) -> Vec<String>),
    /// Words after them: options of a subcommand.
    WordsAfter(fn(&Given<'_>) -> Vec<String>),
    /// The content of an environment variable.
    Variable(&'static str, fn(&Given<'_>) -> String),
    /// Only from its settings in the project. The server that they start finds its session in the
    /// environment. Given are the client's name in `windlass setup`, and words before its arguments.
    OwnSettings(&'static str, &'static [&'static str]),
}

/// The clients by the name of their program.
const CLIENTS: &[(&str, Way)] = &[
    ("claude", Way::WordsBefore(claude)),
    ("codex", Way::WordsBefore(codex)),
    // It takes settings by a variable too, but only from files that root owns.
    ("gemini", Way::OwnSettings("gemini", &[])),
    (
        "opencode",
        Way::Variable("OPENCODE_CONFIG_CONTENT", opencode),
    ),
    (
        "cursor-agent",
        Way::OwnSettings("cursor", &["--approve-mcps"]),
    ),
    ("goose", Way::WordsAfter(goose)),
];

/// The names of the known clients, for the help.
pub fn names() -> String {
    let names: Vec<&str> = CLIENTS.iter().map(|(name, _)| *name).collect();
    names.join(", ")
}

/// A client as it is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client {
    pub program: String,
    pub args: Vec<String>,
    pub env: Vec<(&'static str, String)>,
}

impl Client {
    /// From the arguments after `--`.
    pub fn new(words: &[String], given: &Given<'_>) -> Result<Self> {
        let Some((program, args)) = words.split_first() else {
            return Err(
                Error::invalid_params("Which client? Give its command after --.").with_hint(
                    "For example: windlass session launch --task 7 -- claude -p '{prompt}'",
                ),
            );
        };
        let path = given.path.display().to_string();
        let fill = |word: &String| word.replace(CONFIG, &path).replace(PROMPT, given.briefing);
        let mut client = Self {
            program: program.clone(),
            args: args.iter().map(fill).collect(),
            env: Vec::new(),
        };
        if args.iter().any(|word| word.contains(CONFIG)) {
            return Ok(client);
        }
        let name = Path::new(program).file_name().unwrap_or_default();
        let name = name.to_string_lossy();
        let Some((_, way)) = CLIENTS.iter().find(|(known, _)| *known == name) else {
            return Err(Error::invalid_params(format!(
                "It is not known how to pass MCP servers to {name}"
            ))
            .with_hint("Put {config} in its arguments; it is replaced by the path."));
        };
        match way {
            Way::WordsBefore(words) => drop(client.args.splice(0..0, words(given))),
            Way::WordsAfter(words) => client.args.extend(words(given)),
            Way::Variable(variable, value) => client.env.push((variable, value(given))),
            Way::OwnSettings(setup, words) => {
                if !(given.is_set_up)(setup) {
                    let message = format!("{name} reads MCP servers only from its own settings");
                    let hint = format!("Run windlass setup {setup} in this folder first.");
                    return Err(Error::invalid_params(message).with_hint(hint));
                }
                let words = words.iter().map(|word| (*word).to_owned());
                client.args.splice(0..0, words);
            }
        }
        Ok(client)
    }

    /// Whether the words ask for a client that works by itself: it is given the briefing.
    pub fn is_given_the_prompt(words: &[String]) -> bool {
        words.iter().any(|word| word.contains(PROMPT))
    }
}

/// The tools of the session need no confirmation: without a terminal, nobody could give it. With an
/// equals sign, because both options would also take the words that follow.
fn claude(given: &Given<'_>) -> Vec<String> {
    vec![
        format!("--mcp-config={}", given.path.display()),
        "--allowedTools=mcp__windlass".to_owned(),
    ]
}

/// Single settings, each as a key and a TOML value.
fn codex(given: &Given<'_>) -> Vec<String> {
    let mut words = Vec::new();
    let mut set = |name: &str, key: &str, value: &Json| {
        words.push("-c".to_owned());
        words.push(format!("mcp_servers.{name}.{key}={}", toml_value(value)));
    };
    for (name, server) in given.servers() {
        for (key, value) in server {
            set(name, key, value);
        }
    }
    set("windlass", "default_tools_approval_mode", &json!("approve"));
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

/// The program and its arguments.
fn command_of(server: &Map<String, Json>) -> Vec<Json> {
    let arguments = server.get("args").and_then(Json::as_array);
    let arguments = arguments.into_iter().flatten().cloned();
    server
        .get("command")
        .cloned()
        .into_iter()
        .chain(arguments)
        .collect()
}

/// Settings that are merged with those of the files.
fn opencode(given: &Given<'_>) -> String {
    let servers: Map<String, Json> = given
        .servers()
        .map(|(name, server)| {
            let mut entry =
                json!({"type": "local", "command": command_of(server), "enabled": true});
            if let Some(variables) = server.get("env") {
                entry["environment"] = variables.clone();
            }
            (name.clone(), entry)
        })
        .collect();
    json!({ "mcp": servers }).to_string()
}

/// One option per server, with a command line that begins with the variables.
fn goose(given: &Given<'_>) -> Vec<String> {
    let lines = given.servers().map(|(_, server)| {
        let variables = server.get("env").and_then(Json::as_object);
        let variables = variables
            .into_iter()
            .flatten()
            .map(|(name, value)| format!("{name}={}", quote(value.as_str().unwrap_or_default())));
        let command = command_of(server).into_iter();
        let command = command.map(|word| quote(word.as_str().unwrap_or_default()).into_owned());
        variables.chain(command).collect::<Vec<_>>().join(" ")
    });
    lines
        .flat_map(|line| ["--with-extension".to_owned(), line])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client_where(words: &[&str], is_set_up: &dyn Fn(&str) -> bool) -> Result<Client> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let config = json!({"mcpServers": {
            "windlass": {"command": "windlass", "args": ["mcp", "--session", "s"]},
            "ui": {"command": "npx", "args": ["-y", "ui"], "env": {"KEY": "a \"b\""}},
        }});
        let given = Given {
            path: Path::new("/tmp/s/mcp.json"),
            config: &config,
            briefing: "Do it.",
            is_set_up,
        };
        Client::new(&words, &given)
    }

    fn client(words: &[&str]) -> Client {
        client_where(words, &|_| true).unwrap()
    }

    #[test]
    fn each_client_is_told_in_its_own_way() {
        let claude = client(&["/usr/bin/claude", "-p", "{prompt}"]);
        assert_eq!(
            claude.args,
            [
                "--mcp-config=/tmp/s/mcp.json",
                "--allowedTools=mcp__windlass",
                "-p",
                "Do it."
            ]
        );
        let codex = client(&["codex", "exec"]).args;
        for word in [
            "mcp_servers.windlass.args=[\"mcp\", \"--session\", \"s\"]",
            "mcp_servers.windlass.default_tools_approval_mode=\"approve\"",
            "mcp_servers.ui.env={\"KEY\" = \"a \\\"b\\\"\"}",
        ] {
            assert!(codex.iter().any(|it| it == word), "{word} in {codex:?}");
        }
        assert_eq!(codex.last().unwrap(), "exec");
        let (name, value) = client(&["opencode", "run"]).env.remove(0);
        assert_eq!(name, "OPENCODE_CONFIG_CONTENT");
        let value: Json = serde_json::from_str(&value).unwrap();
        assert_eq!(
            value["mcp"]["ui"],
            json!({"type": "local", "command": ["npx", "-y", "ui"], "enabled": true,
                "environment": {"KEY": "a \"b\""}})
        );
        assert_eq!(
            client(&["goose", "run", "-t", "{prompt}"]).args,
            [
                "run",
                "-t",
                "Do it.",
                "--with-extension",
                "windlass mcp --session s",
                "--with-extension",
                "KEY='a \"b\"' npx -y ui",
            ]
        );
        assert_eq!(
            client(&["cursor-agent", "-p"]).args,
            ["--approve-mcps", "-p"]
        );
        assert_eq!(client(&["gemini", "-p"]).args, ["-p"]);
        let any = client(&["./agent.sh", "--servers={config}"]);
        assert_eq!(any.args, ["--servers=/tmp/s/mcp.json"]);
    }

    #[test]
    fn a_client_that_could_not_be_told_is_refused() {
        for words in [&["./agent.sh"][..], &["cursor-agent"], &["gemini"], &[]] {
            let error = client_where(words, &|_| false).unwrap_err();
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
