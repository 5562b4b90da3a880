//! pyproject.toml: entry points of the project, and the tasks of poetry, pdm, hatch and poe.

use crate::data::{Node, read_toml};
use crate::paths;
use crate::pinner::Seal;
use crate::runner::Runner;
use crate::source::{FileContext, Found};

use super::pins;

pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let project = match read_toml(text) {
        Ok(project) => project,
        Err(broken) => return Found::default().broken(context.path, broken),
    };
    let mut found = Found::default();
    let mut seals: Vec<(Runner, Seal)> = Vec::new();
    let mut table = |path: &[&str], runner: Runner, args: &[&str], env: Option<&str>| {
        let entries = project.at(path).map(Node::entries).unwrap_or_default();
        if !entries.is_empty() && !seals.iter().any(|(known, _)| *known == runner) {
            seals.push((runner, pins::pyproject::pin(context, runner)));
        }
        let Some((_, seal)) = seals.iter().find(|(known, _)| *known == runner) else {
            return;
        };
        for (name, node) in entries.iter().filter(|(name, _)| !name.starts_with('_')) {
            let full_name = env.map_or_else(|| name.clone(), |env| format!("{env}:{name}"));
            let mut words: Vec<&str> = args.to_vec();
            words.push(&full_name);
            let mut command = context
                .command(runner, &full_name, &node.render())
                .at(node.line)
                .described(description(node));
            command = match words.as_slice() {
                [one] => command.with_args([one]),
                [one, two, ..] => command.with_args([one, two]),
                [] => command,
            };
            found.push(command, seal);
        }
    };
    table(
        &["project", "scripts"],
        manager(&project, context),
        &["run"],
        None,
    );
    table(
        &["tool", "poetry", "scripts"],
        Runner::Poetry,
        &["run"],
        None,
    );
    table(&["tool", "pdm", "scripts"], Runner::Pdm, &["run"], None);
    table(
        &["tool", "hatch", "envs", "default", "scripts"],
        Runner::Hatch,
        &["run"],
        None,
    );
    let environments = project.at(&["tool", "hatch", "envs"]).map(Node::entries);
    for (env, _) in environments.unwrap_or_default() {
        if env != "default" {
            let path = ["tool", "hatch", "envs", env, "scripts"];
            table(&path, Runner::Hatch, &["run"], Some(env));
        }
    }
    table(&["tool", "poe", "tasks"], Runner::Poe, &[], None);
    found
}

fn description(node: &Node) -> Option<String> {
    [
        "help",
        "help_text",
        "cmd",
        "shell",
        "composite",
        "script",
        "call",
    ]
    .iter()
    .find_map(|key| node.text_at(key))
    .or_else(|| node.text())
    .map(str::to_owned)
}

/// The tool that installs the project, and so can start its entry points.
fn manager(project: &Node, context: &FileContext<'_>) -> Runner {
    const LOCKS: &[(&str, Runner)] = &[
        ("uv.lock", Runner::Uv),
        ("poetry.lock", Runner::Poetry),
        ("pdm.lock", Runner::Pdm),
    ];
    const TABLES: &[(&str, Runner)] = &[
        ("uv", Runner::Uv),
        ("poetry", Runner::Poetry),
        ("pdm", Runner::Pdm),
        ("hatch", Runner::Hatch),
    ];
    let exists =
        |folder: &str, name: &str| context.source.exists(&paths::join_display(folder, name));
    let lock = paths::ancestors(context.folder())
        .find_map(|folder| LOCKS.iter().find(|(name, _)| exists(folder, name)));
    let table = || {
        TABLES
            .iter()
            .find(|(name, _)| project.at(&["tool", name]).is_some())
    };
    lock.or_else(table)
        .map_or(Runner::Uv, |(_, runner)| *runner)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{names, problems, read, read_alone, rows};
    use crate::source::MemorySource;

    #[test]
    fn every_tool_has_its_own_table() {
        let found = read_alone(
            "pyproject.toml",
            r#"
[project]
name = "app"
[project.scripts]
serve = "app.cli:serve"
[tool.poetry.scripts]
old = "app:old"
[tool.pdm.scripts]
_.env_file = ".env"
lint = { cmd = "ruff check .", help = "Lint it" }
all = { composite = ["lint", "test"] }
[tool.hatch.envs.default.scripts]
cov = ["coverage run", "coverage report"]
[tool.hatch.envs.docs.scripts]
build = "mkdocs build"
[tool.poe.tasks]
test = "pytest"
_hidden = "x"
[tool.poe.tasks.deploy]
shell = "echo $(date)"
help = "Send it"
"#,
        );
        assert_eq!(
            rows(&found),
            [
                "serve | poetry run serve | app.cli:serve",
                "old | poetry run old | app:old",
                "lint | pdm run lint | Lint it",
                "all | pdm run all | -",
                "cov | hatch run cov | -",
                "docs:build | hatch run docs:build | mkdocs build",
                "test | poe test | pytest",
                "deploy | poe deploy | Send it",
            ]
        );
        assert_eq!(found.commands[7].line, 19);
    }

    #[test]
    fn the_lock_file_decides_and_uv_is_the_default() {
        let text = "[project.scripts]\r\nrun-it = \"a:b\"\r\n";
        let source = MemorySource::default().with("libs/a/pyproject.toml", text);
        let path = "libs/a/pyproject.toml";
        assert_eq!(read(&source, path).commands[0].display(), "uv run run-it");
        let source = source.with("pdm.lock", "");
        assert_eq!(read(&source, path).commands[0].display(), "pdm run run-it");
    }

    #[test]
    fn broken_and_empty() {
        let found = read_alone("pyproject.toml", "[project]\nname = \n");
        assert!(problems(&found)[0].starts_with("pyproject.toml:2 "));
        assert!(names(&read_alone("pyproject.toml", "[build-system]\n")).is_empty());
    }
}
