//! Justfiles: recipes, aliases, imports and modules.

use std::collections::BTreeSet;

use crate::command::ArgumentStyle;
use crate::paths;
use crate::runner::Runner;
use crate::source::{FileContext, Found, MAX_INCLUDES, ReadError};

use super::just_lines::{Item, Recipe, items};
use super::pins;

pub const NAMES: &[&str] = &["justfile", "Justfile", "JUSTFILE", ".justfile"];

pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let mut reader = Reader {
        context,
        stack: vec![context.path.to_owned()],
        recipes: Vec::new(),
        known: BTreeSet::new(),
        found: Found::default(),
    };
    reader.file(context.path, text, "");
    reader.finish()
}

struct Entry {
    file: String,
    name: String,
    recipe: Recipe,
}

struct Reader<'a> {
    context: &'a FileContext<'a>,
    stack: Vec<String>,
    recipes: Vec<Entry>,
    known: BTreeSet<String>,
    found: Found,
}

impl Reader<'_> {
    fn file(&mut self, path: &str, text: &str, prefix: &str) {
        let (mut imports, mut modules, mut aliases) = (Vec::new(), Vec::new(), Vec::new());
        for item in items(text) {
            match item {
                Item::Recipe(recipe) => self.recipe(path, prefix, recipe),
                Item::Other => {}
                Item::Import {
                    line,
                    path,
                    optional,
                } => imports.push((line, path, optional)),
                Item::Module {
                    line,
                    name,
                    path,
                    optional,
                } => modules.push((line, name, path, optional)),
                Item::Alias { line, name, target } => aliases.push((line, name, target)),
            }
        }
        // Definitions of a file take precedence over its imports, wherever the import is.
        for (line, target, optional) in imports {
            self.follow(path, line, vec![target], optional, prefix);
        }
        for (line, name, target) in aliases {
            self.alias(path, line, prefix, &name, &target);
        }
        for (line, name, target, optional) in modules {
            let inner = format!("{prefix}{name}::");
            let candidates = match target {
                Some(target) => module_files(&target, Some(&target)),
                None => module_files(&name, None),
            };
            self.follow(path, line, candidates, optional, &inner);
        }
    }

    fn recipe(&mut self, path: &str, prefix: &str, recipe: Recipe) {
        let name = format!("{prefix}{}", recipe.name);
        if self.known.insert(name.clone()) {
            self.recipes.push(Entry {
                file: path.to_owned(),
                name,
                recipe,
            });
            return;
        }
        // The same recipe for another system, or a duplicate.
        let same = |entry: &&mut Entry| entry.name == name && entry.file == path;
        if let Some(entry) = self.recipes.iter_mut().find(same) {
            entry.recipe.text.push('\n');
            entry.recipe.text.push_str(&recipe.text);
        }
    }

    fn alias(&mut self, path: &str, line: usize, prefix: &str, name: &str, target: &str) {
        let full = format!("{prefix}{target}");
        let Some(entry) = self.recipes.iter().find(|entry| entry.name == full) else {
            return;
        };
        let recipe = Recipe {
            name: name.to_owned(),
            line,
            description: Some(format!("Alias of {target}")),
            private: name.starts_with('_'),
            ..entry.recipe.clone()
        };
        self.recipe(path, prefix, recipe);
    }

    fn follow(
        &mut self,
        from: &str,
        line: usize,
        candidates: Vec<String>,
        optional: bool,
        prefix: &str,
    ) {
        let folder = paths::folder_of(from);
        let shown = candidates.first().cloned().unwrap_or_default();
        if self.stack.len() > MAX_INCLUDES {
            let message = format!("imports nested deeper than {MAX_INCLUDES}: {shown}");
            return self.found.problem(from, line, message);
        }
        let exists = |path: &&String| {
            paths::resolve(folder, path).is_some_and(|path| self.context.source.exists(&path))
        };
        let target = candidates.iter().find(exists).unwrap_or(&shown);
        match self.context.include(folder, target) {
            Ok((path, _)) if self.stack.contains(&path) => {
                let message = format!("{path} imports itself");
                self.found.problem(from, line, message);
            }
            Ok((path, text)) => {
                self.stack.push(path.clone());
                self.file(&path, &text, prefix);
                self.stack.pop();
            }
            Err(ReadError::NotFound) if optional => {}
            Err(problem) => self.found.problem(from, line, format!("{shown} {problem}")),
        }
    }

    fn finish(mut self) -> Found {
        let seal = pins::just::pin(self.context);
        let justfile = paths::name_of(self.context.path);
        for Entry { file, name, recipe } in self.recipes {
            if recipe.private {
                continue;
            }
            let most = if recipe.variadic {
                usize::MAX
            } else {
                recipe.parameters
            };
            let command = self
                .context
                .command(Runner::Just, &name, &recipe.text)
                .with_args([&name])
                .started_on(0, ["--justfile", justfile])
                .defined_in(&file)
                .at(recipe.line)
                .described(recipe.description)
                .taking(ArgumentStyle::Positional(most));
            self.found.push(command, &seal);
        }
        self.found
    }
}

/// The files in which just looks for a module with that name.
pub fn module_files(name: &str, exact: Option<&str>) -> Vec<String> {
    let mut files: Vec<String> = exact.map(str::to_owned).into_iter().collect();
    files.push(format!("{name}.just"));
    files.push(format!("{name}/mod.just"));
    files.extend(NAMES.iter().map(|file| format!("{name}/{file}")));
    files
}

#[cfg(test)]
mod tests {
    use super::super::testing::{names, problems, read, read_alone, rows};
    use crate::command::ArgumentStyle;
    use crate::source::MemorySource;

    #[test]
    fn recipes_with_parameters_attributes_and_comments() {
        let found = read_alone(
            "justfile",
            "set shell := [\"bash\", \"-c\"]\r\nset dotenv-load\r\nversion := `touch never`\r\ntext := '''\r\nfake: recipe\r\n'''\r\nexport URL := \"http://x:80\"\r\n\r\nalias b := build\r\n\r\n# List them\r\ndefault:\r\n  @just --list\r\n\r\n# Build it\r\n# shellcheck disable\r\n[group('ci'), confirm]\r\n[doc('Build the thing')]\r\n@build target='debug' $jobs=\"4:x\" *flags: fmt (lint \"a\") && after\r\n    cargo build {{flags}}\r\n\r\n    echo 'x: y'\r\n\r\ntest name +rest:\r\n  #!/usr/bin/env bash\r\n  echo\r\n\r\n[private]\r\nfmt:\r\n_hidden: fmt\r\nlint what: # why\r\n  x\r\n",
        );
        assert_eq!(
            rows(&found),
            [
                "default | just default | List them",
                "build | just build | Build the thing",
                "test | just test | -",
                "lint | just lint | -",
                "b | just b | Alias of build",
            ]
        );
        assert_eq!(found.commands[1].line, 19);
        assert_eq!(found.commands[0].arguments, ArgumentStyle::Positional(0));
        assert_eq!(
            found.commands[1].arguments,
            ArgumentStyle::Positional(usize::MAX)
        );
        assert_eq!(found.commands[3].arguments, ArgumentStyle::Positional(1));
        assert!(found.commands[1].definition_text.contains("echo 'x: y'"));
        assert!(found.commands[1].definition_text.contains("confirm"));
    }

    #[test]
    fn imports_modules_and_cycles() {
        let source = MemorySource::default()
            .with("justfile", "import 'a.just'\nimport? 'gone.just'\nimport '../x.just'\nmod db\nmod? none\nmod ops 'deploy/ops.just'\nbuild:\n  own\n")
            .with("a.just", "import 'justfile'\nbuild:\n  other\nextra:\n  x\n")
            .with("db/mod.just", "# Migrate\nmigrate n:\n  x\n_p:\n  y\n")
            .with("deploy/ops.just", "up:\n  x\n");
        let found = read(&source, "justfile");
        assert_eq!(names(&found), ["build", "extra", "db::migrate", "ops::up"]);
        assert!(found.commands[0].definition_text.contains("own"));
        assert_eq!(found.commands[2].file, "db/mod.just");
        assert_eq!(
            problems(&found),
            [
                "a.just:1 justfile imports itself",
                "justfile:3 ../x.just is outside the repository",
            ]
        );
    }

    #[test]
    fn one_recipe_for_several_systems_and_odd_text() {
        let found = read_alone(
            ".justfile",
            "[linux]\nopen:\n  xdg-open\n[macos]\nopen:\n  open\n\nlong a \\\n  b: dep\n  x\nbroken line\n: : :\né:\n  x\n",
        );
        assert_eq!(names(&found), ["open", "long"]);
        assert!(found.commands[0].definition_text.contains("xdg-open"));
        assert!(found.commands[0].definition_text.contains("[macos]"));
        assert_eq!(found.commands[1].arguments, ArgumentStyle::Positional(2));
    }
}
