//! Who may know whom: the table of ARCHITECTURE.md as a check.
//!
//! It looks at what each `Cargo.toml` names, for building and for testing alike, so that a
//! forbidden edge fails before anyone builds on it.

use std::path::Path;
use std::process::Command;

use serde_json::Value as Json;

/// Crates that stand outside the product and may use all of it.
const FREE: &[&str] = &["xtask", "windlass-bench"];

/// Each crate of the product, and the others that it may name. Arrows point down only.
const EDGES: &[(&str, &[&str])] = &[
    ("windlass-core", &[]),
    ("windlass-process", &["windlass-core"]),
    ("windlass-store", &["windlass-core"]),
    ("windlass-commands", &["windlass-core"]),
    ("windlass-runs", &["windlass-core", "windlass-process"]),
    ("windlass-sandbox", &["windlass-core", "windlass-process"]),
    (
        "windlass-ops",
        &[
            "windlass-core",
            "windlass-process",
            "windlass-store",
            "windlass-commands",
            "windlass-runs",
            "windlass-sandbox",
        ],
    ),
    (
        "windlass",
        &[
            "windlass-core",
            "windlass-process",
            "windlass-store",
            "windlass-ops",
        ],
    ),
];

/// Crates from outside that only some may name, so that each stays behind one door.
const DOORS: &[(&str, &[&str])] = &[
    ("rusqlite", &["windlass-store", "windlass-bench"]),
    ("loro", &["windlass-store"]),
    ("rmcp", &["windlass", "windlass-bench"]),
    (
        "tokio",
        &[
            "windlass",
            "windlass-ops",
            "windlass-process",
            "windlass-runs",
            "windlass-sandbox",
            "windlass-bench",
        ],
    ),
    ("axum", &["windlass", "windlass-bench"]),
    ("rquickjs", &["windlass-sandbox", "windlass-bench"]),
    ("oxc_parser", &["windlass-sandbox"]),
];

/// Checks the workspace at `root`.
pub fn check(root: &Path) -> Result<String, String> {
    let output = Command::new("cargo")
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .current_dir(root)
        .output()
        .map_err(|problem| format!("cargo metadata: {problem}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let metadata: Json = serde_json::from_slice(&output.stdout)
        .map_err(|problem| format!("cargo metadata: {problem}"))?;
    let problems = problems(&metadata);
    if problems.is_empty() {
        Ok("No crate depends on one that it must not know.".to_owned())
    } else {
        Err(problems.join("\n"))
    }
}

fn problems(metadata: &Json) -> Vec<String> {
    let packages = list(&metadata["packages"]);
    let members: Vec<&str> = packages.iter().map(name).collect();
    let mut problems = Vec::new();
    for package in packages {
        let from = name(package);
        let allowed = EDGES.iter().find(|(known, _)| *known == from);
        if allowed.is_none() && !FREE.contains(&from) {
            problems.push(format!(
                "{from} is not in the table: say what it may depend on in xtask/src/dependencies.rs"
            ));
            continue;
        }
        for dependency in list(&package["dependencies"]) {
            let to = name(dependency);
            if members.contains(&to) {
                if allowed.is_some_and(|(_, may)| !may.contains(&to)) {
                    problems.push(format!("{from} must not depend on {to}"));
                }
            } else if let Some((_, may)) = DOORS.iter().find(|(door, _)| *door == to)
                && !may.contains(&from)
            {
                problems.push(format!(
                    "{from} must not depend on {to}: only {} may",
                    may.join(" and ")
                ));
            }
        }
    }
    problems
}

fn list(json: &Json) -> &[Json] {
    json.as_array().map_or(&[], Vec::as_slice)
}

fn name(json: &Json) -> &str {
    json["name"].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn workspace(crates: &[(&str, &[&str])]) -> Json {
        let packages: Vec<Json> = crates
            .iter()
            .map(|(name, uses)| {
                let uses: Vec<Json> = uses.iter().map(|name| json!({ "name": name })).collect();
                json!({ "name": name, "dependencies": uses })
            })
            .collect();
        json!({ "packages": packages })
    }

    #[test]
    fn arrows_that_point_down_are_fine() {
        let sound = workspace(&[
            ("windlass-core", &["serde"]),
            ("windlass-store", &["windlass-core", "rusqlite", "loro"]),
            ("windlass-ops", &["windlass-core", "windlass-store"]),
            (
                "windlass",
                &["windlass-ops", "windlass-store", "tokio", "rmcp"],
            ),
            ("xtask", &["windlass", "windlass-core"]),
            ("windlass-bench", &["windlass-store", "rusqlite", "tokio"]),
        ]);
        assert_eq!(problems(&sound), Vec::<String>::new());
    }

    #[test]
    fn every_forbidden_edge_is_named() {
        let unsound = workspace(&[
            ("windlass-core", &["tokio", "windlass-store"]),
            ("windlass-store", &["windlass-core"]),
            ("windlass-ops", &["rusqlite", "windlass"]),
            ("windlass", &["rquickjs"]),
            ("windlass-extra", &[]),
        ]);
        assert_eq!(
            problems(&unsound),
            [
                "windlass-core must not depend on tokio: only windlass and windlass-ops and \
                 windlass-process and windlass-runs and windlass-sandbox and windlass-bench may",
                "windlass-core must not depend on windlass-store",
                "windlass-ops must not depend on rusqlite: only windlass-store and windlass-bench may",
                "windlass-ops must not depend on windlass",
                "windlass must not depend on rquickjs: only windlass-sandbox and windlass-bench may",
                "windlass-extra is not in the table: say what it may depend on in \
                 xtask/src/dependencies.rs",
            ]
        );
    }

    #[test]
    fn this_workspace_keeps_the_rule() {
        check(&crate::root()).unwrap();
    }
}
