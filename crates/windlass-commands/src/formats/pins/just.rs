//! What just reads: the justfile, its imports and modules, and the files of variables that its
//! settings name.

use std::collections::HashSet;

use crate::paths;
use crate::pinner::{Pinner, Seal};
use crate::source::{FileContext, MAX_INCLUDES};

use super::super::just::{NAMES, module_files};

pub fn pin(context: &FileContext<'_>) -> Seal {
    let mut reader = Reader {
        pinner: Pinner::new(context),
        visited: HashSet::new(),
    };
    reader.justfile(context.path, 0);
    reader.pinner.seal()
}

struct Reader<'a> {
    pinner: Pinner<'a>,
    visited: HashSet<String>,
}

impl Reader<'_> {
    fn justfile(&mut self, path: &str, depth: usize) {
        if !self.visited.insert(path.to_owned()) {
            return;
        }
        if depth > MAX_INCLUDES {
            let reason = format!("{path} is imported more than {MAX_INCLUDES} levels deep");
            return self.pinner.unreadable(reason);
        }
        let Some(text) = self.pinner.whole(path) else {
            return;
        };
        let folder = paths::folder_of(path);
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            let line = without_attributes(line);
            if let Some(rest) = keyword(line, "import") {
                let rest = rest.trim_start_matches('?').trim_start();
                // The text may stand in the next line.
                let next = lines.peek().copied().unwrap_or_default();
                let rest = rest.trim_start_matches('\\').trim_start();
                let rest = if rest.is_empty() {
                    next.trim_start()
                } else {
                    rest
                };
                if let Some(file) = self.named(path, rest) {
                    self.justfile(&file, depth + 1);
                }
            } else if let Some(rest) = keyword(line, "mod") {
                self.module(path, rest.trim_start_matches('?').trim_start(), depth);
            } else if let Some(rest) = keyword(line, "set") {
                self.setting(path, folder, rest.trim_start(), depth);
            }
        }
    }

    /// The path in a text that just does not compute.
    fn named(&mut self, from: &str, text: &str) -> Option<String> {
        let Some(written) = literal(text) else {
            let reason = format!(
                "{from} reads a file whose name is computed: {}",
                text.trim()
            );
            self.pinner.unreadable(reason);
            return None;
        };
        self.pinner.resolve(from, paths::folder_of(from), written)
    }

    fn module(&mut self, from: &str, rest: &str, depth: usize) {
        let end = rest.find(|it: char| !it.is_alphanumeric() && !"_-".contains(it));
        let (name, path) = rest.split_at(end.unwrap_or(rest.len()));
        let path = path.trim();
        // `mod` may also be the name of a recipe.
        if name.is_empty() || path.starts_with(':') {
            return;
        }
        let candidates = if path.is_empty() || path.starts_with('#') {
            module_files(name, None)
        } else {
            let Some(written) = literal(path) else {
                let reason = format!("{from} reads a module whose name is computed: {path}");
                return self.pinner.unreadable(reason);
            };
            module_files(written, Some(written))
        };
        for candidate in candidates {
            let folder = paths::folder_of(from);
            let Some(file) = self.pinner.resolve(from, folder, &candidate) else {
                continue;
            };
            let exists = self.pinner.source.exists(&file);
            self.justfile(&file, depth + 1);
            if exists {
                break;
            }
        }
    }

    fn setting(&mut self, path: &str, folder: &str, rest: &str, depth: usize) {
        let (name, value) = match rest.split_once(":=") {
            Some((name, value)) => (name.trim(), value.trim()),
            None => (rest.split_whitespace().next().unwrap_or_default(), "true"),
        };
        match name {
            "dotenv-load" | "dotenv-required" | "dotenv-override" if value != "false" => {
                self.upwards(folder, ".env");
            }
            "dotenv-filename" | "dotenv-path" => match literal(value) {
                Some(file) if name == "dotenv-filename" => self.upwards(folder, file),
                Some(file) => {
                    if let Some(file) = self.pinner.resolve(path, folder, file) {
                        self.pinner.variables(&file);
                    }
                }
                None => {
                    let reason =
                        format!("{path} reads a file of variables whose name is computed: {value}");
                    self.pinner.unreadable(reason);
                }
            },
            "fallback" if value != "false" => {
                for above in paths::ancestors(folder).skip(1) {
                    for name in NAMES {
                        let file = paths::join_display(above, name);
                        if self.pinner.source.exists(&file) {
                            self.justfile(&file, depth + 1);
                        }
                    }
                }
            }
            _ => {}
        }
    }

    /// Just looks for the file in the folder and in each one above.
    fn upwards(&mut self, folder: &str, name: &str) {
        for above in paths::ancestors(folder) {
            if let Some(file) = paths::resolve(above, name) {
                self.pinner.variables(&file);
            }
        }
    }
}

fn without_attributes(mut line: &str) -> &str {
    while line.starts_with('[') {
        let Some(end) = line.find(']') else { break };
        line = line[end + 1..].trim_start();
    }
    line
}

/// The text after a keyword.
fn keyword<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(word)?;
    let goes_on = rest.starts_with(|it: char| it.is_alphanumeric() || "_-".contains(it));
    (!goes_on && !rest.trim_start().starts_with(":=")).then_some(rest)
}

/// A string without escapes or anything that just would replace.
fn literal(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|it| ['"', '\''].contains(it))?;
    let inner = &text[1..];
    let inner = &inner[..inner.find(quote)?];
    let computed = inner.is_empty() || inner.contains(['\\', '{']);
    (!computed).then_some(inner)
}
