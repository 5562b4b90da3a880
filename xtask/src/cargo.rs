//! Runs cargo: reads metadata of the workspace, and builds programs that a task needs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value as Json;

use crate::programs::output;
use crate::progress;

/// How long a first build takes, so that it is not mistaken for a hang. Later builds take seconds.
pub const FIRST_BUILD: &str = "a first build takes about 8 minutes on two cores";

/// Cargo in the workspace, with the environment of a person's shell.
///
/// `cargo run` sets environment variables that describe this package. Build scripts that read them
/// would run again after every switch between `cargo xtask` and plain `cargo`, and all their
/// dependents would be compiled again.
#[expect(
    clippy::disallowed_methods,
    reason = "the names of the variables depend on the version of cargo"
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

/// The metadata of the packages of the workspace. Further arguments extend it.
pub fn metadata(root: &Path, arguments: &[&str]) -> Result<Json, String> {
    let mut cargo = command(root);
    cargo.args(["metadata", "--format-version", "1"]);
    let text = output(cargo.args(arguments))?;
    serde_json::from_str(&text).map_err(|problem| format!("cargo metadata: {problem}"))
}

/// The version of the product.
pub fn version(root: &Path) -> Result<String, String> {
    let metadata = metadata(root, &["--no-deps"])?;
    let mut packages = metadata["packages"].as_array().into_iter().flatten();
    let windlass = packages.find(|package| package["name"] == "windlass");
    let version = windlass.and_then(|package| package["version"].as_str());
    version
        .map(str::to_owned)
        .ok_or_else(|| "windlass has no version".to_owned())
}

pub fn target_folder(root: &Path) -> Result<PathBuf, String> {
    let metadata = metadata(root, &["--no-deps"])?;
    match metadata["target_directory"].as_str() {
        Some(folder) => Ok(PathBuf::from(folder)),
        None => Err("cargo metadata contains no target folder".to_owned()),
    }
}

/// Builds `windlass` as it is shipped, shows cargo's progress on the terminal, and returns the path
/// of the binary.
pub fn build_windlass(root: &Path) -> Result<PathBuf, String> {
    progress(&format!("Building windlass ({FIRST_BUILD})…"));
    build(root, "windlass", &[])
}

/// Builds Windlass with the tools that the conformance suite calls. The binary has its own name, so
/// that the one that tests and people use does not change.
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
        .ok_or_else(|| format!("cargo did not report the path of {program}"))
}

/// The path of a program, according to cargo's messages. A library with the same name has no
/// executable.
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
