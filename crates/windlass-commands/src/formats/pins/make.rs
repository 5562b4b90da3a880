//! What make reads: the makefile, all that it includes, and the makefiles of the makes that it
//! starts. Each is a program, so each is pinned as a whole. Nothing is expanded: a name that make
//! would compute is reported.

use std::collections::HashSet;
use std::rc::Rc;

use crate::glob;
use crate::paths;
use crate::pinner::{Pinner, Seal};
use crate::source::{FileContext, MAX_INCLUDES};

use super::super::make_lines::{Item, items, logical_lines};
use super::make_calls::{Call, calls, words};
use super::make_names::{assigned, stem_of_match, without_wildcard};

/// The names that make looks for, in this order.
pub const NAMES: &[&str] = &["GNUmakefile", "makefile", "Makefile"];

/// Make has rules of its own that make a file `X` from `X.sh`, `X.c`, `X,v` and the like, and it
/// applies them to its makefiles before it uses them.
const SOURCES: &[&str] = &[
    ".o", ".c", ".cc", ".C", ".cpp", ".p", ".f", ".F", ".m", ".r", ".y", ".l", ".ym", ".yl", ".s",
    ".S", ".mod", ".def", ".sym", ".w", ".ch", ".web", ".sh", ",v",
];

/// Longer lists of included files are not followed.
const MAX_INCLUDE_LINE: usize = 64 * 1024;

pub fn pin(context: &FileContext<'_>) -> Seal {
    let mut reader = Reader {
        pinner: Pinner::new(context),
        visited: HashSet::new(),
        patterns: 0,
    };
    reader.makefile(context.path, context.folder(), 0);
    // A make that a recipe starts without `-f` looks for these first.
    reader.names_before(context.path);
    reader.pinner.seal()
}

/// Whether a makefile starts another make, or may.
pub fn starts_make(text: &str) -> bool {
    text.contains("MAKE)") || text.contains("MAKE}") || !calls(text).is_empty()
}

/// Words without which a line brings in no other file.
const TELLING: [&str; 5] = ["include", "load", "MAKEFILES", "SHELL", "MAKEFLAGS"];

/// What a makefile may read, wherever it is read from: looked for once for all that include it.
pub struct Sketch {
    /// The lines that may bring in other files, with their numbers.
    lines: Vec<(usize, String)>,
    rules: Vec<Head>,
    calls: Vec<Call>,
}

/// A rule without its recipe.
struct Head {
    line: usize,
    targets: String,
    prerequisites: String,
}

impl Sketch {
    fn of(text: &str) -> Self {
        // A comment that ends in a backslash goes on in the next line. Lines are looked at with and
        // without their continuations, so that nothing hides behind one.
        let joined = logical_lines(text).into_iter().map(|it| (it.line, it.text));
        let physical = text.lines().enumerate();
        let physical = physical.map(|(index, line)| (index + 1, line.to_owned()));
        let is_telling =
            |(_, line): &(usize, String)| TELLING.iter().any(|word| line.contains(word));
        let rules = items(text).into_iter().filter_map(|item| match item {
            Item::Rule(rule) => Some(Head {
                line: rule.line,
                targets: rule.targets,
                prerequisites: rule.prerequisites,
            }),
            _ => None,
        });
        Self {
            lines: joined.chain(physical).filter(is_telling).collect(),
            rules: rules.collect(),
            calls: calls(text),
        }
    }
}

struct Reader<'a> {
    pinner: Pinner<'a>,
    /// A makefile is read again if another folder is current.
    visited: HashSet<(String, String)>,
    /// How many patterns of file names were expanded.
    patterns: usize,
}

impl Reader<'_> {
    fn makefile(&mut self, path: &str, cwd: &str, depth: usize) {
        if !self.visited.insert((path.to_owned(), cwd.to_owned())) {
            return;
        }
        if depth > MAX_INCLUDES {
            let reason = format!("{path} is included more than {MAX_INCLUDES} levels deep");
            return self.pinner.unreadable(reason);
        }
        let text = self.pinner.whole(path);
        self.made_by_built_in_rules(path);
        if let Some(text) = text {
            self.follow(path, &text, cwd, depth);
        }
    }

    fn names_before(&mut self, path: &str) {
        let (folder, name) = (paths::folder_of(path), paths::name_of(path));
        for other in NAMES.iter().take_while(|other| **other != name) {
            if NAMES.contains(&name) {
                self.pinner.whole(&paths::join_display(folder, other));
            }
        }
    }

    fn made_by_built_in_rules(&mut self, path: &str) {
        let (folder, name) = (paths::folder_of(path), paths::name_of(path));
        for other in self.pinner.source.list(folder) {
            let ending = other.strip_prefix(name).unwrap_or_default();
            if SOURCES.contains(&ending) || other == format!("s.{name}") {
                let other = paths::join_display(folder, &other);
                let reason = format!("make would create {path} from {other} before it reads it");
                self.pinner.unreadable(reason);
            }
        }
        for other in [
            format!("RCS/{name},v"),
            format!("RCS/{name}"),
            format!("SCCS/s.{name}"),
        ] {
            let other = paths::join_display(folder, &other);
            if self.pinner.source.exists(&other) {
                let reason = format!("make would create {path} from {other} before it reads it");
                self.pinner.unreadable(reason);
            }
        }
    }

    fn follow(&mut self, path: &str, text: &str, cwd: &str, depth: usize) {
        let sketch: Rc<Sketch> = self.pinner.memo.makefile(path, || Sketch::of(text));
        for (line, text) in &sketch.lines {
            let place = Place {
                path,
                line: *line,
                cwd,
                depth,
            };
            self.directive(&place, text);
        }
        if text.contains("(eval") || text.contains("{eval") {
            self.evaluated(path, text, cwd, depth);
        }
        self.remade(path, &sketch.rules, cwd);
        for call in &sketch.calls {
            self.call(path, call, cwd, depth);
        }
    }

    /// Lines that bring in other files.
    fn directive(&mut self, place: &Place<'_>, line: &str) {
        let line = line.trim_start();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match word {
            "include" | "-include" | "sinclude" => self.includes(place, rest),
            "load" | "-load" => {
                for object in words(rest) {
                    let object = object.split('(').next().unwrap_or_default();
                    if let Some(path) = self.literal(place, object) {
                        self.pinner.hashed(&path);
                    }
                }
            }
            _ => {
                if let Some(value) = assigned(line, "MAKEFILES") {
                    self.includes(place, value);
                }
                if let Some(value) = assigned(line, "SHELL")
                    && value.contains('/')
                    && !value.starts_with('/')
                    && let Some(path) = self.literal(place, value.trim())
                {
                    self.pinner.whole(&path);
                }
                if let Some(value) = assigned(line, "MAKEFLAGS")
                    && (value.contains("-I") || value.contains("--include-dir"))
                {
                    let Place { path, line, .. } = place;
                    let reason =
                        format!("{path} (line {line}) changes where make looks for included files");
                    self.pinner.unreadable(reason);
                }
            }
        }
    }

    fn includes(&mut self, place: &Place<'_>, names: &str) {
        let names = names.split('#').next().unwrap_or_default();
        if names.len() > MAX_INCLUDE_LINE {
            return self.computed(place, "a list that is too long");
        }
        let plain = without_wildcard(names);
        for name in words(&plain) {
            if glob::is_pattern(&name) && !name.contains(['$', '\\']) {
                self.patterns += 1;
                if self.patterns > glob::MAX_PATTERNS {
                    return self.computed(place, "more patterns than are followed");
                }
                let wanted = glob::Wanted::Files;
                match glob::expand(self.pinner.source, place.cwd, &name, wanted) {
                    Some(paths) => {
                        for path in paths {
                            self.makefile(&path, place.cwd, place.depth + 1);
                        }
                    }
                    None => self.computed(place, &name),
                }
            } else if let Some(path) = self.literal(place, &name) {
                self.makefile(&path, place.cwd, place.depth + 1);
            }
        }
    }

    /// The path of a name that is not computed.
    fn literal(&mut self, place: &Place<'_>, name: &str) -> Option<String> {
        if name.contains(['$', '`', '%', '\\']) {
            self.computed(place, name);
            return None;
        }
        self.pinner.resolve(place.path, place.cwd, name)
    }

    fn computed(&mut self, place: &Place<'_>, name: &str) {
        let Place { path, line, .. } = place;
        let reason = format!("{path} (line {line}) reads a file whose name is computed: {name}");
        self.pinner.unreadable(reason);
    }

    /// Text that `$(eval …)` may parse as lines of a makefile can include files from anywhere.
    fn evaluated(&mut self, path: &str, text: &str, cwd: &str, depth: usize) {
        for (index, line) in text.lines().enumerate() {
            if line.trim_start().starts_with('#') {
                continue;
            }
            let place = Place {
                path,
                line: index + 1,
                cwd,
                depth,
            };
            for (at, _) in line.match_indices("include") {
                let before = line[..at].trim_end_matches(['-', 's']);
                let after = &line[at + "include".len()..];
                let starts =
                    !before.ends_with(|it: char| it.is_alphanumeric() || "_./".contains(it));
                if starts && after.starts_with([' ', '\t']) && !before.trim().is_empty() {
                    let end = after.find([')', '}']).filter(|_| !after.contains('$'));
                    self.includes(&place, &after[..end.unwrap_or(after.len())]);
                }
            }
        }
    }

    /// Make remakes a makefile that one of its rules has as target, and then reads it again: what
    /// the rule makes it from decides too.
    fn remade(&mut self, path: &str, rules: &[Head], cwd: &str) {
        let makefiles: Vec<String> = self.visited.iter().map(|(path, _)| path.clone()).collect();
        for rule in rules {
            for target in rule.targets.split_whitespace() {
                for makefile in &makefiles {
                    let Some(stem) = stem_of_match(target, makefile, cwd) else {
                        continue;
                    };
                    for source in words(&rule.prerequisites) {
                        let source = source.replace('%', &stem);
                        if source == "|" || source == "FORCE" {
                            continue;
                        }
                        let place = Place {
                            path,
                            line: rule.line,
                            cwd,
                            depth: 0,
                        };
                        if let Some(path) = self.literal(&place, &source) {
                            self.pinner.whole(&path);
                        }
                    }
                }
            }
        }
    }

    /// A make that a recipe starts.
    fn call(&mut self, path: &str, call: &Call, cwd: &str, depth: usize) {
        let place = Place {
            path,
            line: call.line,
            cwd,
            depth,
        };
        let mut folder = cwd.to_owned();
        for written in &call.folders {
            if written.contains(['$', '`', '*', '?', '~']) {
                let reason = format!(
                    "{path} (line {}) starts make in a folder whose name is computed: {written}",
                    call.line
                );
                return self.pinner.unreadable(reason);
            }
            match self.pinner.resolve(path, &folder, written) {
                Some(resolved) => folder = resolved,
                None => return,
            }
        }
        let there = Place {
            cwd: &folder,
            ..place
        };
        for written in &call.files {
            if let Some(file) = self.literal(&there, written) {
                self.makefile(&file, &folder, depth + 1);
            }
        }
        if call.files.is_empty() && folder != cwd {
            let files = NAMES.iter().map(|name| paths::join_display(&folder, name));
            for file in files {
                let exists = self.pinner.source.exists(&file);
                self.makefile(&file, &folder, depth + 1);
                if exists {
                    break;
                }
            }
        }
    }
}

/// Where a name is written.
struct Place<'a> {
    path: &'a str,
    line: usize,
    cwd: &'a str,
    depth: usize,
}
