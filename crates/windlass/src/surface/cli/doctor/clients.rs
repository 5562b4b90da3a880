//! The MCP clients that start windlass, whether they still can, and whether on this project.

use std::path::Path;

use serde_json::Value as Json;

use super::check::Check;
use crate::surface::cli::setup::{CLIENTS, Client, ConfigFile, Scope, is_windlass, look_up, words};
use crate::surface::environment::UserFolders;

const NAME: &str = "clients";

pub fn checks(root: Option<&Path>, user: &UserFolders) -> Vec<Check> {
    let mut checks = Vec::new();
    for client in CLIENTS {
        let mut found = Vec::new();
        for scope in [Scope::Project, Scope::User] {
            let within = root.filter(|_| scope == Scope::Project);
            if let Some(file) = client.file(scope, root, user)
                && (file.exists() || file.is_symlink())
            {
                found.extend(file_findings(client, scope, &file, within, root));
            }
        }
        // An entry for another project is no problem if the client has one for this project too.
        let has_own = found.iter().any(|it| matches!(it, Finding::StartsHere(_)));
        checks.extend(found.into_iter().map(|it| it.check(client, has_own)));
    }
    if checks.is_empty() {
        let message = "No MCP client starts windlass";
        let fix = "Run windlass setup CLIENT, for example windlass setup claude-code.";
        checks.push(Check::warning(NAME, message, fix));
    }
    checks
}

/// What an entry is good for.
enum Finding {
    /// It starts windlass on this project, as the text says.
    StartsHere(String),
    /// It starts windlass on another project.
    StartsElsewhere(String),
    Problem(Check),
}

impl Finding {
    fn check(self, client: &Client, has_own: bool) -> Check {
        match self {
            Self::StartsHere(message) => Check::ok(NAME, message),
            Self::StartsElsewhere(message) if has_own => Check::ok(NAME, message),
            Self::StartsElsewhere(message) => {
                let fix = format!("Run windlass setup {} in this project.", client.name);
                Check::warning(NAME, format!("{message}, not on this project"), fix)
            }
            Self::Problem(check) => check,
        }
    }
}

fn file_findings(
    client: &Client,
    scope: Scope,
    file: &Path,
    within: Option<&Path>,
    root: Option<&Path>,
) -> Vec<Finding> {
    let shown = format!("{} ({})", client.title, file.display());
    let text = match ConfigFile::open(file, within) {
        Ok(opened) => opened.text.unwrap_or_default(),
        Err(error) => {
            let fix = "Fix or remove the file.";
            let check = Check::warning(NAME, error.message(), fix);
            return vec![Finding::Problem(check)];
        }
    };
    let servers = match client.format.servers(&text, client.container) {
        Ok(servers) => servers,
        Err(problem) => {
            let message = format!("{shown}, line {}: {}", problem.line, problem.message);
            let check = Check::warning(NAME, message, "Fix the file.");
            return vec![Finding::Problem(check)];
        }
    };
    let ours = servers.iter().filter(|(_, entry)| is_windlass(entry));
    ours.map(|(name, entry)| {
        let again = format!(
            "Run windlass setup {} --scope {} --name {name} --yes in the project.",
            client.name,
            scope.name()
        );
        finding(&shown, entry, root, again)
    })
    .collect()
}

fn finding(shown: &str, entry: &Json, root: Option<&Path>, again: String) -> Finding {
    let words = words(entry);
    let program = words.first().map_or("", String::as_str);
    if look_up(program).is_none() {
        let message = format!("{shown} starts {program}, which does not exist");
        return Finding::Problem(Check::error(NAME, message, again));
    }
    let folder = words.iter().skip_while(|word| *word != "--cwd").nth(1);
    // Other folders are variables of the client, or relative to what it works on.
    let Some(folder) = folder.filter(|folder| folder.starts_with('/')) else {
        return Finding::StartsHere(format!("{shown} starts windlass"));
    };
    let Ok(real) = Path::new(folder).canonicalize() else {
        let message = format!("{shown} names the folder {folder}, which does not exist");
        return Finding::Problem(Check::warning(NAME, message, again));
    };
    let message = format!("{shown} starts windlass on {folder}");
    let here = root.and_then(|root| root.canonicalize().ok());
    if here.is_none_or(|here| real.starts_with(here)) {
        Finding::StartsHere(message)
    } else {
        Finding::StartsElsewhere(message)
    }
}
