//! Taskfile: tasks, and those of included files under their namespace.

use std::sync::Arc;

use crate::command::ArgumentStyle;
use crate::data::{Node, Value, read_yaml};
use crate::paths;
use crate::pinner::Seal;
use crate::runner::Runner;
use crate::source::{FileContext, Found, MAX_INCLUDES, ReadError};

use super::pins;

pub const NAMES: &[&str] = &[
    "Taskfile.yml",
    "taskfile.yml",
    "Taskfile.yaml",
    "taskfile.yaml",
    "Taskfile.dist.yml",
    "taskfile.dist.yml",
    "Taskfile.dist.yaml",
    "taskfile.dist.yaml",
];

pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let mut found = Found::default();
    let scope = Scope {
        prefix: String::new(),
        excludes: Vec::new(),
        stack: vec![context.path.to_owned()],
    };
    let seal = pins::taskfile::pin(context);
    file(text, context, &scope, &seal, &mut found);
    found
}

/// The position of a file in the tree of includes.
struct Scope {
    prefix: String,
    excludes: Vec<String>,
    stack: Vec<String>,
}

impl Scope {
    fn path(&self) -> &str {
        self.stack.last().map_or("", String::as_str)
    }
}

fn file(text: &str, context: &FileContext<'_>, scope: &Scope, seal: &Seal, found: &mut Found) {
    let path = scope.path();
    let root = match read_yaml(text) {
        Ok(root) => root,
        Err(broken) => return found.problem(path, broken.line, broken.message),
    };
    for (name, task) in root.get("tasks").map(Node::entries).unwrap_or_default() {
        if task.is_true("internal") || scope.excludes.contains(name) {
            continue;
        }
        let name = format!("{}{name}", scope.prefix);
        if found.has(&name) || name.contains('*') {
            continue;
        }
        let shared: Vec<String> = ["vars", "env", "dotenv", "set", "shopt"]
            .iter()
            .filter_map(|key| Some(format!("\n{key}:{}", root.get(key)?.render())))
            .collect();
        let command = context
            .command(Runner::Task, &name, &(task.render() + &shared.concat()))
            .with_args([&name])
            .started_on(0, ["--taskfile", paths::name_of(context.path)])
            .defined_in(path)
            .at(task.line)
            .described(description(task))
            .taking(ArgumentStyle::AfterDashes);
        found.push(command, seal);
    }
    for (namespace, include) in root.get("includes").map(Node::entries).unwrap_or_default() {
        included((namespace, include), context, scope, seal, found);
    }
}

fn included(
    (namespace, include): (&str, &Node),
    context: &FileContext<'_>,
    scope: &Scope,
    seal: &Seal,
    found: &mut Found,
) {
    let target = include.text().or_else(|| include.text_at("taskfile"));
    let Some(target) = target.filter(|target| !target.contains("{{") && !target.contains("://"))
    else {
        return;
    };
    if include.is_true("internal") {
        return;
    }
    if scope.stack.len() > MAX_INCLUDES {
        let message = format!("includes nested deeper than {MAX_INCLUDES}: {target}");
        return found.problem(scope.path(), include.line, message);
    }
    match open(target, context, paths::folder_of(scope.path())) {
        Ok((path, _)) if scope.stack.contains(&path) => {
            let message = format!("{path} includes itself");
            found.problem(scope.path(), include.line, message);
        }
        Ok((path, text)) => {
            let flatten = include.is_true("flatten");
            let prefix = if flatten {
                scope.prefix.clone()
            } else {
                format!("{}{namespace}:", scope.prefix)
            };
            let excludes = include.get("excludes").map(Node::items).unwrap_or_default();
            let mut stack = scope.stack.clone();
            stack.push(path);
            let inner = Scope {
                prefix,
                excludes: excludes
                    .iter()
                    .filter_map(|it| it.text())
                    .map(str::to_owned)
                    .collect(),
                stack,
            };
            file(&text, context, &inner, seal, found);
        }
        Err(ReadError::NotFound) if include.is_true("optional") => {}
        Err(problem) => {
            found.problem(scope.path(), include.line, format!("{target} {problem}"));
        }
    }
}

/// The included file, or the Taskfile of the included folder.
fn open(
    target: &str,
    context: &FileContext<'_>,
    folder: &str,
) -> Result<(String, Arc<str>), ReadError> {
    let path = paths::resolve(folder, target).ok_or(ReadError::Outside)?;
    let candidates = NAMES.iter().map(|name| paths::join_display(&path, name));
    let file = std::iter::once(path.clone())
        .chain(candidates)
        .find(|path| context.source.exists(path))
        .unwrap_or(path);
    let text = context.source.read(&file)?;
    Ok((file, text))
}

fn description(task: &Node) -> Option<String> {
    let text = task.text_at("desc").or_else(|| task.text_at("summary"));
    let first = || match &task.value {
        Value::Text(text) => Some(text.as_str()),
        Value::List(items) => items.first()?.text(),
        _ => task
            .text_at("cmd")
            .or_else(|| task.get("cmds")?.items().first()?.text()),
    };
    text.or_else(first).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{names, problems, read, read_alone, rows};
    use crate::source::MemorySource;

    #[test]
    fn tasks_of_every_shape() {
        let found = read_alone(
            "Taskfile.yml",
            "version: '3'\r\nvars:\r\n  NOW: {sh: touch /tmp/never}\r\ntasks:\r\n  default: task --list\r\n  build:\r\n    desc: Build it\r\n    deps: [gen]\r\n    cmds:\r\n      - go build ./...\r\n  gen: [go generate, 'echo \"a: b\"']\r\n  secret:\r\n    internal: true\r\n    cmd: x\r\n  start:*:\r\n    cmd: y\r\n",
        );
        assert_eq!(
            rows(&found),
            [
                "default | task default | task --list",
                "build | task build | Build it",
                "gen | task gen | go generate",
            ]
        );
        assert_eq!(found.commands[1].line, 6);
        assert!(
            found.commands[1]
                .definition_text
                .contains("touch /tmp/never")
        );
    }

    #[test]
    fn includes_with_namespaces() {
        let source = MemorySource::default()
            .with("Taskfile.yml", "includes:\n  docs: ./docs\n  lib: {taskfile: lib.yml, flatten: true, excludes: [b]}\n  gone: {taskfile: gone.yml, optional: true}\n  hid: {taskfile: lib.yml, internal: true}\n  out: ../x.yml\n  net: https://x/y.yml\n  miss: miss.yml\ntasks:\n  a: echo\n")
            .with("docs/Taskfile.yaml", "includes: {back: ../Taskfile.yml, up: ../lib.yml}\ntasks:\n  serve: {cmd: mkdocs}\n")
            .with("lib.yml", "tasks: {a: x, b: y, c: z}");
        let found = read(&source, "Taskfile.yml");
        assert_eq!(
            names(&found),
            [
                "a",
                "docs:serve",
                "docs:up:a",
                "docs:up:b",
                "docs:up:c",
                "c"
            ]
        );
        assert_eq!(found.commands[1].file, "docs/Taskfile.yaml");
        assert_eq!(
            problems(&found),
            [
                "docs/Taskfile.yaml:1 Taskfile.yml includes itself",
                "Taskfile.yml:6 ../x.yml is outside the repository",
                "Taskfile.yml:8 miss.yml not found",
            ]
        );
    }

    #[test]
    fn broken() {
        let found = read_alone("Taskfile.yaml", "tasks:\n  a: [x\n");
        assert_eq!(found.problems.len(), 1);
        assert!(names(&read_alone("taskfile.yml", "version: 3")).is_empty());
    }
}
