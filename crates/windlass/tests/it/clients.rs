//! Real MCP clients against the real binary, in both eras of the protocol.
//!
//! `cargo xtask test` gets the clients and says where they are. Without it these tests are skipped.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and says when it is skipped"
)]

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use windlass_ops::{Audience, Declaration, OPERATIONS, Toolset};

use crate::http_server::HttpServer;
use crate::sample;
use crate::sample_work::with_work;

/// How long one client may take.
const LIMIT: Duration = Duration::from_mins(5);

#[test]
fn checklist_legacy() {
    run_script("checklist.py", "legacy", &[]);
}

#[test]
fn checklist_modern() {
    run_script("checklist.py", "auto", &[]);
}

#[test]
fn every_tool_legacy() {
    run_every_tool("legacy");
}

#[test]
fn every_tool_modern() {
    run_every_tool("auto");
}

#[test]
fn resources_legacy() {
    run_script("resources.py", "legacy", &[]);
}

#[test]
fn resources_modern() {
    run_script("resources.py", "auto", &[]);
}

#[test]
fn sessions_legacy() {
    run_script("sessions.py", "legacy", &[]);
}

#[test]
fn sessions_modern() {
    run_script("sessions.py", "auto", &[]);
}

#[test]
fn code_legacy() {
    run_script("code.py", "legacy", &[]);
}

#[test]
fn code_modern() {
    run_script("code.py", "auto", &[]);
}

/// An editor takes the declarations of the SDK without a word.
#[test]
fn the_compiler_takes_the_declarations() {
    let Some(compiler) = node_program("tsc") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::copy(root.join("docs/sdk.d.ts"), folder.path().join("sdk.d.ts")).unwrap();
    let settings = json!({
        "compilerOptions": {
            "strict": true, "noEmit": true, "target": "es2023", "lib": ["es2023"],
            "module": "esnext", "moduleDetection": "force", "types": [],
        },
    });
    std::fs::write(folder.path().join("tsconfig.json"), settings.to_string()).unwrap();
    let script = "const made = await entities.create({ type: \"task\", title: \"x\" });\n\
        const found = await entities.get(made.sequence_number);\n\
        const same: string = (await entities.get({ id: found.id })).title;\n\
        console.log(same, await tasks.ready());\n\
        try { await entities.delete(7) } catch (e) { console.error((e as SdkError).tag) }\n\
        // @ts-expect-error there is no such field\n\
        await tasks.ready({ limt: 3 });\n\
        // @ts-expect-error there is no such method\n\
        await tasks.rdy();\n";
    std::fs::write(folder.path().join("script.ts"), script).unwrap();
    let mut command = Command::new(compiler);
    command.arg("--project").arg(folder.path());
    let ended = Ended::of(command);
    assert_eq!(ended.code, Some(0), "{ended}");
}

#[test]
fn over_http_legacy() {
    run_script("over_http.py", "legacy", &[]);
}

#[test]
fn over_http_modern() {
    run_script("over_http.py", "auto", &[]);
}

#[test]
fn workflow_legacy() {
    run_story("workflow.py", "legacy");
}

#[test]
fn workflow_modern() {
    run_story("workflow.py", "auto");
}

#[test]
fn story_legacy() {
    run_story("story.py", "legacy");
}

#[test]
fn story_modern() {
    run_story("story.py", "auto");
}

/// Runs a script on an empty project that has a folder above it for itself.
fn run_story(script: &str, mode: &str) {
    let above = tempfile::tempdir().unwrap();
    let folder = above.path().join("project");
    windlass_store::Project::init(&folder).unwrap();
    run_script_in(&folder, script, mode, &[]);
}

#[test]
fn inspector_over_http() {
    let Some(inspector) = inspector() else { return };
    let sample = sample::filled();
    let server = HttpServer::start_with(sample.folder.path(), &["--toolsets", "all"], &[]);
    let expected: Vec<_> = offered().map(wire_name).collect();
    for era in ["legacy", "modern"] {
        let by_url = |method: &str, options: &[&str]| {
            let mut command = Command::new(&inspector);
            command
                .args(["--cli", &server.url("/mcp"), "--quiet", "--method", method])
                .args(["--protocol-era", era, "--format", "json"])
                .args(options);
            Ended::of(command)
        };
        let listed = by_url("tools/list", &[]).json();
        let tools = listed["result"]["tools"].as_array().unwrap();
        for name in &expected {
            assert!(
                tools.iter().any(|tool| tool["name"] == *name),
                "{era} {name}"
            );
        }
        let options = [
            "--tool-name",
            "entity_get",
            "--tool-args-json",
            "{\"id\":\"1\"}",
        ];
        let called = by_url("tools/call", &options);
        let title = &called.json()["result"]["structuredContent"]["title"];
        assert_eq!(title, "Use PostgreSQL", "{era}: {called}");
        let strict = by_url("tools/list", &["--strict"]);
        assert_eq!(strict.code, Some(0), "{era}: {strict}");
    }
}

#[test]
fn inspector_lists_every_tool() {
    let Some(inspector) = inspector() else { return };
    let sample = sample::filled();
    for era in ["legacy", "modern"] {
        let options = ["--protocol-era", era, "--format", "json"];
        let ended = inspect(&inspector, sample.folder.path(), "tools/list", &options);
        let answer = ended.json();
        let names: Vec<_> = answer["result"]["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["name"].as_str().unwrap())
            .collect();
        let expected: Vec<_> = offered().map(wire_name).collect();
        assert_eq!(names, expected, "{era}");
    }
}

/// Schemas that some client could not take are an error there.
#[test]
fn inspector_finds_no_fault_in_the_schemas() {
    let Some(inspector) = inspector() else { return };
    let sample = sample::filled();
    let ended = inspect(
        &inspector,
        sample.folder.path(),
        "tools/list",
        &["--strict"],
    );
    assert_eq!(ended.code, Some(0), "{ended}");
}

#[test]
fn inspector_calls_every_tool_legacy() {
    inspector_calls_every_other_tool("legacy", 0);
}

#[test]
fn inspector_calls_every_tool_modern() {
    inspector_calls_every_other_tool("modern", 1);
}

/// The Inspector takes its time to start, and every tool is called in both eras elsewhere.
fn inspector_calls_every_other_tool(era: &str, first: usize) {
    let Some(inspector) = inspector() else { return };
    for declaration in offered().skip(first).step_by(2) {
        // It runs what a person allowed in settings that the Inspector does not pass on.
        if declaration.name == "gate_try" {
            continue;
        }
        let sample = with_work();
        let name = &wire_name(declaration);
        let input = declaration.examples[0].input;
        let options = [
            "--tool-name",
            name,
            "--tool-args-json",
            input,
            "--protocol-era",
            era,
            "--format",
            "json",
        ];
        let server: &[&str] = match declaration.toolset {
            Toolset::Focus => &["--session", "focus-2-sample"],
            _ => &["--toolsets", "all"],
        };
        let folder = sample.folder.path();
        let ended = inspect_server(&inspector, folder, "tools/call", &options, server);
        let result = &ended.json()["result"];
        assert_eq!(result["isError"], false, "{name}: {ended}");
        assert!(result["structuredContent"].is_object(), "{name}: {ended}");
    }
}

#[test]
fn inspector_reads_resources_and_prompts() {
    let Some(inspector) = inspector() else { return };
    let sample = sample::filled();
    for (method, options, found) in [
        (
            "resources/read",
            &["--uri", "medulla://decisions"][..],
            "Use PostgreSQL",
        ),
        ("resources/list", &[], "windlass://tasks/ready"),
        ("resources/templates/list", &[], "windlass://entity/{id}"),
        ("prompts/list", &[], "prompts"),
    ] {
        for era in ["legacy", "modern"] {
            let options = [options, &["--protocol-era", era]].concat();
            let ended = inspect(&inspector, sample.folder.path(), method, &options);
            assert_eq!(ended.code, Some(0), "{method} {era}: {ended}");
            assert!(ended.stdout.contains(found), "{method} {era}: {ended}");
        }
    }
}

/// The operations that agents may call, in the order of the list.
fn offered() -> impl Iterator<Item = &'static Declaration> {
    OPERATIONS
        .iter()
        .map(|entry| &entry.declaration)
        .filter(|declaration| declaration.audience == Audience::Anyone)
}

/// The name alone, or with its toolset where two toolsets use the same.
fn wire_name(declaration: &Declaration) -> String {
    let uses = offered().filter(|other| other.name == declaration.name);
    if uses.count() > 1 {
        return format!("{}_{}", declaration.toolset.name(), declaration.name);
    }
    declaration.name.to_owned()
}

/// Every example of every operation that agents may call.
fn examples() -> Vec<Json> {
    let mut examples = Vec::new();
    for declaration in offered() {
        for example in declaration.examples {
            examples.push(json!({
                "toolset": declaration.toolset.name(),
                "name": declaration.name,
                "input": serde_json::from_str::<Json>(example.input).unwrap(),
            }));
        }
    }
    examples
}

fn run_every_tool(mode: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("examples.json");
    std::fs::write(&file, Json::from(examples()).to_string()).unwrap();
    let sample = with_work();
    let examples = file.to_str().unwrap();
    run_script_in(sample.folder.path(), "every_tool.py", mode, &[examples]);
}

/// Runs a script on the sample project; it fails by its exit code.
fn run_script(script: &str, mode: &str, more: &[&str]) {
    let sample = sample::filled();
    run_script_in(sample.folder.path(), script, mode, more);
}

/// Runs a script on the project in a folder; it fails by its exit code.
pub fn run_script_in(folder: &Path, script: &str, mode: &str, more: &[&str]) {
    let Some(mut python) = python() else { return };
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients");
    python
        .arg(scripts.join(script))
        .arg(env!("CARGO_BIN_EXE_windlass"))
        .arg(folder)
        .arg(mode)
        .args(more)
        .env("XDG_STATE_HOME", sample::state_home())
        .env("PYTHONDONTWRITEBYTECODE", "1");
    let ended = Ended::of(python);
    assert_eq!(ended.code, Some(0), "{ended}");
    // Shown by the runner where someone asks for it.
    println!("{}", ended.stdout);
}

fn inspect(inspector: &Path, folder: &Path, method: &str, options: &[&str]) -> Ended {
    inspect_server(inspector, folder, method, options, &["--toolsets", "all"])
}

/// For a client that starts servers with an environment of their own.
pub fn state_home_variable() -> String {
    format!("XDG_STATE_HOME={}", sample::state_home().display())
}

fn inspect_server(
    inspector: &Path,
    folder: &Path,
    method: &str,
    options: &[&str],
    server: &[&str],
) -> Ended {
    let mut command = Command::new(inspector);
    command
        .args(["--cli", "--quiet", "--method", method])
        .args(options)
        .arg("-e")
        .arg(state_home_variable())
        .args(["--", env!("CARGO_BIN_EXE_windlass"), "mcp"])
        .args(server)
        .current_dir(folder);
    Ended::of(command)
}

/// A Python that has the client library, and finds the runners that came with it.
pub fn python() -> Option<Command> {
    let clients = clients()?;
    let mut command = python_in(&clients)?;
    command.env("PATH", path_with_runners(&clients));
    Some(command)
}

/// The PATH of this process behind the folder that holds `just`.
#[expect(
    clippy::disallowed_methods,
    reason = "what a test starts finds the programs that the test finds"
)]
fn path_with_runners(clients: &Path) -> OsString {
    let own = std::env::var_os("PATH").unwrap_or_default();
    let runners = ["environment/bin", "packages/bin"].map(|it| clients.join("python").join(it));
    std::env::join_paths(runners.into_iter().chain(std::env::split_paths(&own))).unwrap()
}

fn python_in(clients: &Path) -> Option<Command> {
    let python = clients.join(if cfg!(windows) {
        "python/environment/Scripts/python.exe"
    } else {
        "python/environment/bin/python"
    });
    if python.exists() {
        return Some(Command::new(python));
    }
    // Where virtual environments cannot be made, only the library is there.
    let packages = clients.join("python/packages");
    if packages.exists() {
        let mut command = Command::new("python3");
        command.env("PYTHONPATH", packages);
        return Some(command);
    }
    skip("the Python client could not be had")
}

pub fn inspector() -> Option<PathBuf> {
    node_program("mcp-inspector")
}

/// A program that came with npm.
fn node_program(name: &str) -> Option<PathBuf> {
    let file = if cfg!(windows) {
        format!("{name}.cmd")
    } else {
        name.to_owned()
    };
    let program = clients()?.join("node/node_modules/.bin").join(file);
    if program.exists() {
        return Some(program);
    }
    skip(&format!("{name} could not be had"))
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test is told by its environment where the clients are"
)]
pub fn clients() -> Option<PathBuf> {
    match std::env::var_os("WINDLASS_CLIENTS") {
        Some(folder) => Some(PathBuf::from(folder)),
        None => skip("WINDLASS_CLIENTS is not set; `cargo xtask test` gets the clients"),
    }
}

pub fn skip<T>(why: &str) -> Option<T> {
    println!("skipped: {why}");
    None
}

/// How a client ended, and all it said.
pub struct Ended {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
    /// Runs a client to its end, or to the end of its time.
    pub fn of(mut command: Command) -> Self {
        for name in [
            "RUST_LOG",
            "WINDLASS_CORRELATION_ID",
            "WINDLASS_LOG_LEVEL",
            "WINDLASS_MAX_BATCH_SIZE",
            "WINDLASS_REQUEST_TIMEOUT_MS",
            "WINDLASS_SESSION",
        ] {
            command.env_remove(name);
        }
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = read(child.stdout.take().unwrap());
        let stderr = read(child.stderr.take().unwrap());
        let deadline = Instant::now() + LIMIT;
        let in_time = |text: &Receiver<String>| {
            text.recv_timeout(deadline.saturating_duration_since(Instant::now()))
                .ok()
        };
        let texts = (in_time(&stdout), in_time(&stderr));
        let code = match &texts {
            (Some(_), Some(_)) => child.wait().unwrap().code(),
            _ => end(&mut child),
        };
        Self {
            code,
            stdout: texts.0.or_else(|| stdout.recv().ok()).unwrap_or_default(),
            stderr: texts.1.or_else(|| stderr.recv().ok()).unwrap_or_default(),
        }
    }

    pub fn json(&self) -> Json {
        serde_json::from_str(&self.stdout).unwrap_or_else(|problem| panic!("{problem}: {self}"))
    }
}

impl std::fmt::Display for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let how = match self.code {
            Some(code) => format!("exit code {code}"),
            None => "no exit code: it was ended".to_owned(),
        };
        write!(
            f,
            "{how}\n--- stdout\n{}\n--- stderr\n{}",
            self.stdout, self.stderr
        )
    }
}

fn end(child: &mut Child) -> Option<i32> {
    // It may have ended by itself just now.
    let _ = child.kill();
    child.wait().unwrap();
    None
}

/// Reads a stream to its end on a thread of its own, so that no full pipe holds up the client.
fn read(mut stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What came before an error is still worth showing.
        let _ = stream.read_to_end(&mut bytes);
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}
