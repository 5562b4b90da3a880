//! Makefiles. The text is not evaluated, but variables with literal values are replaced where they
//! name targets. A branch of a condition counts unless it is sure that make does not take it; a
//! variable keeps the value of the branch that is taken, where that is known.

use std::collections::{BTreeSet, HashMap};

use crate::command::ArgumentStyle;
use crate::glob;
use crate::paths;
use crate::runner::Runner;
use crate::source::{FileContext, Found, MAX_INCLUDES, ReadError};

use super::make_branches::Branches;
use super::make_lines::{Item, Rule, items};
use super::make_shell::Known;
use super::make_variables::{UNKNOWN, Variables};
use super::pins;
use super::pins::make_names::without_wildcard;

/// Longer lists of included files are not followed.
const MAX_INCLUDE_LINE: usize = 64 * 1024;

const NO_ARGUMENTS: &str =
    "make would interpret each further argument as a target, a variable or an option";

pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let mut reader = Reader {
        context,
        targets: Vec::new(),
        places: HashMap::new(),
        phony: BTreeSet::new(),
        phony_descriptions: HashMap::new(),
        variables: Variables::with_files(Box::new(Known::new(context))),
        branches: Branches::default(),
        patterns: 0,
        seen: BTreeSet::new(),
        found: Found::default(),
    };
    reader.seen.insert(context.path.to_owned());
    reader.file(context.path, text, 0);
    reader.finish()
}

struct Target {
    name: String,
    file: String,
    line: usize,
    description: Option<String>,
    text: String,
}

struct Reader<'a> {
    context: &'a FileContext<'a>,
    targets: Vec<Target>,
    places: HashMap<String, usize>,
    phony: BTreeSet<String>,
    /// The comments above `.PHONY: name`.
    phony_descriptions: HashMap<String, String>,
    variables: Variables<'a>,
    branches: Branches,
    /// How many patterns of file names were expanded.
    patterns: usize,
    seen: BTreeSet<String>,
    found: Found,
}

impl Reader<'_> {
    fn file(&mut self, path: &str, text: &str, depth: usize) {
        let from = self.context.folder();
        let inner = match from {
            "" => Some(path),
            from => path.strip_prefix(from).and_then(|it| it.strip_prefix('/')),
        };
        match inner {
            Some(inner) => self.variables.reading(inner),
            None => self.variables.reading(&paths::from_below(from, "", path)),
        }
        self.items(path, text, None, depth);
    }

    /// The lines of a file, or those that an expression makes, which is at the line `made_at` of it.
    fn items(&mut self, path: &str, text: &str, made_at: Option<usize>, depth: usize) {
        for item in items(text) {
            match item {
                Item::Rule(_) if self.branches.is_left_out() => {}
                Item::Rule(mut rule) => {
                    rule.line = made_at.unwrap_or(rule.line);
                    self.rule(path, rule);
                }
                Item::Template { name, text } => {
                    self.variables.templates.insert(name, text);
                }
                Item::Condition(line) => self.branches.follow(&line, &self.variables),
                Item::Other { line, text } => {
                    self.statement(path, made_at.unwrap_or(line), &text, depth);
                }
                Item::Include {
                    line,
                    files,
                    optional,
                } => {
                    if !self.branches.may_be_taken() {
                        continue;
                    }
                    let line = made_at.unwrap_or(line);
                    let (files, computed) = self.named(files);
                    let optional = optional || computed || made_at.is_some();
                    for file in files.split_whitespace() {
                        self.include(path, line, file, optional, depth);
                    }
                }
            }
        }
    }

    /// The names of included files with literal variables replaced, and whether any were. A file that
    /// is missing then may be one that make creates.
    fn named(&self, files: String) -> (String, bool) {
        if !files.contains('$') || files.len() > MAX_INCLUDE_LINE {
            return (files, false);
        }
        let plain = without_wildcard(&files);
        let expanded = self.variables.expand(&plain);
        (expanded.unwrap_or(plain), true)
    }

    fn statement(&mut self, path: &str, line: usize, text: &str, depth: usize) {
        if !self.branches.may_be_taken() {
            // A line of a branch that may be taken after all.
            if !self.branches.is_left_out() {
                self.variables.doubt_assigned(text);
            }
            return;
        }
        let is_sure = self.branches.is_taken();
        if self.variables.assign_in(text, is_sure) {
            return;
        }
        let may_evaluate = text.contains("eval") || text.contains("call");
        if !may_evaluate || depth > MAX_INCLUDES {
            return;
        }
        let texts = self.variables.evaluated(text);
        // What such a text sets is not known.
        self.variables.incomplete |= texts.iter().any(|it| it.trim().starts_with(UNKNOWN));
        // A condition of such a text ends in it.
        let branches = std::mem::take(&mut self.branches);
        for text in texts {
            self.items(path, &text, Some(line), depth + 1);
        }
        self.branches = branches;
    }

    /// The text with its variables replaced, without the words that are not known.
    fn known_words(&self, text: &str) -> String {
        let known = text.contains('$').then(|| self.variables.known_words(text));
        known.flatten().unwrap_or_else(|| text.to_owned())
    }

    fn rule(&mut self, path: &str, rule: Rule) {
        let targets = self.known_words(&rule.targets);
        if targets.split_whitespace().any(|name| name == ".PHONY") {
            let names = self.known_words(&rule.prerequisites);
            if let (Some(text), false) = (&rule.description, names.trim().contains(' ')) {
                let name = names.trim().to_owned();
                self.phony_descriptions.entry(name).or_insert(text.clone());
            }
            self.phony
                .extend(names.split_whitespace().map(str::to_owned));
        }
        for name in targets.split_whitespace() {
            if !is_plain(name) {
                continue;
            }
            if let Some(&place) = self.places.get(name) {
                let target = &mut self.targets[place];
                target.text.push('\n');
                target.text.push_str(&rule.text);
                if target.description.is_none() {
                    target.description.clone_from(&rule.description);
                }
                continue;
            }
            self.places.insert(name.to_owned(), self.targets.len());
            self.targets.push(Target {
                name: name.to_owned(),
                file: path.to_owned(),
                line: rule.line,
                description: rule.description.clone(),
                text: rule.text.clone(),
            });
        }
    }

    /// Make resolves includes relative to its working folder, not to the including file.
    fn include(&mut self, from: &str, line: usize, name: &str, optional: bool, depth: usize) {
        if name.contains(['$', '%', UNKNOWN]) {
            self.variables.incomplete = true;
            return;
        }
        if depth >= MAX_INCLUDES {
            self.variables.incomplete = true;
            let message = format!("includes nested deeper than {MAX_INCLUDES}: {name}");
            self.found.problem(from, line, message);
            return;
        }
        for path in self.expand(name) {
            let (shown, read) = match path {
                Some(path) => (
                    path.clone(),
                    self.context.source.read(&path).map(|it| (path, it)),
                ),
                None => (name.to_owned(), Err(ReadError::Outside)),
            };
            let shown = if glob::is_pattern(name) { &shown } else { name };
            match read {
                Ok((path, text)) => {
                    if self.seen.insert(path.clone()) {
                        self.file(&path, &text, depth + 1);
                    }
                }
                Err(ReadError::NotFound) if optional => {}
                Err(problem) => {
                    self.variables.incomplete = true;
                    self.found.problem(from, line, format!("{shown} {problem}"));
                }
            }
        }
    }

    /// The paths that a name stands for; `None` is one outside of the project.
    fn expand(&mut self, name: &str) -> Vec<Option<String>> {
        let folder = self.context.folder();
        if !glob::is_pattern(name) {
            return vec![paths::resolve(folder, name)];
        }
        if self.patterns > glob::MAX_PATTERNS {
            return Vec::new();
        }
        self.patterns += 1;
        let found = glob::expand(self.context.source, folder, name, glob::Wanted::Files);
        found.map_or_else(|| vec![None], |found| found.into_iter().map(Some).collect())
    }

    fn finish(mut self) -> Found {
        let seal = pins::make::pin(self.context);
        let makefile = paths::name_of(self.context.path);
        for target in self.targets {
            let phony = self.phony.contains(&target.name);
            if !phony && looks_like_a_file(&target.name) {
                continue;
            }
            let command = self
                .context
                .command(
                    Runner::Make,
                    &target.name,
                    &target.text.replace(UNKNOWN, "$(…)"),
                )
                .with_args([&target.name])
                .started_on(0, ["-f", makefile])
                .defined_in(&target.file)
                .at(target.line)
                .described(target.description.or_else(|| {
                    let text = self.phony_descriptions.get(&target.name);
                    text.cloned()
                }))
                .taking(ArgumentStyle::Refused(NO_ARGUMENTS));
            self.found.push(command, &seal);
        }
        self.found
    }
}

/// Whether the name can be called as written.
fn is_plain(name: &str) -> bool {
    name != "FORCE"
        && !name.starts_with(['.', '_', '-'])
        && !name.contains(['$', '%', '=', '*', '(', ')', '#', UNKNOWN])
}

/// Files are built by commands; they are not commands unless declared phony.
fn looks_like_a_file(name: &str) -> bool {
    name.contains(['/', '.'])
}

#[cfg(test)]
mod tests {
    use super::super::testing::{names, problems, read, read_alone, rows};
    use crate::source::MemorySource;

    #[test]
    fn a_project_with_help_texts() {
        let found = read_alone(
            "Makefile",
            "SHELL := /bin/bash\nVERSION ?= $(shell git describe --tags)\nLDFLAGS = -X main.v=$(VERSION)\nexport A := b:c\n\n\
             .PHONY: all build test lint help\n.DEFAULT_GOAL := help\n\n\
             all: build test ## Build and test everything\n\n\
             # Compile the server.\n# It takes a while.\nbuild: $(SOURCES) | out\n\tgo build -ldflags \"$(LDFLAGS)\" ./...\n\n\
             test lint: build\n\t@go $@ ./... ; echo done: yes\n\n\
             out/%.o: %.c\n\tcc -c $<\n\nout/app.bin: main.go\n\tgo build\n\n\
             help: ## Show this help\n\t@grep -E '^[a-z]+:.*?## ' $(MAKEFILE_LIST)\n",
        );
        assert_eq!(
            rows(&found),
            [
                "all | make all | Build and test everything",
                "build | make build | Compile the server. It takes a while.",
                "test | make test | -",
                "lint | make lint | -",
                "help | make help | Show this help",
            ]
        );
        assert_eq!(found.commands[1].line, 13);
        assert!(found.commands[2].definition_text.contains("echo done: yes"));
    }

    #[test]
    fn includes_cycles_and_paths_outside_the_root() {
        let source = MemorySource::default()
            .with("sub/Makefile", "include mk/*.mk\n-include local.mk\ninclude ../../etc.mk\ninclude missing.mk\ninclude $(X).mk\nall:\n")
            .with("sub/mk/a.mk", "include mk/b.mk\na:\n\techo a\n")
            .with("sub/mk/b.mk", "include mk/a.mk Makefile\nb:\n\techo b\nall:\n\techo late\n");
        let found = read(&source, "sub/Makefile");
        assert_eq!(names(&found), ["b", "all", "a"]);
        assert_eq!(found.commands[0].file, "sub/mk/b.mk");
        assert_eq!(found.commands[0].entry_file, "sub/Makefile");
        assert_eq!(found.commands[0].invocation.cwd, "sub");
        assert_eq!(
            problems(&found),
            [
                "sub/Makefile:3 ../../etc.mk is outside the repository",
                "sub/Makefile:4 missing.mk not found",
            ]
        );
    }

    #[test]
    fn includes_of_a_branch_that_is_not_taken() {
        let text = "ifneq (\"$(wildcard local.mk)\",\"\")\n\tinclude local.mk\nendif\na:\n";
        let source = MemorySource::default().with("Makefile", text);
        let found = read(&source, "Makefile");
        assert_eq!(problems(&found), [] as [&str; 0]);
        let found = read(&source.with("local.mk", "b:\n"), "Makefile");
        assert_eq!(names(&found), ["b", "a"]);
    }

    #[test]
    fn deep_includes_are_not_followed() {
        let mut source = MemorySource::default().with("Makefile", "include 0.mk\n");
        for n in 0..30 {
            let text = format!("include {}.mk\nt{n}:\n", n + 1);
            source = source.with(&format!("{n}.mk"), &text);
        }
        let found = read(&source, "Makefile");
        assert_eq!(found.commands.len(), 16);
        assert_eq!(found.problems.len(), 1);
    }

    #[test]
    fn odd_lines_are_not_targets() {
        let found = read_alone(
            "GNUmakefile",
            "define HELP\nnot-a-target: x\nendef\r\nifeq ($(OS),Windows_NT)\r\nwin: ; echo win\r\nelse\nnix::\n\techo nix\nendif\n\
             LIST = a \\\n  fake: b\nbuild: CFLAGS += -O2\nbuild: ## Építés\r\n\techo \\\n  more: x\n.SUFFIXES: .c\n_private:\n$(TARGETS): x\n\
             objs: %.o: %.c\nurl=https://x.y\ngroup1 group2 &: dep\n",
        );
        assert_eq!(names(&found), ["nix", "build", "objs", "group1", "group2"]);
        assert_eq!(found.commands[1].description.as_deref(), Some("Építés"));
        assert!(found.commands[0].definition_text.contains("echo nix"));
    }
}
