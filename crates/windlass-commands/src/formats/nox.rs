//! nox: the sessions of `noxfile.py`. The file is a program and is not run: sessions are read where
//! their names and versions are literal.

use std::collections::HashMap;

use crate::command::ArgumentStyle;
use crate::data::{Node, read_toml};
use crate::paths;
use crate::runner::Runner;
use crate::source::{FileContext, Found};

use super::pins;

pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let mut found = Found::default();
    let lines: Vec<&str> = text.lines().collect();
    let lists = lists(&lines, context);
    let seal = pins::nox::pin(context);
    let mut at = 0;
    while at < lines.len() {
        if !is_session(lines[at]) {
            at += 1;
            continue;
        }
        let start = at;
        // The decorators and the function. Each decorator of a session makes one of its own.
        let mut decorators: Vec<(bool, String)> = Vec::new();
        while at < lines.len() && !lines[at].trim_start().starts_with("def ") && at - start < 80 {
            if lines[at].starts_with('@') {
                decorators.push((is_session(lines[at]), String::new()));
            }
            if let Some((_, decorator)) = decorators.last_mut() {
                decorator.push_str(lines[at].trim());
                decorator.push(' ');
            }
            at += 1;
        }
        let Some(function) = lines
            .get(at)
            .and_then(|it| it.trim_start().strip_prefix("def "))
        else {
            continue;
        };
        let function = function.split('(').next().map(|it| it.trim().to_owned());
        let about = docstring(&lines[at + 1..]);
        at += 1;
        let mut names = Vec::new();
        for (_, head) in decorators.iter().filter(|(is_session, _)| *is_session) {
            let name = match keyword(head, "name") {
                Some(value) => literal(value),
                None => function.clone(),
            };
            let Some(name) = name.filter(|it| !it.is_empty()) else {
                continue;
            };
            let versions = ["python", "py"]
                .iter()
                .find_map(|key| keyword(head, key))
                .map(|value| strings(value, &lists, context))
                .unwrap_or_default();
            let versioned = versions.iter().map(|version| format!("{name}-{version}"));
            names.extend(std::iter::once(name.clone()).chain(versioned));
        }
        for name in names {
            if found.has(&name) {
                continue;
            }
            let command = context
                .command(Runner::Nox, &name, &lines[start..at].join("\n"))
                .with_program(context.local_program(Runner::Nox))
                .with_args(["-s", &name])
                .started_on(0, ["-f", paths::name_of(context.path)])
                .at(at)
                .described(about.clone())
                .taking(ArgumentStyle::AfterDashes);
            found.push(command, &seal);
        }
    }
    found
}

fn is_session(line: &str) -> bool {
    let Some(name) = line.strip_prefix('@') else {
        return false;
    };
    let name = name.split(['(', ' ']).next().unwrap_or_default();
    [
        "nox.session",
        "session",
        "nox_session",
        "nox_poetry.session",
        "nox_uv.session",
    ]
    .contains(&name.trim_end())
}

/// The value after `key=` in a call, up to the comma that ends it.
fn keyword<'a>(head: &'a str, key: &str) -> Option<&'a str> {
    let written = format!("{key}=");
    let at = head.match_indices(&written).find_map(|(at, _)| {
        let before = head[..at].chars().next_back();
        before
            .is_some_and(|it| it == '(' || it == ',' || it == ' ')
            .then_some(at)
    })?;
    let rest = &head[at + written.len()..];
    let mut depth = 0_usize;
    let end = rest.find(|letter: char| {
        match letter {
            '[' | '(' => depth += 1,
            ']' | ')' if depth > 0 => depth -= 1,
            ')' | ',' if depth == 0 => return true,
            _ => {}
        }
        false
    });
    Some(rest[..end.unwrap_or(rest.len())].trim())
}

fn literal(value: &str) -> Option<String> {
    let quote = value.chars().next().filter(|it| ['"', '\''].contains(it))?;
    Some(
        value[1..]
            .split(quote)
            .next()
            .unwrap_or_default()
            .to_owned(),
    )
}

/// `NAME = ["3.11", "3.12"]` at the top of the file, over as many lines as it takes.
fn lists(lines: &[&str], context: &FileContext<'_>) -> HashMap<String, Vec<String>> {
    let mut lists = HashMap::new();
    for (at, line) in lines.iter().enumerate() {
        let Some((name, value)) = line.split_once('=') else {
            continue;
        };
        let name = name.split(':').next().unwrap_or_default().trim();
        let plain = |it: char| it.is_ascii_alphanumeric() || it == '_';
        if name.is_empty() || !name.chars().all(plain) || line.starts_with(' ') {
            continue;
        }
        let mut value = value.trim().to_owned();
        for next in lines.iter().skip(at + 1).take(30) {
            if !value.starts_with(['[', '(']) || value.ends_with([']', ')']) {
                break;
            }
            value.push_str(next.trim());
        }
        let known = strings(&value, &lists, context);
        if !known.is_empty() {
            lists.insert(name.to_owned(), known);
        }
    }
    lists
}

/// How the classifiers of a project say which Python it supports.
const START: &str = "Programming Language :: Python :: ";

/// `nox.project.python_versions(…)`: the versions that pyproject.toml says the project supports, by
/// its classifiers, or from `requires-python` up to `max_version`.
fn python_versions(value: &str, context: &FileContext<'_>) -> Option<Vec<String>> {
    let (before, arguments) = value.split_once("python_versions(")?;
    if !before.is_empty() && !before.ends_with('.') {
        return None;
    }
    let path = paths::join_display(context.folder(), "pyproject.toml");
    let file = context.memo.parsed(context.source, &path, read_toml).ok()?;
    let project = file.get("project")?;
    let classifiers = project.get("classifiers").map(Node::texts);
    let classifiers = classifiers.unwrap_or_default();
    let minor = |version: &str| version.strip_prefix("3.")?.parse::<u32>().ok();
    let mut minors: Vec<u32> = match keyword(&format!("({arguments}"), "max_version") {
        None => {
            let versions = classifiers.iter().filter_map(|it| it.strip_prefix(START));
            versions.filter_map(minor).collect()
        }
        Some(most) => {
            let most = minor(&literal(most)?)?;
            let bounds = project.text_at("requires-python")?.split(',');
            let lowest = bounds.filter_map(|bound| {
                let bound = bound.trim();
                let version = ["~=", ">=", ">"]
                    .iter()
                    .find_map(|sign| bound.strip_prefix(sign))?;
                let version = version.trim().strip_prefix("3.")?;
                version.split('.').next()?.parse::<u32>().ok()
            });
            (lowest.max()?..=most.min(1_000)).collect()
        }
    };
    minors.sort_unstable();
    let free = classifiers
        .iter()
        .filter_map(|it| it.strip_prefix(START))
        .any(|it| it.starts_with("Free Threading"));
    let plain = minors.iter().map(|minor| format!("3.{minor}"));
    let threads = minors.iter().filter(|minor| free && **minor >= 14);
    Some(
        plain
            .chain(threads.map(|minor| format!("3.{minor}t")))
            .collect(),
    )
}

/// The literals of a list or a text; none if some part is computed.
fn strings(
    value: &str,
    lists: &HashMap<String, Vec<String>>,
    context: &FileContext<'_>,
) -> Vec<String> {
    if let Some(versions) = python_versions(value, context) {
        return versions;
    }
    if let Some(known) = lists.get(value) {
        return known.clone();
    }
    if let Some(one) = literal(value) {
        return vec![one];
    }
    let inner = value
        .strip_prefix('[')
        .and_then(|it| it.strip_suffix(']'))
        .or_else(|| value.strip_prefix('(')?.strip_suffix(')'));
    let items = inner.unwrap_or_default().split(',').map(str::trim);
    let items = items.filter(|it| !it.is_empty());
    let known: Option<Vec<Vec<String>>> = items
        .map(|it| {
            literal(it)
                .map(|it| vec![it])
                .or_else(|| lists.get(it.strip_prefix('*')?).cloned())
        })
        .collect();
    known.unwrap_or_default().concat()
}

fn docstring(body: &[&str]) -> Option<String> {
    let line = body.first()?.trim();
    let text = line.trim_start_matches('r');
    let text = text
        .strip_prefix("\"\"\"")
        .or_else(|| text.strip_prefix("'''"))?;
    let text = text.trim_end_matches("\"\"\"").trim_end_matches("'''");
    match text.trim() {
        "" => Some(body.get(1)?.trim().trim_end_matches("\"\"\"").to_owned()),
        text => Some(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{names, read};
    use crate::source::MemorySource;

    /// Each decorator of a session makes one, whatever other decorators are between.
    #[test]
    fn sessions_of_one_function() {
        for (decorators, expected) in [
            ("@nox.session\n@nox.session(name=\"b\")", "a b"),
            (
                "@nox.session(name='x', python=['3.12'])\n@nox.session(\n    name='y',\n)",
                "x x-3.12 y",
            ),
            (
                "@nox.session\n@nox.parametrize('name=z', [1])\n@session(name='c')",
                "a c",
            ),
            ("@other\n@nox.session", "a"),
        ] {
            let text = format!("{decorators}\ndef a(session):\n    pass\n");
            let source = MemorySource::default().with("noxfile.py", &text);
            let found = read(&source, "noxfile.py");
            assert_eq!(names(&found).join(" "), expected, "{decorators}");
        }
    }

    #[test]
    fn versions_that_the_project_supports() {
        let classifiers = |more: &str| {
            format!(
                "[project]\nrequires-python = '>=3.12, <4'\nclassifiers = ['Programming Language :: Python :: 3', 'Programming Language :: Python :: 3.14', 'Programming Language :: Python :: 3.9'{more}]\n"
            )
        };
        let free = ", 'Programming Language :: Python :: Free Threading'";
        for (project, call, expected) in [
            (classifiers(""), "python_versions(P)", "a a-3.9 a-3.14"),
            (
                classifiers(free),
                "python_versions(P)",
                "a a-3.9 a-3.14 a-3.14t",
            ),
            (
                classifiers(""),
                "python_versions(P, max_version=\"3.13\")",
                "a a-3.12 a-3.13",
            ),
            ("[project]\n".to_owned(), "python_versions(P)", "a"),
        ] {
            let text = format!(
                "P = nox.project.load_toml()\nALL = nox.project.{call}\n@nox.session(python=ALL)\ndef a(session):\n    pass\n"
            );
            let source = MemorySource::default()
                .with("noxfile.py", &text)
                .with("pyproject.toml", &project);
            assert_eq!(
                names(&read(&source, "noxfile.py")).join(" "),
                expected,
                "{call}"
            );
            // The same without a name for the list.
            let direct = text.replace("python=ALL", &format!("python=nox.project.{call}"));
            let source = source.with("noxfile.py", &direct);
            assert_eq!(
                names(&read(&source, "noxfile.py")).join(" "),
                expected,
                "{call}"
            );
        }
    }
}
