//! mise: the tasks of its configuration files, and those of files and folders that they include.
//! Hooks, templates and environment are never evaluated.

use std::collections::HashSet;

use crate::command::{ArgumentStyle, Command, Kind};
use crate::data::{Node, Value, read_toml};
use crate::paths;
use crate::pinner::Seal;
use crate::runner::Runner;
use crate::source::{FileContext, Found};

use super::mise_files;
use super::pins;
use super::pins::mise::base_of;

/// Mise reads all of these in a folder; a task of an earlier one takes precedence.
const CONFIGURATIONS: &[&str] = &[
    "mise.local.toml",
    ".mise.local.toml",
    "mise.toml",
    ".mise.toml",
    "mise/config.local.toml",
    "mise/config.toml",
    ".mise/config.local.toml",
    ".mise/config.toml",
    ".config/mise.local.toml",
    ".config/mise.toml",
    ".config/mise/config.local.toml",
    ".config/mise/config.toml",
    ".config/mise/mise.toml",
];
/// The files of this folder are the last.
const PARTS: &str = ".config/mise/conf.d";

/// Whether the path is a configuration file of mise.
pub fn is_configuration(path: &str) -> bool {
    if !path.contains("mise") || paths::ending_of(path) != "toml" {
        return false;
    }
    let inside = path.strip_prefix(base_of(path)).unwrap_or(path);
    let inside = inside.trim_start_matches('/');
    CONFIGURATIONS.contains(&inside) || paths::folder_of(inside) == PARTS
}

pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let config = match read_toml(text) {
        Ok(config) => config,
        Err(broken) => return Found::default().broken(context.path, broken),
    };
    let mut reader = Reader {
        context,
        folder: base_of(context.path),
        seal: pins::mise::pin(context, base_of(context.path)),
        defined_before: HashSet::new(),
        found: Found::default(),
    };
    reader.look_at_earlier_files();
    for (name, task) in config.get("tasks").map(Node::entries).unwrap_or_default() {
        reader.task(name, task, context.path, &config);
    }
    let includes = config.at(&["task_config", "includes"]);
    for written in includes.map(Node::path_texts).unwrap_or_default() {
        let line = includes.map_or(1, |it| it.line);
        reader.include(&written, line);
    }
    reader.found
}

struct Reader<'a> {
    context: &'a FileContext<'a>,
    folder: &'a str,
    seal: Seal,
    /// The tasks of files that take precedence.
    defined_before: HashSet<String>,
    found: Found,
}

impl Reader<'_> {
    fn look_at_earlier_files(&mut self) {
        let own = self.context.path;
        let mut earlier: Vec<String> = CONFIGURATIONS
            .iter()
            .map(|name| paths::join_display(self.folder, name))
            .take_while(|path| path != own)
            .collect();
        if paths::name_of(paths::folder_of(own)) == "conf.d" {
            // Among these, the last one wins.
            let folder = paths::folder_of(own);
            let names = self.context.source.list(folder);
            let after = names.iter().map(|name| paths::join_display(folder, name));
            earlier.extend(
                after.filter(|path| path.as_str() > own && paths::ending_of(path) == "toml"),
            );
        }
        for path in earlier
            .iter()
            .filter(|path| self.context.source.exists(path))
        {
            let (memo, source) = (&self.context.memo, self.context.source);
            if let Ok(config) = memo.parsed(source, path, read_toml) {
                let tasks = config.get("tasks").map(Node::entries).unwrap_or_default();
                let names = tasks.iter().map(|(name, _)| name.clone());
                self.defined_before.extend(names);
            }
        }
    }

    fn task(&mut self, name: &str, task: &Node, file: &str, config: &Node) {
        if task.is_true("hide") || self.defined_before.contains(name) || self.found.has(name) {
            return;
        }
        let template = task
            .text_at("extends")
            .and_then(|it| config.at(&["task_templates", it]));
        let about = description(task).or_else(|| template.and_then(description));
        let command = command(self.context, self.folder, name, &task.render())
            .defined_in(file)
            .at(task.line)
            .described(about);
        self.found.push(command, &self.seal);
    }

    /// A file of tasks, or a folder of files that are tasks.
    fn include(&mut self, written: &str, line: usize) {
        let written = ["{{config_root}}/", "{{ config_root }}/"]
            .iter()
            .find_map(|start| written.strip_prefix(start))
            .unwrap_or(written);
        // The pins say why nothing can be granted then.
        if written.contains("{{") || written.contains("://") {
            return;
        }
        let Some(path) = paths::resolve(self.folder, written) else {
            let message = format!("{written} is outside the repository");
            return self.found.problem(self.context.path, line, message);
        };
        if paths::ending_of(&path) != "toml" {
            for task in mise_files::tasks_below(self.context.source, &path) {
                self.file_task(&task);
            }
            return;
        }
        match self.context.source.read(&path).map(|text| read_toml(&text)) {
            Ok(Ok(tasks)) => {
                for (name, task) in tasks.entries() {
                    self.task(name, task, &path, &tasks);
                }
            }
            Ok(Err(broken)) => self.found.problem(&path, broken.line, broken.message),
            Err(problem) => {
                let message = format!("{written} {problem}");
                self.found.problem(self.context.path, line, message);
            }
        }
    }

    fn file_task(&mut self, task: &mise_files::FileTask) {
        if self.defined_before.contains(&task.name) || self.found.has(&task.name) {
            return;
        }
        if let Some(command) = mise_files::command(self.context, self.folder, task) {
            self.found.push(command, &self.seal);
        }
    }
}

/// A task of that folder, started by mise.
pub fn command(context: &FileContext<'_>, folder: &str, name: &str, definition: &str) -> Command {
    context
        .command(Runner::Mise, name, definition)
        .within(folder)
        .with_args(["run", name])
        .taking(ArgumentStyle::AfterDashes)
        .of_kind(Kind::Task)
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
    use super::super::testing::{names, read, read_alone, rows};
    use crate::source::MemorySource;

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
        for path in [
            "api/.mise/config.toml",
            "api/.config/mise.toml",
            "api/.config/mise/config.toml",
            "api/.config/mise/conf.d/extra.toml",
        ] {
            let found = read_alone(path, "[tasks]\na = 'b'\n");
            assert_eq!(found.commands[0].full_name(), "api/a", "{path}");
            assert_eq!(found.commands[0].invocation.cwd, "api");
        }
    }

    #[test]
    fn an_earlier_file_takes_precedence() {
        let source = MemorySource::default()
            .with("mise.toml", "[tasks]\na = 'x'\n")
            .with(".config/mise.toml", "[tasks]\na = 'y'\nb = 'z'\n");
        assert_eq!(names(&read(&source, "mise.toml")), ["a"]);
        assert_eq!(names(&read(&source, ".config/mise.toml")), ["b"]);
    }

    #[test]
    fn broken_and_empty() {
        assert_eq!(read_alone(".mise.toml", "[tasks\n").problems.len(), 1);
        assert!(names(&read_alone(".mise.toml", "[tools]\n")).is_empty());
    }
}
