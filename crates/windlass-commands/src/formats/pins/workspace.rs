//! The packages of a JavaScript workspace, whose scripts other scripts and turbo start.

use crate::data::{Node, Value, read_json, read_jsonc};
use crate::glob::{self, Wanted};
use crate::paths;
use crate::pinner::Pinner;

use super::packages;

/// Pins the scripts of all packages of a workspace, and the settings of the tools that run them.
pub fn pin(pinner: &mut Pinner<'_>, folder: &str) {
    let memo = pinner.memo.clone();
    let mut patterns: Vec<String> = Vec::new();
    let mut add = |list: Option<&Node>| {
        let list = list.map(|it| it.get("packages").unwrap_or(it));
        if let Some(Value::List(items)) = list.map(|it| &it.value) {
            patterns.extend(items.iter().filter_map(Node::text).map(str::to_owned));
        }
    };
    let path = |name: &str| paths::join_display(folder, name);
    if let Ok(package) = memo.parsed(pinner.source, &path("package.json"), read_json) {
        add(package.get("workspaces"));
    }
    if let Some(node) = packages::pnpm_workspace(pinner, &path("pnpm-workspace.yaml")) {
        add(node.get("packages"));
    }
    for name in ["lerna.json", "nx.json", "turbo.json", "turbo.jsonc"] {
        match memo.parsed(pinner.source, &path(name), read_jsonc) {
            Ok(node) => {
                add(node.get("packages"));
                pinner.parts(&path(name), "all keys", || {
                    node.canonical_without(|it| it == "$schema")
                });
            }
            Err(problem) => pinner.unparsed(&path(name), &problem),
        }
    }
    members(pinner, folder, &patterns);
}

fn members(pinner: &mut Pinner<'_>, folder: &str, patterns: &[String]) {
    let mut folders: Vec<String> = Vec::new();
    for pattern in patterns.iter().filter(|it| !it.starts_with('!')) {
        let pattern = pattern.trim_end_matches('/');
        match glob::expand(pinner.source, folder, pattern, Wanted::Folders) {
            Some(found) => folders.extend(found),
            None => pinner.unreadable(format!(
                "the packages of the workspace pattern {pattern} cannot be listed"
            )),
        }
    }
    folders.sort();
    folders.dedup();
    if folders.len() > glob::MAX_MATCHES {
        let most = glob::MAX_MATCHES;
        return pinner.unreadable(format!("the workspace has more than {most} packages"));
    }
    for member in folders {
        let path = paths::join_display(&member, "package.json");
        if pinner.source.exists(&path) && !pinner.is_pinned(&path) {
            packages::parts(pinner, &path);
        }
        let memo = pinner.memo.clone();
        for name in ["turbo.json", "project.json"] {
            let path = paths::join_display(&member, name);
            if !pinner.source.exists(&path) {
                continue;
            }
            match memo.parsed(pinner.source, &path, read_jsonc) {
                Ok(node) => pinner.parts(&path, "all keys", || {
                    node.canonical_without(|it| it == "$schema")
                }),
                Err(problem) => pinner.unparsed(&path, &problem),
            }
        }
    }
}
