//! The MCP clients that start windlass, and whether they still can.

use std::path::Path;

use serde_json::Value as Json;

use super::check::Check;
use crate::surface::cli::setup::{CLIENTS, Client, ConfigFile, Scope, is_windlass, look_up, words};
use crate::surface::environment::UserFolders;

const NAME: &str = "clients";

pub fn checks(root: Option<&Path>, user: &UserFolders) -> Vec<Check> {
    let mut checks = Vec::new();
    for client in CLIENTS {
        for scope in [Scope::Project, Scope::User] {
            let within = root.filter(|_| scope == Scope::Project);
            if let Some(file) = client.file(scope, root, user)
                && (file.exists() || file.is_symlink())
            {
                checks.extend(file_checks(client, scope, &file, within));
            }
        }
    }
    if checks.is_empty() {
        let message = "No MCP client starts windlass";
        let fix = "Run windlass setup CLIENT, for example windlass setup claude-code.";
        checks.push(Check::warning(NAME, message, fix));
    }
    checks
}

fn file_checks(client: &Client, scope: Scope, file: &Path, within: Option<&Path>) -> Vec<Check> {
    let shown = format!("{} ({})", client.title, file.display());
    let text = match ConfigFile::open(file, within) {
        Ok(opened) => opened.text.unwrap_or_default(),
        Err(error) => {
            let fix = "Fix or remove the file.";
            return vec![Check::warning(NAME, error.message(), fix)];
        }
    };
    let servers = match client.format.servers(&text, client.container) {
        Ok(servers) => servers,
        Err(problem) => {
            let message = format!("{shown}, line {}: {}", problem.line, problem.message);
            return vec![Check::warning(NAME, message, "Fix the file.")];
        }
    };
    let ours = servers.iter().filter(|(_, entry)| is_windlass(entry));
    ours.map(|(name, entry)| entry_check(client, scope, &shown, name, entry))
        .collect()
}

fn entry_check(client: &Client, scope: Scope, shown: &str, name: &str, entry: &Json) -> Check {
    let words = words(entry);
    let program = words.first().map_or("", String::as_str);
    let again = format!(
        "Run windlass setup {} --scope {} --name {name} --yes in the project.",
        client.name,
        scope.name()
    );
    if look_up(program).is_none() {
        let message = format!("{shown} starts {program}, which does not exist");
        return Check::error(NAME, message, again);
    }
    let folder = words.iter().skip_while(|word| *word != "--cwd").nth(1);
    match folder {
        Some(folder) if folder.starts_with('/') && !Path::new(folder).is_dir() => {
            let message = format!("{shown} names the folder {folder}, which does not exist");
            Check::warning(NAME, message, again)
        }
        Some(folder) if folder.starts_with('/') => {
            Check::ok(NAME, format!("{shown} starts windlass on {folder}"))
        }
        _ => Check::ok(NAME, format!("{shown} starts windlass")),
    }
}
