//! moon: the tasks of a project, and those that all projects share.

use crate::command::{ArgumentStyle, Command};
use crate::data::{Node, Value, read_yaml};
use crate::paths;
use crate::runner::Runner;
use crate::source::{FileContext, Found};

use super::pins;

/// Whether the path is a file of shared tasks: `.moon/tasks.yml`, or one in `.moon/tasks`.
pub fn is_shared(path: &str) -> bool {
    let folder = paths::folder_of(path);
    let stem = paths::stem_of(path);
    (paths::name_of(folder) == ".moon" && stem == "tasks") || folder.ends_with(".moon/tasks")
}

/// The root of the workspace that a file of shared tasks belongs to.
pub fn root_of(path: &str) -> &str {
    let folder = paths::folder_of(path);
    let moon = folder.strip_suffix("/tasks").unwrap_or(folder);
    paths::folder_of(moon)
}

/// `moon.yml` of a project.
pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let project = match read_yaml(text) {
        Ok(project) => project,
        Err(broken) => return Found::default().broken(context.path, broken),
    };
    let name = identifier(&project, context);
    let started = |task: &str| format!("{name}:{task}");
    tasks(&project, context, context.folder(), &started)
}

/// Tasks that every project has: started for all of them.
pub fn read_shared(text: &str, context: &FileContext<'_>) -> Found {
    let shared = match read_yaml(text) {
        Ok(shared) => shared,
        Err(broken) => return Found::default().broken(context.path, broken),
    };
    let started = |task: &str| format!(":{task}");
    tasks(&shared, context, root_of(context.path), &started)
}

fn tasks(
    file: &Node,
    context: &FileContext<'_>,
    folder: &str,
    started: &dyn Fn(&str) -> String,
) -> Found {
    let mut found = Found::default();
    let tasks = file.get("tasks").map(Node::entries).unwrap_or_default();
    if tasks.is_empty() {
        return found;
    }
    let seal = pins::moon::pin(context, folder);
    for (name, task) in tasks {
        let internal = task.at(&["options", "internal"]).map(|it| &it.value);
        if internal == Some(&Value::Bool(true)) {
            continue;
        }
        let about = task.text_at("description").map(str::to_owned);
        let runs = || {
            let command = task.get("command").or_else(|| task.get("script"));
            command.map(|it| it.texts().join(" "))
        };
        let command: Command = context
            .command(Runner::Moon, name, &task.render())
            .within(folder)
            .with_args(["run", &started(name)])
            .at(task.line)
            .described(about.or_else(runs))
            .taking(ArgumentStyle::AfterDashes);
        found.push(command, &seal);
    }
    found
}

/// The name of the project: its own, the one in the list of the workspace, or that of its folder.
fn identifier(project: &Node, context: &FileContext<'_>) -> String {
    if let Some(name) = project.text_at("id") {
        return name.to_owned();
    }
    let folder = context.folder();
    for above in paths::ancestors(folder) {
        let path = paths::join_display(above, ".moon/workspace.yml");
        let Ok(workspace) = context.memo.parsed(context.source, &path, read_yaml) else {
            continue;
        };
        let projects = workspace.get("projects");
        let listed = projects.map(|it| it.get("sources").unwrap_or(it));
        let named = listed.map(Node::entries).unwrap_or_default().iter();
        let found = named
            .filter_map(|(name, at)| Some((name, paths::resolve(above, at.text()?)?)))
            .find(|(_, at)| at == folder);
        if let Some((name, _)) = found {
            return name.clone();
        }
        break;
    }
    match paths::name_of(folder) {
        "" => "root".to_owned(),
        name => name.to_owned(),
    }
}
