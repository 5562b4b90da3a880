//! Bazel: the named targets of the BUILD file at the root. A large build has tens of thousands
//! elsewhere, which nobody calls by hand.

use crate::command::ArgumentStyle;
use crate::data::Lines;
use crate::runner::Runner;
use crate::source::{FileContext, Found};

use super::pins;

const NO_ARGUMENTS: &str = "bazel would interpret each further argument as a target or an option";
/// Rules that configure others and cannot be built for themselves.
const SETTINGS: &[&str] = &[
    "config_setting",
    "constraint_setting",
    "constraint_value",
    "exports_files",
    "license",
    "licenses",
    "load",
    "package",
    "package_group",
    "platform",
    "toolchain",
    "visibility",
];

pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let mut found = Found::default();
    let files = [
        "MODULE.bazel",
        "WORKSPACE",
        "WORKSPACE.bazel",
        "WORKSPACE.bzlmod",
    ];
    if !files.iter().any(|name| context.has_beside(name)) {
        return found;
    }
    let lines = Lines::new(text);
    let mut seal = None;
    for rule in rules(text) {
        if SETTINGS.contains(&rule.kind) || found.has(&rule.name) {
            continue;
        }
        let act = if rule.kind.ends_with("_test") || rule.kind == "test_suite" {
            "test"
        } else if rule.kind.ends_with("_binary") || RUN.contains(&rule.kind) {
            "run"
        } else {
            "build"
        };
        let label = format!("//:{}", rule.name);
        let command = context
            .command(Runner::Bazel, &rule.name, rule.text)
            .with_args([act, &label])
            .at(lines.of(rule.position))
            .described(Some(rule.kind))
            .taking(ArgumentStyle::Refused(NO_ARGUMENTS));
        let seal = seal.get_or_insert_with(|| pins::bazel::pin(context));
        found.push(command, seal);
    }
    found
}

/// Rules that make something which can be run, though their names do not say so.
const RUN: &[&str] = &[
    "alias",
    "gazelle",
    "buildifier",
    "multirun",
    "command",
    "sh_run",
];

struct Rule<'a> {
    kind: &'a str,
    name: String,
    position: usize,
    text: &'a str,
}

/// The calls at the top of the file that have a literal name.
fn rules(text: &str) -> Vec<Rule<'_>> {
    let mut rules = Vec::new();
    let mut position = 0;
    let mut open: Option<usize> = None;
    for line in text.split_inclusive('\n') {
        let start = position;
        position += line.len();
        if open.is_none() {
            let end = line.find(|it: char| !it.is_alphanumeric() && it != '_');
            if end.is_some_and(|end| end > 0 && line[end..].starts_with('(')) {
                open = Some(start);
            }
        }
        // A call ends with a parenthesis at the beginning of a line, or on its own line.
        let ended = line.starts_with(')') || line.trim_end().ends_with(')');
        if let Some(from) = open.filter(|from| line.starts_with(')') || (*from == start && ended)) {
            open = None;
            let call = &text[from..position];
            let kind = call.split('(').next().unwrap_or_default();
            if let Some(name) = name(call) {
                rules.push(Rule {
                    kind,
                    name,
                    position: from,
                    text: call,
                });
            }
        }
    }
    rules
}

fn name(call: &str) -> Option<String> {
    let at = call.match_indices("name").find_map(|(at, _)| {
        let before = call[..at].chars().next_back()?;
        let value = call[at + 4..].trim_start().strip_prefix('=')?.trim_start();
        (!before.is_alphanumeric() && before != '_').then_some(value)
    })?;
    let quote = at.chars().next().filter(|it| ['"', '\''].contains(it))?;
    let name = at[1..].split(quote).next()?;
    let plain = |it: char| it.is_alphanumeric() || "_-.+/=,@~#".contains(it);
    (!name.is_empty() && name.chars().all(plain)).then(|| name.to_owned())
}
