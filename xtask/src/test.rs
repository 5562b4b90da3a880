//! All tests of the workspace, with the real MCP clients that some of them need.
//!
//! The clients are other projects' programs. They are put below the target folder once, so that
//! nothing on the machine changes, and the tests are told where by an environment variable.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value as Json;

use crate::conformance;

/// What the client scripts import, and `just`, which comes as a Python package on every system.
const PYTHON_PACKAGES: &[&str] = &["mcp==2.3.0", "jsonschema==4.26.0", "rust-just==1.59.0"];
const NODE_PACKAGES: &[&str] = &["@modelcontextprotocol/inspector@2.12.0", "typescript@5.9.3"];

/// The variable that tells the tests where the clients are.
const CLIENTS: &str = "WINDLASS_CLIENTS";

/// Runs all tests. The arguments go to the runner.
pub fn run(root: &Path, arguments: &[&str]) -> Result<String, String> {
    let clients = target_folder(root)?.join("clients");
    for (name, prepared) in [
        ("Python client", prepare_python(&clients)),
        ("MCP Inspector", prepare_inspector(&clients)),
    ] {
        if let Err(why) = prepared {
            notice(name, &why)?;
        }
    }
    let mut command = Command::new("cargo");
    if succeeds(Command::new("cargo").args(["nextest", "--version"])) {
        command.args(["nextest", "run"]);
    } else {
        command.arg("test");
    }
    let status = command
        .arg("--workspace")
        .args(arguments)
        .env(CLIENTS, &clients)
        .current_dir(root)
        .status()
        .map_err(|problem| format!("cargo: {problem}"))?;
    if !status.success() {
        return Err("Some tests failed.".to_owned());
    }
    // Arguments choose some of the tests, and the suite is none of those.
    if !arguments.is_empty() {
        return Ok("All tests passed.".to_owned());
    }
    let conformance = conformance::run(root)?;
    Ok(format!("{conformance}\nAll tests passed."))
}

/// Says that a client is missing. Where no one reads what is printed, that is an error.
#[expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "a chore talks to the person who started it, and asks whether there is one"
)]
pub fn notice(name: &str, why: &str) -> Result<(), String> {
    let text = format!("The {name} cannot be had: {why}");
    if std::env::var_os("CI").is_some() {
        return Err(text);
    }
    eprintln!("{text}\nThe tests that need it are skipped.");
    Ok(())
}

pub fn target_folder(root: &Path) -> Result<PathBuf, String> {
    let mut cargo = Command::new("cargo");
    cargo.args(["metadata", "--format-version", "1", "--no-deps"]);
    let output = output(cargo.current_dir(root))?;
    let metadata: Json =
        serde_json::from_str(&output).map_err(|problem| format!("cargo metadata: {problem}"))?;
    match metadata["target_directory"].as_str() {
        Some(folder) => Ok(PathBuf::from(folder)),
        None => Err("cargo metadata names no target folder".to_owned()),
    }
}

/// Puts the Python client into a virtual environment, or into a plain folder where none can be
/// made, as on systems that ship that part of Python separately.
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
        let made = output(Command::new(python).args(["-m", "venv"]).arg(&environment));
        let mut pip = if made.is_ok() {
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

fn prepare_inspector(clients: &Path) -> Result<(), String> {
    prepare(&clients.join("node"), NODE_PACKAGES, |folder| {
        let mut npm = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
        npm.args(["install", "--no-audit", "--no-fund", "--prefix"]);
        output(npm.arg(folder).args(NODE_PACKAGES))
    })
}

/// Installs packages into a folder, unless a marker there says that exactly these were before.
/// A folder with half an installation never stays.
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

fn succeeds(command: &mut Command) -> bool {
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// What a program printed, or why it failed.
pub fn output(command: &mut Command) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|problem| format!("{program}: {problem}"))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        let said = String::from_utf8_lossy(&output.stderr);
        Err(format!("{program} failed: {}", said.trim()))
    }
}
