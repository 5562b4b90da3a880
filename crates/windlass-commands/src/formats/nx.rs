//! nx: the targets of a project in `project.json`.

use crate::command::ArgumentStyle;
use crate::data::{Node, read_jsonc};
use crate::paths;
use crate::runner::Runner;
use crate::source::{FileContext, Found};

use super::pins;

pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let mut found = Found::default();
    // Other tools have files of that name too.
    let Some(root) = context.nearest("nx.json") else {
        return found;
    };
    let project = match read_jsonc(text) {
        Ok(project) => project,
        Err(broken) => return found.broken(context.path, broken),
    };
    let targets = project
        .get("targets")
        .map(Node::entries)
        .unwrap_or_default();
    if targets.is_empty() {
        return found;
    }
    let folder = paths::name_of(context.folder());
    let name = project.text_at("name").unwrap_or(folder);
    let seal = pins::nx::pin(context, root);
    for (target, settings) in targets {
        let runs = settings.at(&["options", "command"]).and_then(Node::text);
        let about = settings
            .at(&["metadata", "description"])
            .and_then(Node::text)
            .or_else(|| settings.text_at("command"))
            .or(runs)
            .or_else(|| settings.text_at("executor"));
        let command = context
            .command(Runner::Nx, target, &settings.render())
            .with_program(context.local_program(Runner::Nx))
            .with_args(["run", &format!("{name}:{target}")])
            .at(settings.line)
            .described(about)
            .taking(ArgumentStyle::AfterDashes);
        found.push(command, &seal);
    }
    found
}
