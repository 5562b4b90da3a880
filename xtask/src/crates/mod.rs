//! Checks which crates may be linked, as far as possible without a network: the rules of
//! `deny.toml` against the crates of `Cargo.lock`.
//!
//! `cargo deny check` checks more (advisories, yanked versions, texts of licences) and runs if it
//! is installed. This check always runs, so that its rules do not depend on what is installed.

mod license;
mod rules;

use std::fs;
use std::path::Path;

use serde_json::Value as Json;

use self::rules::Rules;
use crate::{cargo, progress};

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Checks all crates of `Cargo.lock`, for every system and with all features.
pub fn check(root: &Path) -> Result<String, String> {
    let text = fs::read_to_string(root.join("deny.toml"))
        .map_err(|problem| format!("deny.toml: {problem}"))?;
    let rules = Rules::parse(&text);
    progress("Reading the metadata of all crates (cargo downloads missing ones)…");
    let metadata = cargo::metadata(root, &["--locked", "--all-features"])?;
    let packages = metadata["packages"].as_array();
    let packages = packages.map_or(&[][..], Vec::as_slice);
    let problems = problems(packages, &rules);
    if problems.is_empty() {
        let count = packages.len();
        return Ok(format!("{count} crates have allowed licences and sources."));
    }
    Err(problems.join("\n"))
}

fn problems(packages: &[Json], rules: &Rules) -> Vec<String> {
    let mut problems = Vec::new();
    for package in packages {
        let name = text(package, "name");
        if package["source"].is_null() {
            problems.extend(wildcards(package, name));
            continue;
        }
        let source = text(package, "source");
        if source != CRATES_IO {
            problems.push(format!("{name} comes from {source}, not from crates.io"));
        }
        problems.extend(unlicensed(package, name, rules));
    }
    problems.extend(needless(packages, rules));
    problems
}

/// A dependency without a version accepts any version.
fn wildcards(package: &Json, name: &str) -> Vec<String> {
    let dependencies = package["dependencies"].as_array();
    let any = dependencies
        .into_iter()
        .flatten()
        .filter(|dependency| text(dependency, "req") == "*");
    any.map(|dependency| {
        let to = text(dependency, "name");
        format!("{name} depends on {to} without a version: give one in Cargo.toml")
    })
    .collect()
}

fn unlicensed(package: &Json, name: &str, rules: &Rules) -> Option<String> {
    let Some(expression) = package["license"].as_str() else {
        return Some(format!("{name} does not declare a licence"));
    };
    let allowed = |license: &str| rules.allows(license, name);
    match license::is_satisfied(expression, &allowed) {
        Some(true) => None,
        Some(false) => Some(format!(
            "{name} has the licence {expression}, which deny.toml does not allow"
        )),
        None => Some(format!(
            "{name} has the licence {expression}, which cannot be parsed"
        )),
    }
}

/// Exceptions that are no longer needed, and advisories that are accepted without a reason.
fn needless(packages: &[Json], rules: &Rules) -> Vec<String> {
    let is_used = |name: &str| packages.iter().any(|it| text(it, "name") == name);
    let mut problems = Vec::new();
    for (name, _) in &rules.exceptions {
        if !is_used(name) {
            problems.push(format!(
                "deny.toml has an exception for {name}, which is not used"
            ));
        }
    }
    for (id, reason) in &rules.accepted {
        match reason.split_once(": ") {
            Some((name, _)) if is_used(name) => {}
            Some((name, _)) => problems.push(format!(
                "deny.toml accepts {id} because of {name}, which is not used"
            )),
            None => problems.push(format!(
                "deny.toml accepts {id} without a reason that begins with its crate (\"NAME: …\")"
            )),
        }
    }
    problems
}

fn text<'a>(json: &'a Json, key: &str) -> &'a str {
    json[key].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const RULES: &str = "\
        [advisories]\n\
        ignore = [\n  { id = \"RUSTSEC-1\", reason = \"old: only reads\" },\n]\n\
        [licenses]\n\
        allow = [\"MIT\", \"ISC\"]\n\
        [[licenses.exceptions]]\n\
        crate = \"certs\"\n\
        allow = [\"CDLA-Permissive-2.0\"]\n";

    fn package(name: &str, license: &str) -> Json {
        json!({ "name": name, "license": license, "source": CRATES_IO })
    }

    #[test]
    fn allowed_crates_have_no_problems() {
        let packages = [
            json!({ "name": "ours", "license": "MIT", "source": null,
                "dependencies": [{ "name": "old", "req": "^1" }] }),
            package("old", "MIT/Apache-2.0"),
            package("certs", "CDLA-Permissive-2.0"),
        ];
        assert_eq!(
            problems(&packages, &Rules::parse(RULES)),
            Vec::<String>::new()
        );
    }

    #[test]
    fn every_violation_is_reported() {
        let packages = [
            json!({ "name": "ours", "source": null,
                "dependencies": [{ "name": "theirs", "req": "*" }] }),
            json!({ "name": "theirs", "license": "MIT", "source": "git+https://example.com/x" }),
            json!({ "name": "silent", "license": null, "source": CRATES_IO }),
            package("closed", "MIT AND GPL-3.0"),
            package("data", "CDLA-Permissive-2.0"),
            package("odd", "MIT OR"),
        ];
        assert_eq!(
            problems(&packages, &Rules::parse(RULES)),
            [
                "ours depends on theirs without a version: give one in Cargo.toml",
                "theirs comes from git+https://example.com/x, not from crates.io",
                "silent does not declare a licence",
                "closed has the licence MIT AND GPL-3.0, which deny.toml does not allow",
                "data has the licence CDLA-Permissive-2.0, which deny.toml does not allow",
                "odd has the licence MIT OR, which cannot be parsed",
                "deny.toml has an exception for certs, which is not used",
                "deny.toml accepts RUSTSEC-1 because of old, which is not used",
            ]
        );
        let rules = Rules::parse("[advisories]\nignore = [\"RUSTSEC-2\"]\n");
        assert_eq!(
            problems(&[], &rules),
            [
                "deny.toml accepts RUSTSEC-2 without a reason that begins with its crate (\"NAME: …\")"
            ]
        );
    }
}
