//! Tasks of VS Code that are a line of shell or a program. Variables that only the editor knows make
//! a task one that cannot be run here.

use std::collections::HashSet;

use crate::command::{ArgumentStyle, Command};
use crate::data::{Node, Value, read_jsonc};
use crate::paths;
use crate::runner::Runner;
use crate::source::{FileContext, Found};

use super::pins;

const NO_ARGUMENTS: &str = "the command of a task of VS Code is run as it is";
const EDITOR_ONLY: &str =
    "it uses variables that only VS Code knows, or a task that an extension provides";
/// The beginnings of variables that only the editor knows.
const VARIABLES: &[&str] = &[
    "${file",
    "${input:",
    "${config:",
    "${command:",
    "${line",
    "${selected",
    "${workspaceFolder",
    "${env:",
    "${relative",
    "${default",
    "${execPath",
    "${cwd",
    "${userHome",
    "${pathSeparator",
];

/// What this system takes in place of the general settings of a task.
const SYSTEM: &str = if cfg!(target_os = "macos") {
    "osx"
} else {
    "linux"
};

pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let file = match read_jsonc(text) {
        Ok(file) => file,
        Err(broken) => return Found::default().broken(context.path, broken),
    };
    let folder = paths::folder_of(context.folder());
    let mut found = Found::default();
    let tasks = file.get("tasks").map(Node::items).unwrap_or_default();
    if tasks.is_empty() {
        return found;
    }
    let seal = pins::alone(context);
    for task in tasks {
        let Some(name) = name_of(task) else { continue };
        if found.has(name) || task.is_true("hide") {
            continue;
        }
        let line = ["label", "taskName"]
            .iter()
            .find_map(|key| task.get(key))
            .map_or(task.line, |it| it.line);
        let started = script(tasks, task, folder, &mut HashSet::new());
        let about = task.text_at("detail").map(str::to_owned);
        let command: Command = context
            .command(Runner::VsCode, name, &task.render())
            .within(folder)
            .at(line)
            .described(about.or_else(|| started.clone()))
            .not_here(started.is_none().then_some(EDITOR_ONLY))
            .taking(ArgumentStyle::Refused(NO_ARGUMENTS));
        let script = started.unwrap_or_else(|| "exit 1".to_owned());
        found.push(command.with_args(["-c", &script]), &seal);
    }
    found
}

fn name_of(task: &Node) -> Option<&str> {
    task.text_at("label").or_else(|| task.text_at("taskName"))
}

/// What a shell has to run for a task, after those that it depends on.
fn script(
    tasks: &[Node],
    task: &Node,
    folder: &str,
    stack: &mut HashSet<String>,
) -> Option<String> {
    let name = name_of(task)?;
    if stack.len() > 20 || !stack.insert(name.to_owned()) {
        return None;
    }
    let mut parts: Vec<String> = Vec::new();
    for other in task.get("dependsOn").map(Node::texts).unwrap_or_default() {
        let other = tasks.iter().find(|it| name_of(it) == Some(&other))?;
        parts.push(script(tasks, other, folder, stack)?);
    }
    stack.remove(name);
    if parts.join("").len() > 20_000 {
        return None;
    }
    let part = |key: &str| task.at(&[SYSTEM, key]).or_else(|| task.get(key));
    if let Some(command) = part("command") {
        parts.push(own(task, command, part("args"), folder)?);
    } else if task.text_at("type") == Some("npm") {
        parts.push(format!("npm run {}", quoted(task.text_at("script")?)));
    }
    (!parts.is_empty()).then(|| parts.join(" && "))
}

fn own(task: &Node, command: &Node, args: Option<&Node>, folder: &str) -> Option<String> {
    let kind = task.text_at("type").unwrap_or("shell");
    if !["shell", "process"].contains(&kind) {
        return None;
    }
    let value = |node: &Node| match &node.value {
        Value::Text(text) => resolved(text),
        Value::Map(_) => resolved(node.text_at("value")?),
        _ => None,
    };
    let program = value(command)?;
    let mut words = vec![match kind {
        "process" => quoted(&program),
        _ => program,
    }];
    for argument in args.map(Node::items).unwrap_or_default() {
        words.push(quoted(&value(argument)?));
    }
    let line = words.join(" ");
    let mut settings = String::new();
    let options = task.get("options");
    let variables = options.and_then(|it| it.get("env")).map(Node::entries);
    for (name, given) in variables.unwrap_or_default() {
        let plain = |it: char| it.is_ascii_alphanumeric() || it == '_';
        if name.is_empty() || !name.chars().all(plain) {
            return None;
        }
        settings.extend([" ", name, "=", &quoted(&resolved(given.text()?)?)]);
    }
    let line = match settings.as_str() {
        "" => line,
        settings => format!("(export{settings}; {line})"),
    };
    match options.and_then(|it| it.text_at("cwd")) {
        None => Some(line),
        Some(cwd) => {
            let cwd = resolved(cwd)?;
            paths::resolve(folder, &cwd)?;
            Some(format!("(cd {} && {line})", quoted(&cwd)))
        }
    }
}

/// The text with the folder of the workspace replaced; `None` with any other variable.
fn resolved(text: &str) -> Option<String> {
    let text = text
        .replace("${workspaceFolder}", ".")
        .replace("${workspaceRoot}", ".");
    (!VARIABLES.iter().any(|it| text.contains(it))).then_some(text)
}

fn quoted(word: &str) -> String {
    let plain = |it: char| it.is_alphanumeric() || "-_./:=@%+,".contains(it);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
