//! The variables of a makefile, as far as their values are literal. Nothing is executed: what a shell
//! would compute has no value, and neither has a name that contains it. A few calls of the shell have
//! an answer that is plain to see (`pwd`, the root of the repository, names of files).

use std::collections::HashMap;

/// Longer results are not computed: they would be lists of files.
const MAX_LENGTH: usize = 100_000;
const MAX_DEPTH: usize = 20;

/// What a makefile asks about files.
pub trait Files {
    /// The files that a pattern matches, as make names them.
    fn wildcard(&self, pattern: &str) -> Option<Vec<String>>;
    /// What a line of shell prints, if that is known without running it.
    fn shell(&self, line: &str) -> Option<String>;
}

/// What is known of variables at a line.
#[derive(Default)]
pub struct Variables<'a> {
    values: HashMap<String, String>,
    files: Option<Box<dyn Files + 'a>>,
    /// `define NAME … endef`: text for `$(call NAME,…)`.
    pub templates: HashMap<String, String>,
}

impl<'a> Variables<'a> {
    /// With `$(wildcard …)` and what else only looks at files.
    pub fn with_files(files: Box<dyn Files + 'a>) -> Self {
        Self {
            files: Some(files),
            ..Self::default()
        }
    }

    /// Notes which file is read from now on, by its path from the folder in which make is started.
    pub fn reading(&mut self, file: &str) {
        let list = self.values.entry("MAKEFILE_LIST".to_owned()).or_default();
        if list.len() < MAX_LENGTH {
            list.push(' ');
            list.push_str(file);
        }
    }

    /// Takes in `NAME = value` and its kin; returns whether the line is an assignment.
    pub fn assign(&mut self, line: &str) -> bool {
        let line = line.trim_start();
        let words = ["export ", "override ", "private "];
        let line = words.iter().fold(line, |line, word| {
            line.strip_prefix(word).unwrap_or(line).trim_start()
        });
        let Some(at) = line.find('=') else {
            return false;
        };
        let before = &line[..at];
        let (name, sign) = [":::", "::", ":", "?", "+", "!"]
            .iter()
            .find_map(|sign| Some((before.strip_suffix(sign)?, *sign)))
            .unwrap_or((before, ""));
        let name = name.trim();
        if name.is_empty() || name.contains(char::is_whitespace) || name.contains(['$', ':', '#']) {
            return false;
        }
        let value = line[at + 1..].split(" #").next().unwrap_or_default().trim();
        match sign {
            "!" => {
                self.values.insert(name.to_owned(), "$(shell x)".to_owned());
            }
            "?" if self.values.contains_key(name) => {}
            "+" => {
                let known = self.values.entry(name.to_owned()).or_default();
                if known.len() < MAX_LENGTH {
                    known.push(' ');
                    known.push_str(value);
                }
            }
            "" | "?" => {
                self.values.insert(name.to_owned(), value.to_owned());
            }
            _ => {
                // Simple variables have their value now; an unknown one stays unknown.
                let value = self
                    .expand(value)
                    .unwrap_or_else(|| "$(shell x)".to_owned());
                self.values.insert(name.to_owned(), value);
            }
        }
        true
    }

    /// Whether the makefile has given it a value.
    pub fn is_defined(&self, name: &str) -> bool {
        self.values.get(name).is_some_and(|value| !value.is_empty())
    }

    /// The text with all variables replaced; `None` if some value is not known.
    pub fn expand(&self, text: &str) -> Option<String> {
        let mut budget = MAX_LENGTH;
        self.expanded(text, &[], 0, &mut budget)
    }

    fn expanded(
        &self,
        text: &str,
        locals: &[(&str, &str)],
        depth: usize,
        budget: &mut usize,
    ) -> Option<String> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            out.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            let first = rest.chars().next()?;
            if first == '$' {
                out.push('$');
                rest = &rest[1..];
                continue;
            }
            let inner = if let Some(close) = matching(first) {
                let end = closing(rest, first, close)?;
                let inner = &rest[1..end];
                rest = &rest[end + 1..];
                inner
            } else {
                let inner = &rest[..first.len_utf8()];
                rest = &rest[first.len_utf8()..];
                inner
            };
            out.push_str(&self.reference(inner, locals, depth + 1, budget)?);
            *budget = budget.checked_sub(out.len().clamp(1, 1_000))?;
            if out.len() > MAX_LENGTH {
                return None;
            }
        }
        out.push_str(rest);
        Some(out)
    }

    /// What is between the parentheses of a reference.
    fn reference(
        &self,
        inner: &str,
        locals: &[(&str, &str)],
        depth: usize,
        budget: &mut usize,
    ) -> Option<String> {
        if let Some((name, rest)) = inner.split_once([' ', '\t'])
            && name.chars().all(|it| it.is_ascii_lowercase() || it == '-')
        {
            return self.function(name, rest, locals, depth, budget);
        }
        // `$(NAME:a=b)`
        if let Some((name, change)) = inner.split_once(':')
            && let Some((from, to)) = change.split_once('=')
        {
            let value = self.reference(name, locals, depth, budget)?;
            let from = self.expanded(from, locals, depth, budget)?;
            let to = self.expanded(to, locals, depth, budget)?;
            let (from, to) = if from.contains('%') {
                (from, to)
            } else {
                (format!("%{from}"), format!("%{to}"))
            };
            return Some(over_words(&value, |word| patsubst(&from, &to, word)));
        }
        let name = self.expanded(inner, locals, depth, budget)?;
        let local = locals.iter().rev().find(|(known, _)| *known == name);
        if let Some((_, value)) = local {
            return Some((*value).to_owned());
        }
        match self.values.get(&name) {
            Some(value) => self.expanded(value, locals, depth, budget),
            None if ["CURDIR", "PWD"].contains(&name.as_str()) => Some(HERE.to_owned()),
            // What comes from outside is not known.
            None if ["MAKE", "MAKEFILE_LIST", "HOME"].contains(&name.as_str()) => None,
            None => Some(String::new()),
        }
    }

    fn function(
        &self,
        name: &str,
        rest: &str,
        locals: &[(&str, &str)],
        depth: usize,
        budget: &mut usize,
    ) -> Option<String> {
        let arguments = arguments(rest);
        if name == "foreach" {
            let [variable, list, text] = arguments.as_slice() else {
                return None;
            };
            let list = self.expanded(list, locals, depth, budget)?;
            let mut all = Vec::new();
            for word in list.split_whitespace() {
                let mut inner = locals.to_vec();
                inner.push((variable.trim(), word));
                all.push(self.expanded(text, &inner, depth, budget)?);
            }
            return Some(all.join(" "));
        }
        let mut values: Vec<String> = Vec::new();
        for argument in &arguments {
            values.push(self.expanded(argument, locals, depth, budget)?);
        }
        let value = |at: usize| values.get(at).map_or("", String::as_str);
        let list = value(values.len().saturating_sub(1));
        Some(match name {
            "addprefix" => over_words(list, |word| format!("{}{word}", value(0))),
            "addsuffix" => over_words(list, |word| format!("{word}{}", value(0))),
            "patsubst" => over_words(list, |word| {
                patsubst(value(0).trim(), value(1).trim(), word)
            }),
            "subst" if !value(0).is_empty() => list.replace(value(0), value(1)),
            "filter" | "filter-out" => {
                let patterns: Vec<&str> = value(0).split_whitespace().collect();
                let keep = |word: &&str| {
                    patterns.iter().any(|it| stem(it, word).is_some()) == (name == "filter")
                };
                list.split_whitespace()
                    .filter(keep)
                    .collect::<Vec<_>>()
                    .join(" ")
            }
            "wildcard" => {
                let files = self.files.as_ref()?;
                let mut all = Vec::new();
                for pattern in list.split_whitespace() {
                    all.extend(files.wildcard(pattern)?);
                }
                all.join(" ")
            }
            // A line of shell may have commas.
            "shell" => self.files.as_ref()?.shell(&values.join(","))?,
            "dir" => over_words(list, |word| match word.rsplit_once('/') {
                Some((folder, _)) => format!("{folder}/"),
                None => "./".to_owned(),
            }),
            // Paths stay relative to the folder in which make is started.
            "abspath" | "realpath" => over_words(list, normal),
            "strip" => over_words(list, str::to_owned),
            "sort" => {
                let mut words: Vec<&str> = list.split_whitespace().collect();
                words.sort_unstable();
                words.dedup();
                words.join(" ")
            }
            "firstword" => list
                .split_whitespace()
                .next()
                .unwrap_or_default()
                .to_owned(),
            "lastword" => list
                .split_whitespace()
                .next_back()
                .unwrap_or_default()
                .to_owned(),
            // The name of the folder that a repository is in is not in its files.
            "notdir" if list.split_whitespace().any(is_unnamed) => return None,
            "notdir" => over_words(list, |word| {
                word.rsplit('/').next().unwrap_or_default().to_owned()
            }),
            "basename" => over_words(list, |word| match word.rsplit_once('.') {
                Some((stem, _)) => stem.to_owned(),
                None => word.to_owned(),
            }),
            _ => return None,
        })
    }

    /// The lines that `$(eval $(call TEMPLATE,…))`, alone or in `$(foreach …)`, makes make read.
    pub fn evaluated(&self, line: &str) -> Vec<String> {
        let mut found = Vec::new();
        let inner = line
            .trim()
            .strip_prefix("$(")
            .and_then(|it| it.strip_suffix(')'));
        if let Some(inner) = inner {
            self.evaluate(inner, &[], 0, &mut found);
        }
        found
    }

    fn evaluate(
        &self,
        inner: &str,
        locals: &[(&str, &str)],
        depth: usize,
        found: &mut Vec<String>,
    ) {
        let Some((name, rest)) = inner.split_once([' ', '\t']) else {
            return;
        };
        let mut budget = MAX_LENGTH;
        if depth > 4 || found.len() > 2_000 {
            return;
        }
        match name {
            "foreach" => {
                let arguments = arguments(rest);
                let [variable, list, text] = arguments.as_slice() else {
                    return;
                };
                let Some(list) = self.expanded(list, locals, 0, &mut budget) else {
                    return;
                };
                let text = text
                    .trim()
                    .strip_prefix("$(")
                    .and_then(|it| it.strip_suffix(')'));
                for word in list.split_whitespace() {
                    let mut inside = locals.to_vec();
                    inside.push((variable.trim(), word));
                    if let Some(text) = text {
                        self.evaluate(text, &inside, depth + 1, found);
                    }
                }
            }
            "eval" => {
                let call = rest
                    .trim()
                    .strip_prefix("$(call ")
                    .and_then(|it| it.strip_suffix(')'));
                let Some(call) = call else { return };
                let arguments = arguments(call);
                let Some((template, given)) = arguments.split_first() else {
                    return;
                };
                let Some(text) = self.templates.get(template.trim()) else {
                    return;
                };
                let mut text = text.clone();
                for (at, argument) in given.iter().enumerate() {
                    let value = self.expanded(argument.trim(), locals, 0, &mut budget);
                    let Some(value) = value else { return };
                    for written in [format!("$({})", at + 1), format!("${{{}}}", at + 1)] {
                        text = text.replace(&written, &value);
                    }
                    if text.len() > MAX_LENGTH {
                        return;
                    }
                }
                found.push(text.replace("$$", "$"));
            }
            _ => {}
        }
    }
}

/// The folder in which make is started.
pub const HERE: &str = ".";

/// Whether the last part of a path has no name.
fn is_unnamed(path: &str) -> bool {
    let last = path.trim_end_matches('/').rsplit('/').next();
    matches!(last, Some("" | "." | ".."))
}

/// A relative path without `.`, and without `..` after a name; without a slash at its end.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|it| *it != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let start = if path.starts_with('/') { "/" } else { "" };
    match parts.join("/").as_str() {
        "" if start.is_empty() => HERE.to_owned(),
        path => format!("{start}{path}"),
    }
}

const fn matching(open: char) -> Option<char> {
    match open {
        '(' => Some(')'),
        '{' => Some('}'),
        _ => None,
    }
}

/// The position of the parenthesis that closes the one at the beginning.
fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        if letter == open {
            depth += 1;
        } else if letter == close {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

/// The parts between commas that are in no parentheses.
fn arguments(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0_usize, 0, Vec::new());
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                found.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&text[start..]);
    found
}

fn over_words(list: &str, change: impl Fn(&str) -> String) -> String {
    let words = list.split_whitespace().map(change);
    words.collect::<Vec<_>>().join(" ")
}

/// What `%` stands for where the word fits the pattern.
fn stem<'a>(pattern: &str, word: &'a str) -> Option<&'a str> {
    match pattern.split_once('%') {
        Some((before, after)) => word.strip_prefix(before)?.strip_suffix(after),
        None => (pattern == word).then_some(""),
    }
}

fn patsubst(from: &str, to: &str, word: &str) -> String {
    stem(from, word).map_or_else(|| word.to_owned(), |stem| to.replacen('%', stem, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &[&str], text: &str, expected: Option<&str>) {
        let mut variables = Variables::default();
        for line in lines {
            assert!(variables.assign(line), "{line}");
        }
        assert_eq!(variables.expand(text).as_deref(), expected, "{text}");
    }

    #[test]
    fn literal_values_are_known() {
        let lines = [
            "A = x y",
            "B := $(addprefix b-,$(A))",
            "C ?= $(A:%=%.c)",
            "A += z",
        ];
        check(&lines, "$(B)", Some("b-x b-y"));
        check(&lines, "$(C) ${A}", Some("x.c y.c z.c x y z"));
        check(
            &lines,
            "$(patsubst %,p-%-s,$(A)) $$x",
            Some("p-x-s p-y-s p-z-s $x"),
        );
        check(&lines, "$(foreach v,$(A),go-$(v))", Some("go-x go-y go-z"));
        check(
            &lines,
            "$(filter x,$(A)) $(filter-out x,$(A))",
            Some("x y z"),
        );
        check(&lines, "redis$(SUFFIX)", Some("redis"));
    }

    #[test]
    fn computed_values_are_not() {
        check(&["A := $(shell x)"], "$(A)", None);
        check(&["A != x"], "$(A)", None);
        // Without files to look at.
        check(&["A = $(wildcard *.c)"], "$(A)", None);
        check(&["A = $(A)"], "$(A)", None);
        check(&["A = $(B)", "B = $(A)$(A)"], "$(A)", None);
        check(&["A = b"], "$(A", None);
        check(&["A = b"], "x$", None);
    }

    #[test]
    fn folders_are_relative_to_where_make_is_started() {
        check(&["A := $(CURDIR)/mk"], "$(A)/x.mk", Some("./mk/x.mk"));
        check(&[], "$(abspath $(CURDIR)/a/../b)", Some("b"));
        check(&[], "$(dir a/b.mk) $(dir c)", Some("a/ ./"));
        // The name of the repository's folder is not known.
        check(&["N := $(notdir $(CURDIR))"], "$(N)", None);
        check(&[], "$(notdir a/..)", None);
        let mut variables = Variables::default();
        variables.reading("Makefile");
        variables.reading("../common/all.mk");
        let folder = variables.expand("$(dir $(abspath $(lastword $(MAKEFILE_LIST))))");
        assert_eq!(folder.as_deref(), Some("../common/"));
    }

    #[test]
    fn templates_are_filled() {
        let mut variables = Variables::default();
        variables.assign("ARCHS = arm x86");
        let text = "build-$(1): $(2)\n\techo $$@";
        variables.templates.insert("T".to_owned(), text.to_owned());
        let made = variables.evaluated("$(foreach a,$(ARCHS),$(eval $(call T,$(a),dep)))");
        assert_eq!(
            made,
            ["build-arm: dep\n\techo $@", "build-x86: dep\n\techo $@"]
        );
        assert_eq!(variables.evaluated("$(eval $(call T,one,))").len(), 1);
        assert!(variables.evaluated("$(eval $(call U,one))").is_empty());
    }
}
