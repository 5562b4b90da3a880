//! The variables of a makefile, as far as their values are literal. Nothing is executed: what a shell
//! would compute has no value, and neither has a name that contains it. A few calls of the shell have
//! an answer that is plain to see (`pwd`, the root of the repository, names of files). Of a list that
//! is known in part, the known words can be asked for.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use super::make_functions::{over_words, patsubst};

/// Longer results are not computed: they would be lists of files.
const MAX_LENGTH: usize = 100_000;
const MAX_DEPTH: usize = 20;

/// Stands for a value that is not known, where a text is asked for that is known in part.
pub const UNKNOWN: char = '\u{1}';

/// How the values of a text are computed.
pub struct Work {
    /// How many letters may still be written.
    pub left: usize,
    /// Whether what is not known is left open, and does not make all of the text unknown.
    pub partial: bool,
}

/// Variables that make or the environment set.
const OUTSIDE: &[&str] = &[
    "AR",
    "AS",
    "CC",
    "CI",
    "CXX",
    "FC",
    "HOSTNAME",
    "LANG",
    "LD",
    "LOGNAME",
    "MAKECMDGOALS",
    "MAKEFILES",
    "MAKEFLAGS",
    "MAKELEVEL",
    "MAKE_COMMAND",
    "MAKE_HOST",
    "MAKE_RESTARTS",
    "MAKE_TERMOUT",
    "MAKE_VERSION",
    "MFLAGS",
    "OSTYPE",
    "PATH",
    "RM",
    "SHELL",
    "TERM",
    "TMPDIR",
    "USER",
    "VIRTUAL_ENV",
    ".DEFAULT_GOAL",
    ".FEATURES",
    ".INCLUDE_DIRS",
    ".SHELLFLAGS",
    ".VARIABLES",
];

/// The value of a variable that is not known.
const NEVER_KNOWN: &str = "$(shell x)";

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
    pub(super) files: Option<Box<dyn Files + 'a>>,
    /// Variables that got their values where nobody knows whether the line counts, or from such ones.
    doubtful: HashSet<String>,
    /// Whether files that are not known may set variables.
    pub incomplete: bool,
    /// Whether a doubtful value was read since this was last reset.
    touched: Cell<bool>,
    /// How many letters were written for the lines that expressions make.
    pub(super) evaluated: Cell<usize>,
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

    #[cfg(test)]
    pub fn assign(&mut self, line: &str) -> bool {
        self.assign_in(line, true)
    }

    /// Takes in `NAME = value` and its kin; returns whether the line is an assignment. It may be one
    /// of which nobody knows whether it counts.
    pub fn assign_in(&mut self, line: &str, is_sure: bool) -> bool {
        self.touched.set(false);
        let line = line.trim_start();
        let words = ["export ", "override ", "private "];
        let line = words.iter().fold(line, |line, word| {
            line.strip_prefix(word).unwrap_or(line).trim_start()
        });
        let Some(at) = sign(line) else {
            return false;
        };
        let before = &line[..at];
        let (name, sign) = [":::", "::", ":", "?", "+", "!"]
            .iter()
            .find_map(|sign| Some((before.strip_suffix(sign)?, *sign)))
            .unwrap_or((before, ""));
        let name = name.trim();
        if name.is_empty() || name.starts_with('#') {
            return false;
        }
        // `$(1)_FLAGS = x`: one that is not known is set in vain.
        let computed = name.contains('$').then(|| self.expand(name));
        let name = match &computed {
            Some(None) => return true,
            Some(Some(name)) => name.trim(),
            None => name,
        };
        if name.is_empty() || name.contains(char::is_whitespace) || name.contains(['$', ':', '#']) {
            return computed.is_some();
        }
        if !is_sure || (self.touched.get() && computed.is_some()) {
            self.doubtful.insert(name.to_owned());
        } else if sign != "+" && sign != "?" {
            self.doubtful.remove(name);
        }
        let value = line[at + 1..].split(" #").next().unwrap_or_default().trim();
        match sign {
            "!" => {
                self.values.insert(name.to_owned(), NEVER_KNOWN.to_owned());
                self.doubtful.insert(name.to_owned());
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
                let value = self.partial(value, MAX_LENGTH);
                let value = value.map_or_else(
                    || NEVER_KNOWN.to_owned(),
                    |it| it.replace(UNKNOWN, NEVER_KNOWN),
                );
                let is_known = !value.contains(NEVER_KNOWN);
                self.values.insert(name.to_owned(), value);
                if self.touched.get() || !is_known {
                    self.doubtful.insert(name.to_owned());
                }
            }
        }
        true
    }

    /// Notes that a line may give a variable another value, or may not.
    pub fn doubt_assigned(&mut self, line: &str) {
        let words = ["export ", "override ", "private "];
        let name = sign(line).map(|at| line[..at].trim_end_matches([':', '?', '+', '!']));
        if let Some(name) = name {
            let name = words.iter().fold(name.trim(), |name, word| {
                name.trim_start_matches(word).trim()
            });
            self.doubtful.insert(name.to_owned());
        }
    }

    /// Whether the makefile has given it a value.
    pub fn is_defined(&self, name: &str) -> bool {
        self.doubt(name);
        let value = self.values.get(name);
        value.is_some_and(|value| !value.is_empty()) || self.templates.contains_key(name)
    }

    /// What `work` returns, and whether it can be relied on: nothing that it read is doubtful.
    pub fn surely<T>(&self, work: impl FnOnce() -> T) -> (T, bool) {
        let before = self.touched.replace(false);
        let found = work();
        (found, !self.touched.replace(before))
    }

    /// Notes that a variable is read.
    fn doubt(&self, name: &str) {
        let is_set = self.values.contains_key(name) || self.templates.contains_key(name);
        let from_outside = !is_set && (self.incomplete || OUTSIDE.contains(&name));
        if from_outside || self.doubtful.contains(name) {
            self.touched.set(true);
        }
    }

    /// The text with all variables replaced; `None` if some value is not known.
    pub fn expand(&self, text: &str) -> Option<String> {
        let mut work = Work {
            left: MAX_LENGTH,
            partial: false,
        };
        self.expanded(text, &[], 0, &mut work)
    }

    /// The words of a text of which all is known; `None` if it cannot be read.
    pub fn known_words(&self, text: &str) -> Option<String> {
        Some(known_words(&self.partial(text, MAX_LENGTH)?).join(" "))
    }

    /// The text with `UNKNOWN` for each value that is not known.
    fn partial(&self, text: &str, most: usize) -> Option<String> {
        let mut work = Work {
            left: most,
            partial: true,
        };
        self.expanded(text, &[], 0, &mut work)
    }

    pub(super) fn expanded(
        &self,
        text: &str,
        locals: &[(&str, &str)],
        depth: usize,
        work: &mut Work,
    ) -> Option<String> {
        if depth > MAX_DEPTH || work.left == 0 {
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
            let length = out.len();
            match self.reference(inner, locals, depth + 1, work) {
                Some(value) => out.push_str(&value),
                None if work.partial => out.push(UNKNOWN),
                None => return None,
            }
            work.left = work.left.saturating_sub((out.len() - length).max(10));
            if out.len() > MAX_LENGTH || work.left == 0 {
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
        work: &mut Work,
    ) -> Option<String> {
        if let Some((name, rest)) = inner.split_once([' ', '\t'])
            && name.chars().all(|it| it.is_ascii_lowercase() || it == '-')
        {
            return self.function(name, rest, locals, depth, work);
        }
        // `$(NAME:a=b)`
        if let Some((name, change)) = inner.split_once(':')
            && let Some((from, to)) = change.split_once('=')
        {
            let value = self.reference(name, locals, depth, work)?;
            let from = self.expanded(from, locals, depth, work)?;
            let to = self.expanded(to, locals, depth, work)?;
            if from.contains(UNKNOWN) || to.contains(UNKNOWN) {
                return None;
            }
            let (from, to) = if from.contains('%') {
                (from, to)
            } else {
                (format!("%{from}"), format!("%{to}"))
            };
            return Some(over_words(&value, |word| patsubst(&from, &to, word)));
        }
        let name = self.expanded(inner, locals, depth, work)?;
        if name.contains(UNKNOWN) {
            return None;
        }
        let local = locals.iter().rev().find(|(known, _)| *known == name);
        if let Some((_, value)) = local {
            return Some((*value).to_owned());
        }
        self.doubt(&name);
        match self.values.get(&name) {
            Some(value) => self.expanded(value, locals, depth, work),
            None if ["CURDIR", "PWD"].contains(&name.as_str()) => Some(HERE.to_owned()),
            // What comes from outside is not known.
            None if ["MAKE", "MAKEFILE_LIST", "HOME"].contains(&name.as_str()) => None,
            None => match self.templates.get(&name) {
                Some(text) => self.expanded(text, locals, depth, work),
                None => Some(String::new()),
            },
        }
    }

    /// The text of a variable or a template, as it is written.
    pub(super) fn written(&self, name: &str) -> Option<&str> {
        let text = self.values.get(name).or_else(|| self.templates.get(name));
        text.map(String::as_str)
    }
}

/// The folder in which make is started.
pub const HERE: &str = ".";

pub(super) const fn matching(open: char) -> Option<char> {
    match open {
        '(' => Some(')'),
        '{' => Some('}'),
        _ => None,
    }
}

/// The position of the sign `=` that is in no parentheses.
fn sign(line: &str) -> Option<usize> {
    let mut depth = 0_usize;
    line.find(|letter| {
        match letter {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == '=' && depth == 0
    })
}

/// The words without those that contain something unknown.
pub(super) fn known_words(text: &str) -> Vec<&str> {
    let words = text.split_whitespace();
    words.filter(|word| !word.contains(UNKNOWN)).collect()
}

/// The position of the parenthesis that closes the one at the beginning.
pub(super) fn closing(text: &str, open: char, close: char) -> Option<usize> {
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
}
