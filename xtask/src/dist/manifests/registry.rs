//! `server.json`, which describes Windlass in the registry of MCP servers.

use serde_json::{Value as Json, json};

use super::{Files, owner};
use crate::dist::packages::{File, SUMMARY};

/// The version of the description that this is written for.
const SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/2025-09-29/server.schema.json";

pub fn make(files: &Files, repository: &str) -> Result<Option<File>, String> {
    let mut packages = Vec::new();
    if files.has(&format!("windlass-{}.tgz", files.version)) {
        packages.push(package("npm", "https://registry.npmjs.org", "npx", files));
    }
    if files.ending(".whl").next().is_some() {
        packages.push(package("pypi", "https://pypi.org", "uvx", files));
    }
    for name in files.ending(".mcpb") {
        packages.push(json!({
            "registryType": "mcpb",
            "identifier": files.url(repository, name),
            "version": files.version,
            "fileSha256": files.sha256(name)?,
            "transport": { "type": "stdio" },
        }));
    }
    if packages.is_empty() {
        return Ok(None);
    }
    let server = json!({
        "$schema": SCHEMA,
        "name": name(repository),
        "description": SUMMARY,
        "version": files.version,
        "repository": { "url": repository, "source": source(repository) },
        "packages": packages,
    });
    Ok(Some((
        "server.json".to_owned(),
        format!("{server:#}\n").into_bytes(),
    )))
}

/// A package of a registry with one command: `npx windlass mcp`, `uvx windlass mcp`.
fn package(registry: &str, url: &str, runtime: &str, files: &Files) -> Json {
    json!({
        "registryType": registry,
        "registryBaseUrl": url,
        "identifier": "windlass",
        "version": files.version,
        "runtimeHint": runtime,
        "transport": { "type": "stdio" },
        "packageArguments": [{ "type": "positional", "value": "mcp" }],
    })
}

/// The name of the server in the registry, which the packages have to contain.
pub fn name(repository: &str) -> String {
    format!("{}/windlass", namespace(repository))
}

/// `io.github.OWNER` for a repository on GitHub.
fn namespace(repository: &str) -> String {
    let host = repository.trim_start_matches("https://").split('/').next();
    let mut words: Vec<&str> = host.unwrap_or_default().split('.').collect();
    words.reverse();
    // Projects of GitHub are below github.io, which their owners control.
    let host = words.join(".").replace("com.github", "io.github");
    format!("{host}.{}", owner(repository))
}

fn source(repository: &str) -> &str {
    let known = ["github", "gitlab"];
    let found = known.iter().find(|name| repository.contains(*name));
    found.copied().unwrap_or("git")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_namespace_is_that_of_the_owner() {
        assert_eq!(namespace("https://github.com/me/windlass"), "io.github.me");
        assert_eq!(
            namespace("https://git.example.org/me/w"),
            "org.example.git.me"
        );
    }

    #[test]
    fn the_registry_allows_a_hundred_characters() {
        assert!(SUMMARY.len() <= 100, "{}", SUMMARY.len());
    }
}
