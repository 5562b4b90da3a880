//! The real coding agents: after `windlass setup` each connects to the server in a fresh project,
//! and `windlass session launch` lets Claude Code work on a task.
//!
//! `cargo xtask agents` installs them and says where they are. Without it these tests are skipped.
//! No account is needed: listing MCP servers takes none, and a script stands in for the model.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and says when it is skipped"
)]

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

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
        self.with_environment(Command::new(self.programs.join(program)))
    }

    /// In the project, with a home and a search path of its own.
    fn with_environment(&self, mut command: Command) -> Command {
        let own = self.bench.path("bin");
        command
            .current_dir(self.bench.project())
            .env("HOME", self.bench.path("home"))
            .env("PATH", format!("{}:{}", own.display(), self.path))
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_STATE_HOME")
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

/// The whole way: a session, the real client with the session's tools, what it says, and the end.
#[test]
fn claude_code_works_on_a_task() {
    let Some(agent) = Agent::set_up("claude-code") else {
        return;
    };
    let bench = &agent.bench;
    bench.run(&["add", "Log in"]);
    let calls = json!([
        ["learned", {"text": "It needs a salt", "kind": "discovery"}],
        ["done", {"summary": "Logged in"}],
    ]);
    let model = Model::start(bench, &calls);
    let claude = agent.programs.join("claude").display().to_string();
    let words = [
        "--json", "session", "launch", "--task", "1", "--", &claude, "-p", "{prompt}",
    ];
    let mut command = agent.with_environment(Command::new(env!("CARGO_BIN_EXE_windlass")));
    command
        .args(words)
        .env(
            "ANTHROPIC_BASE_URL",
            format!("http://127.0.0.1:{}", model.port),
        )
        .env("ANTHROPIC_API_KEY", "no-account")
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
    let ended = Ended::of(command);
    assert_eq!(ended.code, Some(0), "{ended}");
    for text in [
        "call learned",
        "learned: It needs a salt",
        "done: Logged in",
    ] {
        assert!(ended.stdout.contains(text), "{text}: {ended}");
    }
    let read = std::fs::read_to_string(bench.path("log")).unwrap();
    assert_eq!(read.lines().count(), 2, "{read}");
    let task = bench.run(&["--json", "show", "1"]);
    let task: Json = serde_json::from_slice(&task.stdout).unwrap();
    assert_eq!(task["status"], "done");
}

/// The script that stands in for the model.
struct Model {
    process: Child,
    port: String,
}

impl Model {
    fn start(bench: &Bench, calls: &Json) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/model.py");
        let port = bench.path("port");
        let process = Command::new("python3")
            .arg(script)
            .arg(&port)
            .arg(calls.to_string())
            .arg(bench.path("log"))
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let begin = Instant::now();
        let port = loop {
            if let Ok(port) = std::fs::read_to_string(&port) {
                break port;
            }
            assert!(begin.elapsed() < Duration::from_secs(20), "the model is up");
            std::thread::sleep(Duration::from_millis(20));
        };
        Self { process, port }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
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
