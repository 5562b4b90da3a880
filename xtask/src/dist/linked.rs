//! The crates that are linked into the binary, as cargo resolves them for a target.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use crate::cargo;

/// A crate of the binary.
#[derive(Debug)]
pub struct Crate {
    /// As cargo names it; differs between machines.
    id: String,
    pub name: String,
    pub version: String,
    /// An SPDX expression.
    pub license: String,
    pub folder: PathBuf,
    /// The checksum of the package, unless the crate is part of this workspace.
    pub checksum: Option<String>,
    /// Indexes of the crates that it depends on.
    pub dependencies: Vec<usize>,
}

impl Crate {
    pub fn is_own(&self) -> bool {
        self.checksum.is_none()
    }

    /// A name for the crate that is the same on every machine.
    pub fn purl(&self) -> String {
        format!("pkg:cargo/{}@{}", self.name, self.version)
    }
}

/// The crates of `windlass` for a target, in the order of their names. Crates that only builds or
/// tests need are not among them.
pub fn crates(root: &Path, target: &str) -> Result<Vec<Crate>, String> {
    let metadata = cargo::metadata(root, &["--locked", "--filter-platform", target])?;
    let lock = fs::read_to_string(root.join("Cargo.lock"))
        .map_err(|problem| format!("Cargo.lock: {problem}"))?;
    resolve(&metadata, &checksums(&lock)).ok_or_else(|| "cargo metadata is incomplete".to_owned())
}

/// The checksums of `Cargo.lock`, by name and version.
fn checksums(lock: &str) -> BTreeMap<(String, String), String> {
    let value = |block: &str, key: &str| {
        let prefix = format!("{key} = \"");
        let line = block.lines().find_map(|line| line.strip_prefix(&prefix))?;
        Some(line.trim_end_matches('"').to_owned())
    };
    let blocks = lock.split("[[package]]").skip(1);
    blocks
        .filter_map(|block| {
            let key = (value(block, "name")?, value(block, "version")?);
            Some((key, value(block, "checksum")?))
        })
        .collect()
}

fn resolve(metadata: &Json, checksums: &BTreeMap<(String, String), String>) -> Option<Vec<Crate>> {
    let packages = metadata["packages"].as_array()?;
    let nodes = metadata["resolve"]["nodes"].as_array()?;
    let node = |id: &str| nodes.iter().find(|node| node["id"] == id);
    let windlass = packages.iter().find(|it| it["name"] == "windlass")?;
    let mut reached = BTreeSet::new();
    let mut waiting = vec![windlass["id"].as_str()?];
    while let Some(id) = waiting.pop() {
        if reached.insert(id) {
            waiting.extend(linked_by(node(id)?));
        }
    }
    let of_package = |package: &Json| {
        let text = |key: &str| package[key].as_str().map(str::to_owned);
        let (name, version) = (text("name")?, text("version")?);
        Some(Crate {
            id: text("id")?,
            license: text("license").unwrap_or_default().replace('/', " OR "),
            folder: Path::new(package["manifest_path"].as_str()?)
                .parent()?
                .to_owned(),
            checksum: checksums.get(&(name.clone(), version.clone())).cloned(),
            name,
            version,
            dependencies: Vec::new(),
        })
    };
    let is_reached = |package: &&Json| {
        package["id"]
            .as_str()
            .is_some_and(|id| reached.contains(id))
    };
    let crates: Option<Vec<Crate>> = packages.iter().filter(is_reached).map(of_package).collect();
    let mut crates = crates?;
    crates.sort_by(|one, other| (&one.name, &one.version).cmp(&(&other.name, &other.version)));
    for at in 0..crates.len() {
        let linked: Vec<&str> = linked_by(node(&crates[at].id)?).collect();
        let found = (0..crates.len()).filter(|it| linked.contains(&crates[*it].id.as_str()));
        crates[at].dependencies = found.collect();
    }
    Some(crates)
}

/// The crates that a crate is linked with.
fn linked_by(node: &Json) -> impl Iterator<Item = &str> {
    let is_linked = |dependency: &&Json| {
        let kinds = dependency["dep_kinds"].as_array();
        kinds
            .into_iter()
            .flatten()
            .any(|kind| kind["kind"].is_null())
    };
    let dependencies = node["deps"].as_array().into_iter().flatten();
    dependencies
        .filter(is_linked)
        .filter_map(|dependency| dependency["pkg"].as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn crates_for_builds_and_tests_are_left_out() {
        let package = |name: &str| {
            json!({ "id": format!("{name} 1"), "name": name, "version": "1", "license": "MIT/ISC",
                "manifest_path": format!("/c/{name}/Cargo.toml") })
        };
        let edge = |name: &str, kind: Json| json!({ "pkg": format!("{name} 1"), "dep_kinds": [{ "kind": kind }] });
        let metadata = json!({
            "packages": [package("windlass"), package("used"), package("build"), package("test")],
            "resolve": { "nodes": [
                { "id": "windlass 1", "deps": [edge("used", Json::Null), edge("build", json!("build")),
                    edge("test", json!("dev"))] },
                { "id": "used 1", "deps": [] },
                { "id": "build 1", "deps": [] },
                { "id": "test 1", "deps": [] },
            ]},
        });
        let lock = "[[package]]\nname = \"used\"\nversion = \"1\"\nchecksum = \"abc\"\n\n[[package]]\nname = \"windlass\"\nversion = \"1\"\n";
        let crates = resolve(&metadata, &checksums(lock)).unwrap();
        let names: Vec<&str> = crates.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["used", "windlass"]);
        assert_eq!(crates[0].checksum.as_deref(), Some("abc"));
        assert_eq!(crates[0].license, "MIT OR ISC");
        assert!(crates[1].is_own());
        assert_eq!(crates[1].dependencies, [0]);
    }
}
