//! pyproject.toml: entry points of the project, and the tasks of all tools that keep theirs here.

use crate::command::Kind;
use crate::data::{Node, read_toml};
use crate::paths;
use crate::runner::Runner;
use crate::source::{FileContext, Found};

use super::{hatch, pins, pixi, poe, tox};

pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let project = match read_toml(text) {
        Ok(project) => project,
        Err(broken) => return Found::default().broken(context.path, broken),
    };
    let mut found = Found::default();
    for (path, runner) in [
        (
            ["project", "scripts"].as_slice(),
            manager(&project, context),
        ),
        (&["tool", "poetry", "scripts"], Runner::Poetry),
        (&["tool", "pdm", "scripts"], Runner::Pdm),
        (&["tool", "rye", "scripts"], Runner::Rye),
    ] {
        table(&project, path, runner, context, &mut found);
    }
    let tool = |name: &str| project.at(&["tool", name]);
    // Hatch reads its own file in place of the table.
    if let Some(settings) = tool("hatch").filter(|_| !context.has_beside("hatch.toml")) {
        hatch::environments(settings, context, &mut None, &mut found);
    }
    if let Some(settings) = tool("poe").filter(|it| poe::has_tasks(it)) {
        poe::tasks(settings, context, &mut found);
    }
    if let Some(settings) = tool("pixi").filter(|_| !context.has_beside("pixi.toml")) {
        pixi::tasks(settings, context, &mut found);
    }
    if let Some(settings) = tool("tox").filter(|_| !tox_has_its_own_file(context)) {
        tox::table(settings, context, &mut found);
    }
    found
}

/// Tox takes the first file that is for it.
fn tox_has_its_own_file(context: &FileContext<'_>) -> bool {
    context.has_beside("tox.ini")
}

/// Adds the entries of a table whose commands are `RUNNER run NAME`.
fn table(
    project: &Node,
    path: &[&str],
    runner: Runner,
    context: &FileContext<'_>,
    found: &mut Found,
) {
    let entries = project.at(path).map(Node::entries).unwrap_or_default();
    let mut seal = None;
    // Where the keys of a table are tasks, those with an underscore are settings; programs are called
    // whatever their project wants.
    let is_program = runner == Runner::Poetry || path.first() == Some(&"project");
    let shown = |name: &str| is_program || !name.starts_with('_');
    for (name, node) in entries.iter().filter(|(name, _)| shown(name)) {
        let seal = seal.get_or_insert_with(|| pins::pyproject::pin(context, runner));
        let kind = if is_program {
            Kind::Program
        } else {
            Kind::Task
        };
        let command = context
            .command(runner, name, &node.render())
            .with_args(["run", name])
            .at(node.line)
            .described(poe::description(node))
            .of_kind(kind);
        found.push(command, seal);
    }
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
    fn an_underscore_hides_settings_and_no_programs() {
        for (text, expected) in [
            (
                "[project.scripts]\n_receive = 'a:b'\nserve = 'a:c'\n",
                "_receive serve",
            ),
            ("[tool.poetry.scripts]\n_x = 'a:b'\n", "_x"),
            (
                "[tool.pdm.scripts]\n_.env_file = '.env'\nrun = 'x'\n",
                "run",
            ),
        ] {
            let found = read_alone("pyproject.toml", text);
            assert_eq!(names(&found).join(" "), expected, "{text}");
        }
    }

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
                "all | pdm run all | lint, then test",
                "cov | hatch run cov | coverage run",
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
