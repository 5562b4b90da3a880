//! The scripts of hatch's environments, in `hatch.toml` or under `[tool.hatch]`.

use crate::command::Command;
use crate::data::{Node, Value, read_toml};
use crate::pinner::Seal;
use crate::runner::Runner;
use crate::source::{FileContext, Found};

use super::pins;

/// `hatch.toml`, which takes the place of `[tool.hatch]`.
pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let settings = match read_toml(text) {
        Ok(settings) => settings,
        Err(broken) => return Found::default().broken(context.path, broken),
    };
    let mut found = Found::default();
    let mut seal = None;
    environments(&settings, context, &mut seal, &mut found);
    found
}

/// Adds the scripts of all environments.
pub fn environments(
    settings: &Node,
    context: &FileContext<'_>,
    seal: &mut Option<Seal>,
    found: &mut Found,
) {
    let all = settings.get("envs").map(Node::entries).unwrap_or_default();
    // The usual environment first: its scripts need no prefix.
    let (usual, others): (Vec<_>, Vec<_>) = all.iter().partition(|(name, _)| name == "default");
    for (environment, settings) in usual.into_iter().chain(others) {
        let own = settings.get("scripts").map(Node::entries);
        let mut scripts: Vec<&(String, Node)> = own.unwrap_or_default().iter().collect();
        scripts.extend(overriding(settings));
        for (name, script) in scripts {
            let full = match environment.as_str() {
                "default" => name.clone(),
                environment => format!("{environment}:{name}"),
            };
            // Scripts that begin with an underscore are parts of others.
            if name.starts_with('_') || found.has(&full) {
                continue;
            }
            let seal = seal.get_or_insert_with(|| pins::pyproject::pin(context, Runner::Hatch));
            found.push(command(context, &full, script, settings), seal);
        }
    }
}

/// Scripts that only some environments of a matrix have.
fn overriding(settings: &Node) -> Vec<&(String, Node)> {
    let sources = settings.get("overrides").map(Node::entries);
    let values = sources.unwrap_or_default().iter();
    values
        .flat_map(|(_, source)| source.entries())
        .filter_map(|(_, value)| value.get("scripts"))
        .flat_map(Node::entries)
        .collect()
}

fn command(context: &FileContext<'_>, name: &str, script: &Node, settings: &Node) -> Command {
    let first = match &script.value {
        Value::List(items) => items.first().and_then(Node::text),
        _ => script.text(),
    };
    let matrix = settings.get("matrix").map_or(0, |it| it.items().len());
    let about = first.map(|text| match matrix {
        0 => text.to_owned(),
        _ => format!("{text} (in each environment of the matrix)"),
    });
    let program = context.local_program(Runner::Hatch);
    context
        .command(Runner::Hatch, name, &script.render())
        .with_program(program)
        .with_args(["run", name])
        .at(script.line)
        .described(about)
}
