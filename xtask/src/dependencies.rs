//! Checks which crate may depend on which: the table of ARCHITECTURE.md.
//!
//! It reads the dependencies in each `Cargo.toml`, for building and for testing alike, so that a
//! forbidden dependency is reported before code relies on it.

use std::path::Path;

use serde_json::Value as Json;

use crate::cargo;

/// Crates outside the product that may use all of it.
const FREE: &[&str] = &["windlass-bench"];

/// Crates for workspace tasks, with all their allowed dependencies. They must compile in seconds,
/// so that `cargo xtask` responds at once; tasks that need the product run the built binary.
const LIGHT: &[(&str, &[&str])] = &[("xtask", &["flate2", "pulldown-cmark", "serde_json", "sha2"])];

/// Each crate of the product, and the others that it may depend on. Dependencies point down only.
const EDGES: &[(&str, &[&str])] = &[
    ("windlass-core", &[]),
    ("windlass-web", &[]),
    ("windlass-vectors", &[]),
    ("windlass-process", &["windlass-core"]),
    ("windlass-store", &["windlass-core"]),
    ("windlass-commands", &["windlass-core"]),
    ("windlass-objects", &[]),
    (
        "windlass-runs",
        &["windlass-core", "windlass-process", "windlass-objects"],
    ),
    (
        "windlass-sync",
        &["windlass-core", "windlass-store", "windlass-objects"],
    ),
    ("windlass-interchange", &["windlass-core"]),
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
            "windlass-sync",
            "windlass-interchange",
            "windlass-objects",
            "windlass-vectors",
        ],
    ),
    (
        "windlass",
        &[
            "windlass-core",
            "windlass-process",
            "windlass-store",
            "windlass-ops",
            "windlass-web",
        ],
    ),
];

/// External crates that only some may use, so that each stays behind one interface.
const RESTRICTED: &[(&str, &[&str])] = &[
    (
        "rusqlite",
        &["windlass-store", "windlass-interchange", "windlass-bench"],
    ),
    ("loro", &["windlass-store", "windlass-interchange"]),
    ("rmcp", &["windlass", "windlass-bench"]),
    (
        "tokio",
        &[
            "windlass",
            "windlass-ops",
            "windlass-process",
            "windlass-runs",
            "windlass-sandbox",
            "windlass-sync",
            "windlass-bench",
        ],
    ),
    ("axum", &["windlass", "windlass-bench"]),
    ("rquickjs", &["windlass-sandbox", "windlass-bench"]),
    ("oxc_parser", &["windlass-sandbox"]),
];

/// Checks the workspace at `root`.
pub fn check(root: &Path) -> Result<String, String> {
    let metadata = cargo::metadata(root, &["--no-deps"])?;
    let problems = problems(&metadata);
    if problems.is_empty() {
        Ok("No crate has a forbidden dependency.".to_owned())
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
        let uses = list(&package["dependencies"]).iter().map(name);
        if let Some(allowed) = row(LIGHT, from) {
            let heavy = uses.filter(|to| !allowed.contains(to));
            problems.extend(heavy.map(|to| {
                format!(
                    "{from} must not depend on {to}: it must compile in seconds, so it may only \
                     use {}",
                    allowed.join(" and ")
                )
            }));
            continue;
        }
        let allowed = row(EDGES, from);
        if allowed.is_none() && !FREE.contains(&from) {
            problems.push(format!(
                "{from} is not in the table: list its allowed dependencies in xtask/src/dependencies.rs"
            ));
            continue;
        }
        for to in uses {
            if members.contains(&to) {
                if allowed.is_some_and(|allowed| !allowed.contains(&to)) {
                    problems.push(format!("{from} must not depend on {to}"));
                }
            } else if let Some(users) = row(RESTRICTED, to)
                && !users.contains(&from)
            {
                problems.push(format!(
                    "{from} must not depend on {to}: only {} may",
                    users.join(" and ")
                ));
            }
        }
    }
    problems
}

/// The row of a table for a crate.
fn row(
    table: &'static [(&str, &'static [&'static str])],
    name: &str,
) -> Option<&'static [&'static str]> {
    let row = table.iter().find(|(known, _)| *known == name);
    row.map(|(_, names)| *names)
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
    fn dependencies_that_point_down_are_allowed() {
        let sound = workspace(&[
            ("windlass-core", &["serde"]),
            ("windlass-store", &["windlass-core", "rusqlite", "loro"]),
            ("windlass-ops", &["windlass-core", "windlass-store"]),
            (
                "windlass",
                &["windlass-ops", "windlass-store", "tokio", "rmcp"],
            ),
            ("xtask", &["flate2", "serde_json", "sha2"]),
            ("windlass-bench", &["windlass-store", "rusqlite", "tokio"]),
        ]);
        assert_eq!(problems(&sound), Vec::<String>::new());
    }

    #[test]
    fn every_forbidden_dependency_is_reported() {
        let unsound = workspace(&[
            ("windlass-core", &["tokio", "windlass-store"]),
            ("windlass-store", &["windlass-core"]),
            ("windlass-ops", &["rusqlite", "windlass"]),
            ("windlass", &["rquickjs"]),
            ("windlass-extra", &[]),
            ("xtask", &["serde_json", "windlass", "clap"]),
        ]);
        assert_eq!(
            problems(&unsound),
            [
                "windlass-core must not depend on tokio: only windlass and windlass-ops and \
                 windlass-process and windlass-runs and windlass-sandbox and windlass-sync and \
                 windlass-bench may",
                "windlass-core must not depend on windlass-store",
                "windlass-ops must not depend on rusqlite: only windlass-store and windlass-interchange and \
                 windlass-bench may",
                "windlass-ops must not depend on windlass",
                "windlass must not depend on rquickjs: only windlass-sandbox and windlass-bench may",
                "windlass-extra is not in the table: list its allowed dependencies in \
                 xtask/src/dependencies.rs",
                "xtask must not depend on windlass: it must compile in seconds, so it may only use \
                 flate2 and pulldown-cmark and serde_json and sha2",
                "xtask must not depend on clap: it must compile in seconds, so it may only use \
                 flate2 and pulldown-cmark and serde_json and sha2",
            ]
        );
    }

    #[test]
    fn this_workspace_follows_the_rules() {
        check(&crate::root()).unwrap();
    }
}
