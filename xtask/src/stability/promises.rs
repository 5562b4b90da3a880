//! Reads promises from generated documents: tools with their fields, commands with their options, errors
//! with their codes, and methods of the SDK.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// How the line of an input ends that callers must give.
pub const REQUIRED: &str = ", required";

/// All promises of the repository as it is.
pub fn of_repository(root: &Path) -> Result<BTreeSet<String>, String> {
    let read = |path: &str| {
        fs::read_to_string(root.join(path)).map_err(|problem| format!("{path}: {problem}"))
    };
    let mut lines = BTreeSet::new();
    lines.extend(tools(&read("docs/reference/tools.md")?));
    lines.extend(commands(&read("docs/reference/cli.md")?));
    lines.extend(errors(&read("docs/reference/errors.md")?));
    lines.extend(methods(&read("docs/sdk.d.ts")?));
    Ok(lines)
}

/// Tools, their inputs, and the fields of their outputs.
fn tools(page: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut tool = String::new();
    let mut table = "";
    for line in page.lines() {
        if line.starts_with("## ") {
            tool.clear();
        } else if let Some(name) = line.strip_prefix("### ") {
            tool = format!("tool {}", name.trim_matches('`'));
            lines.push(tool.clone());
        } else if line.starts_with("| field ") {
            let is_output = line.starts_with("| field of the output");
            table = if is_output { "output" } else { "input" };
        } else if let (Some([name, kind, third, ..]), false) = (cells(line), tool.is_empty()) {
            let required = third == "yes" && table == "input";
            let (kind, below) = nested(&kind);
            let end = if required { REQUIRED } else { "" };
            lines.push(format!("{tool} {table} {name}: {kind}{end}"));
            let below = below
                .iter()
                .map(|field| format!("{tool} {table} {name}.{field}"));
            lines.extend(below);
        }
    }
    lines
}

/// The first three cells of a row whose first cell is code.
fn cells(line: &str) -> Option<[String; 3]> {
    let row = line.strip_prefix("| `")?;
    let (name, rest) = row.split_once('`')?;
    let mut cells = rest.trim_start().strip_prefix("| ")?.split(" | ");
    let cell = |text: Option<&str>| text.unwrap_or_default().trim_matches([' ', '|']).to_owned();
    Some([name.to_owned(), cell(cells.next()), cell(cells.next())])
}

/// A type without the names of its fields, and those names.
fn nested(kind: &str) -> (String, Vec<String>) {
    let Some((kind, fields)) = kind.split_once(" of `") else {
        return (kind.to_owned(), Vec::new());
    };
    let names = fields.split('`').step_by(2).filter(|name| !name.is_empty());
    (kind.to_owned(), names.map(str::to_owned).collect())
}

/// Commands and the long names of their options.
fn commands(page: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut command = String::new();
    for line in page.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            let words = title.trim_matches('`').strip_prefix("windlass ");
            command = words
                .map(|words| format!("command {words}"))
                .unwrap_or_default();
            if title == "Global options" {
                "command".clone_into(&mut command);
            } else if !command.is_empty() {
                lines.push(command.clone());
            }
        } else if !command.is_empty() && line.starts_with("| `") {
            let first = line.split(" | ").next().unwrap_or_default();
            let options = first
                .split(['`', ' ', '=', '[', ','])
                .filter(|word| word.starts_with("--"));
            lines.extend(options.map(|option| format!("{command} {option}")));
        }
    }
    lines
}

/// Kinds of errors with the code of JSON-RPC and the exit code.
fn errors(page: &str) -> Vec<String> {
    let rows = page.lines().filter_map(cells);
    let kinds = rows.filter(|[_, code, _]| code.starts_with('-'));
    kinds
        .map(|[kind, code, exit]| format!("error {kind} {code}, exit {exit}"))
        .collect()
}

/// Methods of the SDK with the names of the arguments that go by position.
fn methods(declarations: &str) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    let mut namespace = "";
    for line in declarations.lines() {
        if let Some(rest) = line.strip_prefix("declare const ") {
            namespace = rest.strip_suffix(": {").unwrap_or_default();
        } else if line == "};" {
            namespace = "";
        } else if let (false, Some((name, rest))) = (namespace.is_empty(), line.split_once('(')) {
            let name = name.trim();
            if !name.chars().all(char::is_alphanumeric) {
                continue;
            }
            let method = format!("sdk {namespace}.{name}");
            let arguments = rest.split_once(')').map_or("", |(arguments, _)| arguments);
            for (at, argument) in arguments.split(", ").enumerate() {
                let (argument, kind) = argument.split_once(": ").unwrap_or_default();
                if kind.contains("[\"") {
                    let argument = argument.trim_end_matches('?');
                    lines.insert(format!("{method} argument {} {argument}", at + 1));
                }
            }
            lines.insert(method);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_read_with_their_fields() {
        let page = "\
            | [`t`](#t) | `windlass t` | reads | anyone |\n\
            ### t\n\n| field | type | required | default | meaning |\n| --- | --- |\n\
            | `id` | string | yes |  | Which | one. |\n| `limit` | integer |  | `50` |  |\n\n\
            | field of the output | type | meaning |\n| --- | --- | --- |\n\
            | `all` | list of object of `a`, `b` | yes |\n";
        assert_eq!(
            tools(page),
            [
                "tool t",
                "tool t input id: string, required",
                "tool t input limit: integer",
                "tool t output all: list of object",
                "tool t output all.a",
                "tool t output all.b",
            ]
        );
    }

    #[test]
    fn commands_are_read_with_their_options() {
        let page = "\
            ## Global options\n| `-C`, `--cwd <DIR>` | Where. |\n## Environment\n| `A` | none | `--x` |\n\
            ## windlass add\n| `--claimed[=<CLAIMED>]` | See `--other`. |\n| `TITLE` | The title. |\n";
        let expected = ["command --cwd", "command add", "command add --claimed"];
        assert_eq!(commands(page), expected);
    }

    #[test]
    fn errors_and_methods_are_read() {
        let page = "| `Gone` | -32001 | 4 | It is gone. |\n| `0` | Success | x |\n";
        assert_eq!(errors(page), ["error Gone -32001, exit 4"]);
        let declarations = "\
            interface Keyed {\n  call(x: string): void;\n}\ndeclare const jobs: {\n  /** It (really) is. */\n  \
            output(pid: JobsInput[\"pid\"], more?: Partial<X>): Promise<Y>;\n  running(): Promise<Z>;\n};\n";
        let found: Vec<String> = methods(declarations).into_iter().collect();
        let expected = [
            "sdk jobs.output",
            "sdk jobs.output argument 1 pid",
            "sdk jobs.running",
        ];
        assert_eq!(found, expected);
    }
}
