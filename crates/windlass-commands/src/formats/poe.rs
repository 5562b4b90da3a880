//! The tasks of poe: of its own file or of `[tool.poe]`, of groups, and of files that these include.

use std::collections::HashSet;

use crate::command::Command;
use crate::data::{Node, SyntaxError, Value, read_json, read_toml, read_yaml};
use crate::paths;
use crate::pinner::Seal;
use crate::runner::Runner;
use crate::source::{FileContext, FileSource, Found, MAX_INCLUDES};

use super::pins;

/// `poe_tasks.toml`, `.yaml` or `.json`.
pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let file = match parser(context.path)(text) {
        Ok(file) => file,
        Err(broken) => return Found::default().broken(context.path, broken),
    };
    let mut found = Found::default();
    // Poe takes the first file that has tasks.
    let project = paths::join_display(context.folder(), "pyproject.toml");
    if let Ok(project) = context.memo.parsed(context.source, &project, read_toml)
        && project.at(&["tool", "poe"]).is_some()
    {
        return found;
    }
    tasks(settings_of(&file), context, &mut found);
    found
}

/// Adds the tasks of poe's settings in the file of the context.
pub fn tasks(settings: &Node, context: &FileContext<'_>, found: &mut Found) {
    let mut reader = Reader {
        context,
        seal: pins::pyproject::pin(context, Runner::Poe),
        visited: HashSet::from([context.path.to_owned()]),
        names: HashSet::new(),
        is_followed: false,
        found,
    };
    reader.settings(context.path, settings, 0);
}

/// Whether poe's settings define anything.
pub fn has_tasks(settings: &Node) -> bool {
    ["tasks", "groups", "include"]
        .iter()
        .any(|key| settings.get(key).is_some())
}

pub fn parser(path: &str) -> fn(&str) -> Result<Node, SyntaxError> {
    match paths::ending_of(path) {
        "json" => read_json,
        "yaml" | "yml" => read_yaml,
        _ => read_toml,
    }
}

/// The settings of poe in a file of its own, with or without the usual table.
pub fn settings_of(file: &Node) -> &Node {
    let table = file.at(&["tool", "poe"]).or_else(|| file.get("tool.poe"));
    table.unwrap_or(file)
}

/// Where the path of a file begins that `from` names in a project at `folder`, and the rest of the
/// path. `None` if the path has variables whose values only poe knows.
pub fn start<'a>(
    source: &dyn FileSource,
    folder: &str,
    from: &str,
    written: &'a str,
) -> Option<(String, &'a str)> {
    let after = |name: &str| {
        let rest = written.strip_prefix('$')?;
        let braced = rest.strip_prefix('{').and_then(|it| it.strip_prefix(name));
        let rest = match braced {
            Some(rest) => rest.strip_prefix('}')?,
            None => rest.strip_prefix(name)?,
        };
        rest.strip_prefix('/')
    };
    let (start, rest) = if let Some(rest) = after("POE_GIT_DIR") {
        let has_git = |above: &&str| {
            let git = paths::join_display(above, ".git");
            source.has_folder(&git) || source.exists(&git)
        };
        (paths::ancestors(folder).find(has_git)?, rest)
    } else if let Some(rest) = after("POE_ROOT") {
        (folder, rest)
    } else {
        (paths::folder_of(from), written)
    };
    (!rest.contains('$')).then(|| (start.to_owned(), rest))
}

struct Reader<'a> {
    context: &'a FileContext<'a>,
    seal: Seal,
    visited: HashSet<String>,
    /// Of poe alone: another runner may have tasks of the same names.
    names: HashSet<String>,
    /// Whether the file that is read was included with all that it includes.
    is_followed: bool,
    found: &'a mut Found,
}

impl Reader<'_> {
    fn settings(&mut self, path: &str, settings: &Node, depth: usize) {
        let mut tables: Vec<&Node> = settings.get("tasks").into_iter().collect();
        let groups = settings.get("groups").map(Node::entries);
        for (_, group) in groups.unwrap_or_default() {
            tables.extend(group.get("tasks"));
        }
        for (name, task) in tables.into_iter().flat_map(Node::entries) {
            if !name.starts_with('_') && self.names.insert(name.clone()) {
                let command = command(self.context, name, task);
                self.found.push(command.defined_in(path), &self.seal);
            }
        }
        let Some(includes) = settings.get("include") else {
            return;
        };
        let one = [includes.clone()];
        let items = match &includes.value {
            Value::List(items) => items.as_slice(),
            _ => one.as_slice(),
        };
        for item in items {
            // What an included file includes counts only where that is asked for.
            if self.is_followed || depth == 0 {
                let before = std::mem::replace(&mut self.is_followed, item.is_true("recursive"));
                for written in item.path_texts() {
                    self.include(path, includes.line, &written, depth);
                }
                self.is_followed = before;
            }
        }
    }

    fn include(&mut self, from: &str, line: usize, written: &str, depth: usize) {
        if depth >= MAX_INCLUDES {
            return;
        }
        let source = self.context.source;
        let Some((folder, written)) = start(source, self.context.folder(), from, written) else {
            return;
        };
        let Some(path) = paths::resolve(&folder, written) else {
            let message = format!("{written} is outside the repository");
            return self.found.problem(from, line, message);
        };
        if !self.visited.insert(path.clone()) {
            return;
        }
        // Poe goes on without a file that it cannot read.
        let Ok(text) = self.context.source.read(&path) else {
            return;
        };
        match parser(&path)(&text) {
            Ok(file) => self.settings(&path, settings_of(&file), depth + 1),
            Err(broken) => self.found.problem(&path, broken.line, broken.message),
        }
    }
}

fn command(context: &FileContext<'_>, name: &str, task: &Node) -> Command {
    let program = context.local_program(Runner::Poe);
    context
        .command(Runner::Poe, name, &task.render())
        .with_program(program)
        .with_args([name])
        .at(task.line)
        .described(description(task))
}

/// The first line of what a task says about itself, or does.
pub fn description(task: &Node) -> Option<String> {
    const KEYS: &[&str] = &[
        "help",
        "help_text",
        "description",
        "cmd",
        "shell",
        "script",
        "call",
        "expr",
        "ref",
    ];
    const LISTS: &[&str] = &["composite", "sequence", "chain", "parallel"];
    let said = KEYS.iter().find_map(|key| task.text_at(key));
    let first_line = |text: &str| text.trim().lines().next().unwrap_or_default().to_owned();
    if let Some(text) = said.or_else(|| task.text()) {
        return Some(first_line(text));
    }
    let list = LISTS.iter().find_map(|key| task.get(key)).unwrap_or(task);
    let Value::List(items) = &list.value else {
        return None;
    };
    let steps: Vec<&str> = items.iter().filter_map(Node::text).collect();
    (!steps.is_empty()).then(|| steps.join(", then "))
}
