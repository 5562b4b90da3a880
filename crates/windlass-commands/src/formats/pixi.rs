//! pixi: the tasks of `pixi.toml` or of `[tool.pixi]`, of features and of platforms.

use std::collections::HashSet;

use crate::command::Command;
use crate::data::{Node, read_toml};
use crate::runner::Runner;
use crate::source::{FileContext, Found};

use super::pins;
use super::poe::description;

pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let settings = match read_toml(text) {
        Ok(settings) => settings,
        Err(broken) => return Found::default().broken(context.path, broken),
    };
    let mut found = Found::default();
    tasks(&settings, context, &mut found);
    found
}

/// Adds the tasks of pixi's settings.
pub fn tasks(settings: &Node, context: &FileContext<'_>, found: &mut Found) {
    let mut tables: Vec<&Node> = Vec::new();
    let features = settings
        .get("feature")
        .map(Node::entries)
        .unwrap_or_default();
    for part in std::iter::once(settings).chain(features.iter().map(|(_, it)| it)) {
        tables.extend(part.get("tasks"));
        let targets = part.get("target").map(Node::entries).unwrap_or_default();
        tables.extend(targets.iter().filter_map(|(_, it)| it.get("tasks")));
    }
    let mut names = HashSet::new();
    let mut seal = None;
    for (name, task) in tables.into_iter().flat_map(Node::entries) {
        if name.starts_with('_') || !names.insert(name) {
            continue;
        }
        let command: Command = context
            .command(Runner::Pixi, name, &task.render())
            .with_args(["run", name])
            .at(task.line)
            .described(description(task));
        let seal = seal.get_or_insert_with(|| pins::pixi::pin(context));
        found.push(command, seal);
    }
}
