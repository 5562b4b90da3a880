//! Cargo, asked about the workspace or told to build what a chore runs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value as Json;

use crate::programs::output;
use crate::progress;

/// What a first build costs, so that no one takes it for a hang. Later ones take seconds.
pub const FIRST_BUILD: &str = "a first build takes about 8 minutes on two cores";

/// Cargo in the workspace, as if a person had started it.
///
/// `cargo run` describes this package to what it runs by environment variables. Build scripts that
/// look at those would run again after every change between `cargo xtask` and plain `cargo`, and
/// what depends on them would be compiled again.
#[expect(
    clippy::disallowed_methods,
    reason = "what the variables are called depends on the version of cargo"
)]
pub fn command(root: &Path) -> Command {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(root);
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(describes_this_package) {
            cargo.env_remove(name);
        }
    }
    cargo
}

fn describes_this_package(variable: &str) -> bool {
    let mut prefixes = ["CARGO_MANIFEST_", "CARGO_PKG_", "CARGO_BIN_"].iter();
    prefixes.any(|prefix| variable.starts_with(prefix))
}

/// What cargo knows about the packages of the workspace. Further arguments widen it.
pub fn metadata(root: &Path, arguments: &[&str]) -> Result<Json, String> {
    let mut cargo = command(root);
    cargo.args(["metadata", "--format-version", "1"]);
    let text = output(cargo.args(arguments))?;
    serde_json::from_str(&text).map_err(|problem| format!("cargo metadata: {problem}"))
}

pub fn target_folder(root: &Path) -> Result<PathBuf, String> {
    let metadata = metadata(root, &["--no-deps"])?;
    match metadata["target_directory"].as_str() {
        Some(folder) => Ok(PathBuf::from(folder)),
        None => Err("cargo metadata names no target folder".to_owned()),
    }
}

/// Builds `windlass` as it is shipped, with cargo's own progress on the terminal, and returns where
/// it is.
pub fn build_windlass(root: &Path) -> Result<PathBuf, String> {
    progress(&format!("Building windlass ({FIRST_BUILD})…"));
    build(root, "windlass", &[])
}

/// Builds Windlass with what the conformance suite calls. It has a name of its own, so that the
/// binary that tests and people use stays as it is.
pub fn build_conformance(root: &Path) -> Result<PathBuf, String> {
    progress("Building windlass with the fixture of the conformance suite…");
    build(root, "windlass-conformance", &["--features", "conformance"])
}

fn build(root: &Path, program: &str, arguments: &[&str]) -> Result<PathBuf, String> {
    let output = command(root)
        .args(["build", "--package", "windlass", "--bin", program])
        .args(["--message-format", "json-render-diagnostics"])
        .args(arguments)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|problem| format!("cargo: {problem}"))?;
    if !output.status.success() {
        return Err(format!("{program} could not be built."));
    }
    executable(&String::from_utf8_lossy(&output.stdout), program)
        .ok_or_else(|| format!("cargo did not say where {program} is"))
}

/// Where cargo put a program, by its messages. Libraries have the same name and no executable.
fn executable(messages: &str, program: &str) -> Option<PathBuf> {
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Json>(line).ok())
        .filter(|message| message["target"]["name"] == program)
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_found_among_the_messages() {
        let messages = "\
            {\"reason\":\"compiler-artifact\",\"target\":{\"name\":\"windlass\"},\"executable\":null}\n\
            not a message\n\
            {\"reason\":\"compiler-artifact\",\"target\":{\"name\":\"windlass\"},\"executable\":\"/t/windlass\"}\n\
            {\"reason\":\"build-finished\",\"success\":true}\n";
        assert_eq!(
            executable(messages, "windlass"),
            Some(PathBuf::from("/t/windlass"))
        );
        assert_eq!(executable(messages, "other"), None);
    }

    #[test]
    fn only_the_description_of_this_package_is_left_out() {
        for variable in [
            "CARGO_MANIFEST_DIR",
            "CARGO_PKG_NAME",
            "CARGO_PKG_VERSION_PRE",
        ] {
            assert!(describes_this_package(variable), "{variable}");
        }
        for variable in [
            "CARGO",
            "CARGO_HOME",
            "CARGO_TARGET_DIR",
            "CARGO_BUILD_JOBS",
        ] {
            assert!(!describes_this_package(variable), "{variable}");
        }
    }
}
