//! What the tools for git hooks read.

use std::collections::HashSet;

use crate::data::{Node, read_json, read_toml, read_yaml};
use crate::decides::{Decides, How};
use crate::paths;
use crate::pinner::{Pinner, Seal};
use crate::source::{FileContext, MAX_INCLUDES};

pub const LEFTHOOK: &[Decides] = &[
    Decides::here("lefthook.yml", How::Whole),
    Decides::here(".lefthook.yml", How::Whole),
    Decides::here("lefthook.yaml", How::Whole),
    Decides::here(".lefthook.yaml", How::Whole),
    Decides::here("lefthook.toml", How::Whole),
    Decides::here("lefthook.json", How::Whole),
    Decides::here("lefthook-local.yml", How::Whole),
    Decides::here(".lefthook-local.yml", How::Whole),
    Decides::here("lefthook-local.yaml", How::Whole),
    Decides::here("lefthook-local.toml", How::Whole),
    Decides::here("lefthook-local.json", How::Whole),
    Decides::here(".lefthook", How::Tree("")),
    Decides::here(".lefthook-local", How::Tree("")),
];
pub const PRE_COMMIT: &[Decides] = &[Decides::here(".pre-commit-config.yaml", How::Whole)];

pub fn lefthook(context: &FileContext<'_>) -> Seal {
    let mut pinner = Pinner::new(context);
    pinner.whole(context.path);
    pinner.declared(context.folder(), LEFTHOOK);
    let mut visited = HashSet::new();
    for path in pinner.paths() {
        let inside = paths::folder_of(&path) != context.folder();
        if pinner.is_present(&path) && !inside {
            extended(&mut pinner, &path, &mut visited, 0);
        }
    }
    pinner.local_program(context.folder(), "lefthook");
    pinner.seal()
}

/// The files that a configuration extends, and the folders of its scripts.
fn extended(pinner: &mut Pinner<'_>, path: &str, visited: &mut HashSet<String>, depth: usize) {
    if depth > MAX_INCLUDES || !visited.insert(path.to_owned()) {
        return;
    }
    let parse = match paths::ending_of(path) {
        "toml" => read_toml,
        "json" => read_json,
        _ => read_yaml,
    };
    let memo = pinner.memo.clone();
    let Ok(config) = memo.parsed(pinner.source, path, parse) else {
        return;
    };
    if config.get("remotes").is_some() || config.get("remote").is_some() {
        pinner.unreadable(format!("{path} has hooks of another repository"));
    }
    let folder = paths::folder_of(path).to_owned();
    for key in ["source_dir", "source_dir_local"] {
        if let Some(written) = config.text_at(key)
            && let Some(scripts) = pinner.resolve(path, &folder, written)
        {
            pinner.tree(&scripts, &|_| true, How::Whole);
        }
    }
    for written in config.get("extends").map(Node::texts).unwrap_or_default() {
        if written.contains(['*', '$', '{']) {
            pinner.unreadable(format!(
                "{path} extends files that only lefthook can find: {written}"
            ));
        } else if let Some(file) = pinner.resolve(path, &folder, &written) {
            pinner.whole(&file);
            extended(pinner, &file, visited, depth + 1);
        }
    }
}

pub fn pre_commit(context: &FileContext<'_>) -> Seal {
    let mut pinner = Pinner::new(context);
    pinner.whole(context.path);
    pinner.declared(context.folder(), PRE_COMMIT);
    pinner.local_program(context.folder(), "pre-commit");
    pinner.seal()
}
