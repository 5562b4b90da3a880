//! `windlass setup` with the real coding agents: each connects to the server in a fresh project.
//!
//! `cargo xtask agents` installs them and says where they are. Without it these tests are skipped.
//! No account is needed to list MCP servers.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and says when it is skipped"
)]

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};

use crate::clients::Ended;
use crate::setup::Bench;

#[expect(
    clippy::disallowed_methods,
    reason = "a test is told by its environment where the clients are"
)]
fn agents() -> Option<(PathBuf, String)> {
    let clients = PathBuf::from(std::env::var_os("WINDLASS_CLIENTS")?);
    let programs = clients.join("agents/node_modules/.bin");
    let path = std::env::var("PATH").unwrap_or_default();
    programs.exists().then_some((programs, path))
}

/// A project that is set up for a client, and the client's own command there.
struct Agent {
    bench: Bench,
    programs: PathBuf,
    path: String,
}

impl Agent {
    fn set_up(client: &str) -> Option<Self> {
        let Some((programs, path)) = agents() else {
            println!("skipped: `cargo xtask agents` installs the coding agents");
            return None;
        };
        let bench = Bench::new();
        let output = bench.run(&["setup", client]);
        assert!(output.status.success(), "{output:?}");
        Some(Self {
            bench,
            programs,
            path,
        })
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        let own = self.bench.path("bin");
        command
            .current_dir(self.bench.project())
            .env("HOME", self.bench.path("home"))
            .env("PATH", format!("{}:{}", own.display(), self.path))
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("CODEX_HOME")
            .env_remove("CLAUDE_CONFIG_DIR");
        command
    }

    fn listed(&self, program: &str) -> String {
        let mut command = self.command(program);
        command.args(["mcp", "list"]);
        let ended = Ended::of(command);
        assert_eq!(ended.code, Some(0), "{ended}");
        format!("{}{}", ended.stdout, ended.stderr)
    }
}

#[test]
fn claude_code_connects_once_the_project_is_trusted() {
    let Some(agent) = Agent::set_up("claude-code") else {
        return;
    };
    let listed = agent.listed("claude");
    assert!(listed.contains("Pending approval"), "{listed}");
    let trusted = json!({"projects": {agent.bench.project().display().to_string(): {
        "hasTrustDialogAccepted": true, "enabledMcpjsonServers": ["windlass"]}}});
    agent.bench.write("home/.claude.json", &trusted.to_string());
    let listed = agent.listed("claude");
    assert!(listed.contains("windlass: windlass mcp"), "{listed}");
    assert!(listed.contains("Connected"), "{listed}");
}

#[test]
fn gemini_cli_connects_once_the_folder_is_trusted() {
    let Some(agent) = Agent::set_up("gemini") else {
        return;
    };
    let trusted = json!({agent.bench.project().display().to_string(): "TRUST_FOLDER"});
    let file = "home/.gemini/trustedFolders.json";
    agent.bench.write(file, &trusted.to_string());
    let listed = agent.listed("gemini");
    assert!(listed.contains("windlass: windlass mcp"), "{listed}");
    assert!(listed.contains("Connected"), "{listed}");
}

#[test]
fn opencode_connects() {
    let Some(agent) = Agent::set_up("opencode") else {
        return;
    };
    let listed = agent.listed("opencode");
    assert!(listed.contains("windlass"), "{listed}");
    assert!(listed.contains("connected"), "{listed}");
}

/// Its list only says what is configured, so a thread is started, which starts the servers.
#[test]
fn codex_connects_once_the_project_is_trusted() {
    let Some(agent) = Agent::set_up("codex") else {
        return;
    };
    let project = agent.bench.project().display().to_string();
    let trusted = format!("[projects.\"{project}\"]\ntrust_level = \"trusted\"\n");
    agent.bench.write("home/.codex/config.toml", &trusted);
    let listed = agent.listed("codex");
    assert!(listed.contains("windlass  windlass  mcp"), "{listed}");
    let mut server = agent
        .command("codex")
        .arg("app-server")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = server.stdin.take().unwrap();
    let client = json!({"name": "test", "title": "Test", "version": "1"});
    for message in [
        json!({"id": 1, "method": "initialize", "params": {"clientInfo": client}}),
        json!({"method": "initialized"}),
        json!({"id": 2, "method": "thread/start", "params": {"cwd": project}}),
    ] {
        writeln!(input, "{message}").unwrap();
    }
    let output = BufReader::new(server.stdout.take().unwrap());
    let mut messages = output
        .lines()
        .map_while(Result::ok)
        .filter_map(|line| serde_json::from_str::<Json>(&line).ok());
    let ended = messages.find(|message| {
        let params = &message["params"];
        message["method"] == "mcpServer/startupStatus/updated"
            && params["name"] == "windlass"
            && params["status"] != "starting"
    });
    server.kill().unwrap();
    server.wait().unwrap();
    assert_eq!(ended.unwrap()["params"]["status"], "ready");
}
