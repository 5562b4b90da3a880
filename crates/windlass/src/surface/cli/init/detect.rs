//! What a repository and this machine have. Files are looked at; nothing is run.

use std::path::Path;

use serde::Serialize;
use windlass_ops::{Context, Workspace};

use crate::surface::cli::repository_commands::RepositoryCommands;
use crate::surface::cli::setup::{CLIENTS, starts_windlass};
use crate::surface::environment::UserFolders;

/// The files in a project's folder that show what it is made with.
const STACK_FILES: &[(&str, &str)] = &[
    ("Cargo.toml", "Rust"),
    ("package.json", "JavaScript"),
    ("tsconfig.json", "TypeScript"),
    ("deno.json", "Deno"),
    ("pyproject.toml", "Python"),
    ("setup.py", "Python"),
    ("requirements.txt", "Python"),
    ("go.mod", "Go"),
    ("pom.xml", "Java"),
    ("build.gradle", "Java"),
    ("build.gradle.kts", "Kotlin"),
    ("Gemfile", "Ruby"),
    ("composer.json", "PHP"),
    ("mix.exs", "Elixir"),
    ("Package.swift", "Swift"),
    ("pubspec.yaml", "Dart"),
    ("CMakeLists.txt", "C/C++"),
    ("flake.nix", "Nix"),
    ("Dockerfile", "Docker"),
];

/// What was found.
#[derive(Debug, Serialize)]
pub struct Detected {
    /// Whether the folder is in a git repository.
    pub git: bool,
    /// Whether git carries the changes of the plan by itself.
    pub git_hooks: bool,
    /// Languages and tools, by their files.
    pub stack: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commands: Option<RepositoryCommands>,
    pub clients: Vec<DetectedClient>,
    /// Tasks that the plan has now.
    pub tasks: u64,
}

/// An MCP client that this machine has, or that the project is set up for.
#[derive(Debug, Serialize)]
pub struct DetectedClient {
    pub name: &'static str,
    #[serde(skip)]
    pub title: &'static str,
    pub installed: bool,
    /// Whether its settings in the project start windlass.
    pub set_up: bool,
}

impl Detected {
    pub fn look(context: &Context, user: &UserFolders) -> Self {
        let workspace: &Workspace = &context.workspace;
        let root = workspace.root();
        let git = root
            .ancestors()
            .find(|folder| folder.join(".git").exists())
            .map(|top| top.join(".git"));
        let counts = context.store.read(None, |reader| reader.task_counts());
        Self {
            git_hooks: git.as_deref().is_some_and(has_hooks),
            git: git.is_some(),
            stack: stack(root),
            commands: RepositoryCommands::look(workspace).ok(),
            clients: clients(root, user),
            tasks: counts.map_or(0, |counts| counts.iter().map(|it| it.count).sum()),
        }
    }
}

fn stack(root: &Path) -> Vec<&'static str> {
    let mut found = Vec::new();
    for (file, name) in STACK_FILES {
        if !found.contains(name) && root.join(file).is_file() {
            found.push(*name);
        }
    }
    found
}

/// Where other programs manage the hooks, `windlass hook install` says what to do.
fn has_hooks(git: &Path) -> bool {
    let hook = std::fs::read(git.join("hooks/pre-commit")).unwrap_or_default();
    String::from_utf8_lossy(&hook).contains("hook run pre-commit")
}

fn clients(root: &Path, user: &UserFolders) -> Vec<DetectedClient> {
    let all = CLIENTS.iter().map(|client| DetectedClient {
        name: client.name,
        title: client.title,
        installed: client.is_installed(user),
        set_up: starts_windlass(client.name, root),
    });
    all.filter(|client| client.installed || client.set_up)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_is_known_by_its_files() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["Cargo.toml", "setup.py", "pyproject.toml"] {
            std::fs::write(folder.path().join(file), "").unwrap();
        }
        std::fs::create_dir(folder.path().join("go.mod")).unwrap();
        assert_eq!(stack(folder.path()), ["Rust", "Python"]);
    }

    #[test]
    fn hooks_of_others_are_not_ours() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("hooks")).unwrap();
        let hook = folder.path().join("hooks/pre-commit");
        assert!(!has_hooks(folder.path()));
        std::fs::write(&hook, "#!/bin/sh\nlint\n").unwrap();
        assert!(!has_hooks(folder.path()));
        std::fs::write(&hook, "#!/bin/sh\n'/bin/windlass' hook run pre-commit\n").unwrap();
        assert!(has_hooks(folder.path()));
    }
}
