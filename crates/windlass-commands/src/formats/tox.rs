//! tox: its environments, from `tox.ini`, `setup.cfg`, `tox.toml` or `pyproject.toml`.

use std::collections::HashSet;

use crate::command::{ArgumentStyle, Command};
use crate::data::{Node, Value, read_toml};
use crate::paths;
use crate::pinner::Seal;
use crate::runner::Runner;
use crate::source::{FileContext, Found};

use super::ini::{Section, sections};
use super::pins;

/// The files that tox looks for, in this order; `pyproject.toml` is read with the others' tables.
pub const NAMES: &[&str] = &["tox.ini", "setup.cfg", "tox.toml"];

/// More environments than this are not made from one list.
const MAX_ENVIRONMENTS: usize = 2_000;

pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let mut found = Found::default();
    if paths::ending_of(context.path) == "toml" {
        match read_toml(text) {
            Ok(settings) => tables(&settings, context, &mut found),
            Err(broken) => return found.broken(context.path, broken),
        }
        return found;
    }
    let setup = paths::name_of(context.path) == "setup.cfg";
    lists(&sections(text), setup, 0, context, &mut found);
    found
}

/// `[tool.tox]` of `pyproject.toml`.
pub fn table(settings: &Node, context: &FileContext<'_>, found: &mut Found) {
    match settings.get("legacy_tox_ini") {
        Some(text) => {
            let line = text.line;
            let text = text.text().unwrap_or_default();
            lists(&sections(text), false, line, context, found);
        }
        None => tables(settings, context, found),
    }
}

/// Environments as sections: `envlist` in `[tox]`, and each `[testenv:NAME]`.
fn lists(
    sections: &[Section],
    setup: bool,
    offset: usize,
    context: &FileContext<'_>,
    found: &mut Found,
) {
    let core = if setup { "tox:tox" } else { "tox" };
    let mut adder = Adder::new(context, found);
    let is_core = |it: &&Section| it.name == core;
    if let Some(core) = sections.iter().find(is_core) {
        let list = ["envlist", "env_list"].iter().find_map(|key| core.get(key));
        for name in expanded(list.unwrap_or_default()) {
            let own = format!("testenv:{name}");
            let of = |wanted: &str| sections.iter().find(|it| it.name == wanted);
            let section = of(&own).or_else(|| of("testenv"));
            let line = of(&own).map_or(core.line, |it| it.line);
            adder.add(&name, offset + line, section.and_then(about), "");
        }
    }
    for section in sections {
        let Some(names) = section.name.strip_prefix("testenv:") else {
            continue;
        };
        let text: Vec<String> = section
            .entries
            .iter()
            .map(|(k, v)| format!("{k} = {v}"))
            .collect();
        for name in expanded(names) {
            adder.add(
                &name,
                offset + section.line,
                about(section),
                &text.join("\n"),
            );
        }
    }
    let known: HashSet<String> = adder
        .names
        .iter()
        .flat_map(|name| name.split('-').map(str::to_owned))
        .collect();
    let inner = if setup { "tox:testenv" } else { "testenv" };
    for section in sections {
        let name = section.name.as_str();
        let own = name == core || name == "testenv" || name == inner;
        if !own && !name.starts_with("testenv:") {
            continue;
        }
        let lines = section.entries.iter().flat_map(|(_, value)| value.lines());
        for name in lines.flat_map(conditional) {
            if name.split('-').any(|factor| !known.contains(factor)) {
                adder.add(&name, offset + section.line, None, "");
            }
        }
    }
}

/// The environments that the condition of a line names: `lsof: pytest --lsof` belongs to `lsof`,
/// which tox knows by that alone.
fn conditional(line: &str) -> Vec<String> {
    let end = line.match_indices(':').find(|(at, _)| {
        let next = line[at + 1..].chars().next();
        next.is_none_or(char::is_whitespace)
    });
    let Some((end, _)) = end else {
        return Vec::new();
    };
    let condition = line[..end].trim();
    let names = expanded(condition);
    let plain = |it: char| it.is_alphanumeric() || "_.-!*?[]".contains(it);
    // A blank outside of braces makes it a text with a colon.
    let is_text = condition.split(',').any(|part| {
        let part = part.trim();
        part.contains(char::is_whitespace) && !part.contains(['{', '}'])
    });
    if is_text || !names.iter().all(|name| name.chars().all(plain)) {
        return Vec::new();
    }
    names.iter().map(|name| name.replace('!', "")).collect()
}

fn about(section: &Section) -> Option<String> {
    let said = section
        .get("description")
        .or_else(|| section.get("commands"))?;
    let first = said.trim().lines().next()?.trim().trim_end_matches('\\');
    Some(first.to_owned())
}

/// Environments as tables: `env_list`, and each `[env.NAME]`.
fn tables(settings: &Node, context: &FileContext<'_>, found: &mut Found) {
    let mut adder = Adder::new(context, found);
    let environments = settings.get("env").map(Node::entries).unwrap_or_default();
    let list = settings.get("env_list").or_else(|| settings.get("envlist"));
    for item in list.map(Node::items).unwrap_or_default() {
        // Products of factors are tables.
        if let Some(name) = item.text() {
            let table = environments.iter().find(|(known, _)| known == name);
            let line = table.map_or(item.line, |(_, it)| it.line);
            adder.add(name, line, table.and_then(|(_, it)| said(it)), "");
        }
    }
    for (name, table) in environments {
        adder.add(name, table.line, said(table), &table.render());
    }
}

fn said(table: &Node) -> Option<String> {
    if let Some(text) = table.text_at("description") {
        return Some(text.to_owned());
    }
    let Value::List(commands) = &table.get("commands")?.value else {
        return None;
    };
    let words: Vec<String> = commands.first()?.texts();
    Some(words.join(" "))
}

struct Adder<'a> {
    context: &'a FileContext<'a>,
    seal: Option<Seal>,
    names: HashSet<String>,
    found: &'a mut Found,
}

impl<'a> Adder<'a> {
    fn new(context: &'a FileContext<'a>, found: &'a mut Found) -> Self {
        Self {
            context,
            seal: None,
            names: HashSet::new(),
            found,
        }
    }

    fn add(&mut self, name: &str, line: usize, about: Option<String>, definition: &str) {
        let odd = |it: char| it.is_whitespace() || "{}$[],%*?".contains(it);
        if name.is_empty() || name.contains(odd) || !self.names.insert(name.to_owned()) {
            return;
        }
        let context = self.context;
        let command: Command = context
            .command(Runner::Tox, name, definition)
            .with_program(context.local_program(Runner::Tox))
            .with_args(["-e", name])
            .started_on(0, ["-c", paths::name_of(context.path)])
            .at(line)
            .described(about)
            .taking(ArgumentStyle::AfterDashes);
        let seal = self.seal.get_or_insert_with(|| pins::tox::pin(context));
        self.found.push(command, seal);
    }
}

/// The names of a list with its braces: `py{38,39}-{a,b}`, separated by commas or lines.
fn expanded(list: &str) -> Vec<String> {
    let mut items = Vec::new();
    let (mut depth, mut item) = (0_usize, String::new());
    for letter in list.chars().chain(['\n']) {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (letter == ',' || letter.is_whitespace()) {
            items.push(std::mem::take(&mut item));
        } else if !letter.is_whitespace() {
            item.push(letter);
        }
    }
    let mut found = Vec::new();
    for item in items {
        // What is after a `#` is a comment.
        if item.is_empty() || item.starts_with('#') || found.len() > MAX_ENVIRONMENTS {
            continue;
        }
        found.extend(crate::glob::alternatives(&ranges(&item)).unwrap_or_default());
    }
    found
}

/// `py3{10-12}` as `py3{10,11,12}`.
fn ranges(item: &str) -> String {
    let mut out = String::new();
    let mut rest = item;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((inner, next)) = after.split_once('}') else {
            break;
        };
        out.push_str(before);
        let parts: Vec<String> = inner
            .split(',')
            .map(|part| {
                let ends = part.split_once('-').and_then(|(from, to)| {
                    Some((from.parse::<u32>().ok()?, to.parse::<u32>().ok()?))
                });
                match ends {
                    Some((from, to)) if from <= to && to - from < 100 => (from..=to)
                        .map(|it| it.to_string())
                        .collect::<Vec<_>>()
                        .join(","),
                    _ => part.to_owned(),
                }
            })
            .collect();
        out.push('{');
        out.push_str(&parts.join(","));
        out.push('}');
        rest = next;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::{conditional, expanded};

    #[test]
    fn conditions_name_environments() {
        for (line, expected) in [
            ("lsof: pytest --lsof", "lsof"),
            ("py{38,39}-x: dep", "py38-x py39-x"),
            ("!numpy,xdist: a", "numpy xdist"),
            ("echo see: this", ""),
            ("https://host/x", ""),
            ("a = b: c", ""),
            ("no condition", ""),
        ] {
            assert_eq!(conditional(line).join(" "), expected, "{line}");
        }
    }

    #[test]
    fn lists_of_environments() {
        for (list, expected) in [
            ("py38, py39", "py38 py39"),
            ("py{38,39}-{a,b}", "py38-a py38-b py39-a py39-b"),
            ("\npy3{10-12}\n  lint # all\n", "py310 py311 py312 lint all"),
            (
                "{py27,py36}-django{15, 16}",
                "py27-django15 py27-django16 py36-django15 py36-django16",
            ),
            ("", ""),
            ("a{b", ""),
        ] {
            assert_eq!(expanded(list).join(" "), expected, "{list}");
        }
    }
}
