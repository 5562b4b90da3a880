//! Git hooks that a tool runs: lefthook's and those of pre-commit.

use std::collections::{HashMap, HashSet};

use crate::command::{ArgumentStyle, Kind};
use crate::data::{Node, Value, read_json, read_toml, read_yaml};
use crate::paths;
use crate::runner::Runner;
use crate::source::{FileContext, Found};

use super::pins;

/// The files that lefthook looks for.
pub const LEFTHOOK: &[&str] = &[
    "lefthook.yml",
    ".lefthook.yml",
    "lefthook.yaml",
    ".lefthook.yaml",
    "lefthook.toml",
    ".lefthook.toml",
    "lefthook.json",
    ".lefthook.json",
];

const NO_ARGUMENTS: &str = "the tool would interpret each further argument as an option";

pub fn read_lefthook(text: &str, context: &FileContext<'_>) -> Found {
    let parse = match paths::ending_of(context.path) {
        "toml" => read_toml,
        "json" => read_json,
        _ => read_yaml,
    };
    let config = match parse(text) {
        Ok(config) => config,
        Err(broken) => return Found::default().broken(context.path, broken),
    };
    let mut found = Found::default();
    let mut seal = None;
    for (name, hook) in config.entries() {
        let parts: Vec<String> = ["commands", "scripts", "jobs"]
            .iter()
            .filter_map(|key| hook.get(key))
            .flat_map(part_names)
            .collect();
        if parts.is_empty() {
            continue;
        }
        let command = context
            .command(Runner::Lefthook, name, &hook.render())
            .with_program(context.local_program(Runner::Lefthook))
            .with_args(["run", name])
            .at(hook.line)
            .described(Some(format!("Run {}", parts.join(", "))))
            .of_kind(Kind::Lifecycle)
            .taking(ArgumentStyle::Refused(NO_ARGUMENTS));
        let seal = seal.get_or_insert_with(|| pins::hooks::lefthook(context));
        found.push(command, seal);
    }
    found
}

/// The names of the parts of a hook, which are a table or a list.
fn part_names(parts: &Node) -> Vec<String> {
    if let Value::Map(entries) = &parts.value {
        return entries.iter().map(|(name, _)| name.clone()).collect();
    }
    let jobs = parts.items().iter();
    jobs.filter_map(|job| job.text_at("name").or_else(|| job.text_at("run")))
        .map(str::to_owned)
        .collect()
}

pub fn read_pre_commit(text: &str, context: &FileContext<'_>) -> Found {
    let config = match read_yaml(text) {
        Ok(config) => config,
        Err(broken) => return Found::default().broken(context.path, broken),
    };
    let mut found = Found::default();
    let repositories = config.get("repos").map(Node::items).unwrap_or_default();
    let mut hooks: Vec<(&str, usize, &Node)> = Vec::new();
    let mut known = HashSet::new();
    let lines = lines_of_hooks(text);
    for hook in repositories
        .iter()
        .filter_map(|it| it.get("hooks"))
        .flat_map(Node::items)
    {
        let name = hook.text_at("alias").or_else(|| hook.text_at("id"));
        if let Some(name) = name.filter(|name| known.insert(*name)) {
            hooks.push((name, lines.get(name).copied().unwrap_or(1), hook));
        }
    }
    if hooks.is_empty() {
        return found;
    }
    let seal = pins::hooks::pre_commit(context);
    let file = paths::name_of(context.path);
    let program = context.local_program(Runner::PreCommit);
    let base = |name: &str, text: &str| {
        context
            .command(Runner::PreCommit, name, text)
            .with_program(program.clone())
            .of_kind(Kind::Lifecycle)
            .taking(ArgumentStyle::Refused(NO_ARGUMENTS))
    };
    let all = base("pre-commit", "")
        .with_args(["run", "--all-files"])
        .started_on(1, ["-c", file])
        .described(Some("Run all hooks on all files"));
    found.push(all, &seal);
    for (name, line, hook) in hooks {
        if found.has(name) || name.starts_with('-') {
            continue;
        }
        let about = hook.text_at("description").or_else(|| hook.text_at("name"));
        let command = base(name, &hook.render())
            .with_args(["run", name, "--all-files"])
            .started_on(1, ["-c", file])
            .at(line)
            .described(about.or_else(|| hook.text_at("entry")));
        found.push(command, &seal);
    }
    found
}

/// Items of lists carry no line; the hook's is the first that names it.
fn lines_of_hooks(text: &str) -> HashMap<&str, usize> {
    let mut lines = HashMap::new();
    for (index, line) in text.lines().enumerate() {
        let value = line.split_once("id:").or_else(|| line.split_once("alias:"));
        if let Some((_, value)) = value {
            let name = value.split('#').next().unwrap_or_default();
            let name = name.trim().trim_matches(['"', '\'']);
            lines.entry(name).or_insert(index + 1);
        }
    }
    lines
}
