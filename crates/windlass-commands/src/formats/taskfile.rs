//! Taskfile: tasks, and those of included files under their namespace.

use std::rc::Rc;
use std::sync::Arc;

use crate::command::{ArgumentStyle, Kind};
use crate::data::{Node, Value, read_yaml};
use crate::glob;
use crate::memo::Unparsed;
use crate::paths;
use crate::pinner::Seal;
use crate::runner::Runner;
use crate::source::{FileContext, Found, MAX_INCLUDES, ReadError};

use super::{pins, templates};

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

/// More files than this are not read through the includes of one: files that include others twice
/// double at each level.
const MAX_FILES: usize = 1_000;

pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let root = match read_yaml(text) {
        Ok(root) => Rc::new(root),
        Err(broken) => return Found::default().broken(context.path, broken),
    };
    context.memo.remember(context.path, &root);
    let mut reader = Reader {
        context,
        seal: pins::taskfile::pin(context),
        files: 0,
        names: Vec::new(),
        found: Found::default(),
    };
    let scope = Scope {
        prefix: String::new(),
        excludes: Vec::new(),
        stack: vec![context.path.to_owned()],
    };
    reader.file(&root, &scope);
    reader.finish()
}

/// The position of a file in the tree of includes.
struct Scope {
    prefix: String,
    /// The prefix that each applies below, and the names or patterns that it leaves out.
    excludes: Vec<(String, String)>,
    stack: Vec<String>,
}

impl Scope {
    fn path(&self) -> &str {
        self.stack.last().map_or("", String::as_str)
    }

    fn leaves_out(&self, name: &str) -> bool {
        self.excludes.iter().any(|(prefix, pattern)| {
            let inner = name.strip_prefix(prefix.as_str());
            inner.is_some_and(|inner| inner == pattern || glob::matches(pattern, inner))
        })
    }
}

struct Reader<'a> {
    context: &'a FileContext<'a>,
    seal: Seal,
    files: usize,
    /// Every name that task knows, with those that are not listed.
    names: Vec<String>,
    found: Found,
}

impl Reader<'_> {
    fn file(&mut self, root: &Node, scope: &Scope) {
        let path = scope.path();
        if let Some(message) = refused(root, scope) {
            let line = root.get("version").map_or(1, |it| it.line);
            return self.found.problem(path, line, message);
        }
        let shared: Vec<String> = ["vars", "env", "dotenv", "set", "shopt"]
            .iter()
            .filter_map(|key| Some(format!("\n{key}:{}", root.get(key)?.render())))
            .collect();
        let shared = shared.concat();
        for (name, task) in root.get("tasks").map(Node::entries).unwrap_or_default() {
            let name = format!("{}{name}", scope.prefix);
            let aliases = task.get("aliases").map(Node::texts).unwrap_or_default();
            let aliases = aliases
                .into_iter()
                .map(|it| format!("{}{it}", scope.prefix));
            self.names.extend(aliases.chain([name.clone()]));
            if task.is_true("internal") || scope.leaves_out(&name) || self.found.has(&name) {
                continue;
            }
            let about = description(task).map(|text| templates::filled(&text, root));
            let mut command = self
                .context
                .command(Runner::Task, &name, &(task.render() + &shared))
                .with_args([&name])
                .started_on(0, ["--taskfile", paths::name_of(self.context.path)])
                .defined_in(path)
                .at(task.line)
                .described(about)
                .taking(ArgumentStyle::AfterDashes);
            if name.contains('*') {
                command = command.of_kind(Kind::Pattern).taking(ArgumentStyle::Filled);
            }
            self.found.push(command, &self.seal);
        }
        for (namespace, include) in root.get("includes").map(Node::entries).unwrap_or_default() {
            self.include(namespace, include, root, scope);
        }
    }

    fn include(&mut self, namespace: &str, include: &Node, root: &Node, scope: &Scope) {
        let target = include.text().or_else(|| include.text_at("taskfile"));
        let target = target.map(|target| templates::filled(target, root));
        // The pins say why nothing can be granted then.
        let Some(target) = target.filter(|it| !it.contains("{{") && !it.contains("://")) else {
            return;
        };
        if include.is_true("internal") {
            return;
        }
        if scope.stack.len() > MAX_INCLUDES {
            let message = format!("includes nested deeper than {MAX_INCLUDES}: {target}");
            return self.found.problem(scope.path(), include.line, message);
        }
        self.files += 1;
        if self.files > MAX_FILES {
            if self.files == MAX_FILES + 1 {
                let message = format!("more than {MAX_FILES} includes are not followed");
                self.found.problem(scope.path(), include.line, message);
            }
            return;
        }
        let path = match open(&target, self.context, paths::folder_of(scope.path())) {
            Ok(path) => path,
            Err(ReadError::NotFound) if include.is_true("optional") => return,
            Err(problem) => {
                let message = format!("{target} {problem}");
                return self.found.problem(scope.path(), include.line, message);
            }
        };
        if scope.stack.contains(&path) {
            let message = format!("{path} includes itself");
            return self.found.problem(scope.path(), include.line, message);
        }
        let prefix = if include.is_true("flatten") {
            scope.prefix.clone()
        } else {
            format!("{}{namespace}:", scope.prefix)
        };
        let mut excludes = scope.excludes.clone();
        let own = include.get("excludes").map(Node::texts).unwrap_or_default();
        excludes.extend(own.into_iter().map(|name| (prefix.clone(), name)));
        let mut stack = scope.stack.clone();
        stack.push(path.clone());
        let inner = Scope {
            prefix,
            excludes,
            stack,
        };
        let (memo, source) = (self.context.memo.clone(), self.context.source);
        match memo.parsed(source, &path, read_yaml) {
            Ok(root) => self.file(&root, &inner),
            Err(Unparsed::Syntax(broken)) => {
                self.found.problem(&path, broken.line, broken.message);
            }
            Err(problem @ Unparsed::Read(_)) => {
                self.found
                    .problem(scope.path(), include.line, problem.reason());
            }
        }
    }

    /// A name with stars must not start what another command is.
    fn finish(mut self) -> Found {
        let names: Arc<[String]> = self.names.into();
        for command in &mut self.found.commands {
            if command.kind == Kind::Pattern {
                let others = names.iter().filter(|it| **it != command.name);
                command.other_names = others.cloned().collect();
            }
        }
        self.found
    }
}

/// Why task would refuse the file.
fn refused(root: &Node, scope: &Scope) -> Option<String> {
    let version = match &root.get("version")?.value {
        Value::Text(text) | Value::Number(text) => text.trim_start_matches('v').to_owned(),
        _ => return None,
    };
    if ["1", "2"].contains(&version.split('.').next().unwrap_or_default()) {
        return Some(format!("task no longer reads files of version {version}"));
    }
    let included = scope.stack.len() > 1;
    (included && root.get("dotenv").is_some())
        .then(|| "task does not read an included file that has `dotenv`".to_owned())
}

/// The included file, or the Taskfile of the included folder.
fn open(target: &str, context: &FileContext<'_>, folder: &str) -> Result<String, ReadError> {
    let path = paths::resolve(folder, target).ok_or(ReadError::Outside)?;
    let candidates = NAMES.iter().map(|name| paths::join_display(&path, name));
    let file = std::iter::once(path.clone())
        .chain(candidates)
        .find(|path| context.source.exists(path))
        .unwrap_or(path);
    context.source.read(&file)?;
    Ok(file)
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
            "version: '3'\r\nvars:\r\n  NOW: {sh: touch /tmp/never}\r\ntasks:\r\n  default: task --list\r\n  build:\r\n    desc: Build it\r\n    deps: [gen]\r\n    cmds:\r\n      - go build ./...\r\n  gen: [go generate, 'echo \"a: b\"']\r\n  secret:\r\n    internal: true\r\n    cmd: x\r\n  start:*:\r\n    cmd: go\r\n",
        );
        assert_eq!(
            rows(&found),
            [
                "default | task default | task --list",
                "build | task build | Build it",
                "gen | task gen | go generate",
                "start:* | task 'start:*' | go",
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
