//! mise: the tasks of its configuration. Hooks, templates and environment in the file are never
//! evaluated.

use crate::command::ArgumentStyle;
use crate::data::{Node, Value, read_toml};
use crate::paths;
use crate::runner::Runner;
use crate::source::{FileContext, Found};

use super::pins;

pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let config = match read_toml(text) {
        Ok(config) => config,
        Err(broken) => return Found::default().broken(context.path, broken),
    };
    let mut found = Found::default();
    let folder = match paths::name_of(context.path) {
        "config.toml" => paths::folder_of(context.folder()),
        _ => context.folder(),
    };
    let seal = pins::mise::pin(context, folder);
    for (name, task) in config.get("tasks").map(Node::entries).unwrap_or_default() {
        if task.is_true("hide") {
            continue;
        }
        let command = context
            .command(Runner::Mise, name, &task.render())
            .within(folder)
            .with_args(["run", name])
            .at(task.line)
            .described(description(task))
            .taking(ArgumentStyle::AfterDashes);
        found.push(command, &seal);
    }
    found
}

fn description(task: &Node) -> Option<String> {
    let run = || {
        let run = task.get("run").unwrap_or(task);
        match &run.value {
            Value::List(items) => items.first()?.text(),
            _ => run.text(),
        }
    };
    task.text_at("description").or_else(run).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{names, read_alone, rows};

    #[test]
    fn tasks_of_every_shape() {
        let found = read_alone(
            "mise.toml",
            "[tools]\r\nnode = '22'\r\n[env]\r\nX = \"{{ exec(command='touch never') }}\"\r\n[tasks]\r\nfmt = 'cargo fmt'\r\nall = ['a', 'b']\r\n[tasks.build]\r\ndescription = 'Build it'\r\nrun = 'cargo build'\r\n[tasks.\"db:reset\"]\r\nrun = ['dropdb x', 'createdb x']\r\n[tasks.secret]\r\nhide = true\r\nrun = 'x'\r\n",
        );
        assert_eq!(
            rows(&found),
            [
                "fmt | mise run fmt | cargo fmt",
                "all | mise run all | a",
                "build | mise run build | Build it",
                "db:reset | mise run db:reset | dropdb x",
            ]
        );
        assert_eq!(found.commands[2].line, 8);
    }

    #[test]
    fn configuration_folders_belong_to_the_parent_folder() {
        let found = read_alone("api/.mise/config.toml", "[tasks]\na = 'b'\n");
        assert_eq!(found.commands[0].full_name(), "api/a");
        assert_eq!(found.commands[0].invocation.cwd, "api");
    }

    #[test]
    fn broken_and_empty() {
        assert_eq!(read_alone(".mise.toml", "[tasks\n").problems.len(), 1);
        assert!(names(&read_alone(".mise.toml", "[tools]\n")).is_empty());
    }
}
