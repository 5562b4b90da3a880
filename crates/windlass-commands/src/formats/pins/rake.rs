//! What rake reads: the Rakefile, `rakelib`, and the files that these load.

use std::collections::HashSet;

use crate::decides::{Decides, How};
use crate::glob::{self, Wanted};
use crate::paths;
use crate::pinner::{Pinner, Seal};
use crate::source::{FileContext, MAX_INCLUDES};

pub const DECLARED: &[Decides] = &[Decides::here("rakelib", How::Tree(".rake"))];

/// The names that rake looks for, in this order.
pub const NAMES: &[&str] = &["rakefile", "Rakefile", "rakefile.rb", "Rakefile.rb"];

pub fn pin(context: &FileContext<'_>) -> Seal {
    let folder = context.folder();
    let mut reader = Reader {
        pinner: Pinner::new(context),
        visited: HashSet::new(),
        cwd: folder.to_owned(),
    };
    reader.file(context.path, 0);
    // A rake that a task starts looks for these first.
    let name = paths::name_of(context.path);
    for other in NAMES.iter().take_while(|other| **other != name) {
        reader.pinner.whole(&paths::join_display(folder, other));
    }
    reader.folder("rakelib");
    reader.pinner.declared(folder, DECLARED);
    reader.pinner.seal()
}

struct Reader<'a> {
    pinner: Pinner<'a>,
    visited: HashSet<String>,
    cwd: String,
}

impl Reader<'_> {
    /// All files of a folder of tasks.
    fn folder(&mut self, written: &str) {
        if let Some(folder) = paths::resolve(&self.cwd, written) {
            if self.pinner.source.leads_outside(&folder) {
                self.pinner
                    .unreadable(format!("{folder} is outside the repository"));
            }
            for name in self.pinner.source.list(&folder) {
                if paths::ending_of(&name) == "rake" {
                    self.file(&paths::join_display(&folder, &name), 1);
                }
            }
        }
    }

    fn file(&mut self, path: &str, depth: usize) {
        if !self.visited.insert(path.to_owned()) {
            return;
        }
        if depth > MAX_INCLUDES {
            let reason = format!("{path} is loaded more than {MAX_INCLUDES} levels deep");
            return self.pinner.unreadable(reason);
        }
        let Some(text) = self.pinner.whole(path) else {
            return;
        };
        if text.contains("load_tasks") {
            // What Rails loads.
            let folder = paths::join_display(&self.cwd, "lib/tasks");
            self.pinner.tree(
                &folder,
                &|path| paths::ending_of(path) == "rake",
                How::Whole,
            );
        }
        for (index, line) in text.lines().enumerate() {
            let line = line.trim_start();
            if line.starts_with('#') {
                continue;
            }
            for call in ["import", "load", "require_relative", "add_rakelib"] {
                if let Some(rest) = after_call(line, call) {
                    self.loaded(path, index + 1, call, rest, depth);
                }
            }
            if let Some(rest) = after_call(line, "require") {
                self.required(rest);
            }
        }
    }

    /// A library, or a file of the project that its load path may lead to and that defines tasks.
    fn required(&mut self, rest: &str) {
        let written = quoted(rest).filter(|it| !it.contains("#{"));
        if let Some(file) = written.and_then(|it| paths::resolve(&self.cwd, it)) {
            let file = if paths::ending_of(&file) == "rb" {
                file
            } else {
                format!("{file}.rb")
            };
            if self.pinner.source.exists(&file) {
                self.pinner.whole(&file);
            }
        }
    }

    fn loaded(&mut self, path: &str, line: usize, call: &str, rest: &str, depth: usize) {
        let own = paths::folder_of(path).to_owned();
        let folder = if call == "require_relative" {
            own.clone()
        } else {
            self.cwd.clone()
        };
        // `Dir.glob('tasks/*.rake')`, `Dir['tasks/*.rake']`, or a loop over such on the line.
        let Some(written) = quoted(rest) else {
            let reason = format!(
                "{path} (line {line}) loads a file whose name is computed: {}",
                rest.trim()
            );
            return self.pinner.unreadable(reason);
        };
        let (folder, written) = match written.strip_prefix("#{__dir__}/") {
            Some(inner) => (own, inner),
            None => (folder, written),
        };
        if written.contains("#{") || rest.contains("File.") || rest.contains("Gem") {
            let reason = format!(
                "{path} (line {line}) loads a file whose name is computed: {}",
                rest.trim()
            );
            return self.pinner.unreadable(reason);
        }
        if call == "add_rakelib" {
            return self.folder(written);
        }
        if glob::is_pattern(written) {
            match glob::expand(self.pinner.source, &folder, written, Wanted::Files) {
                Some(files) => files.iter().for_each(|file| self.file(file, depth + 1)),
                None => self
                    .pinner
                    .unreadable(format!("{path} (line {line}) loads {written}")),
            }
            return;
        }
        let Some(file) = self.pinner.resolve(path, &folder, written) else {
            return;
        };
        if call != "require_relative" {
            return self.file(&file, depth + 1);
        }
        // What Ruby code requires in turn is the project's code.
        let file = if paths::ending_of(&file) == "rb" {
            file
        } else {
            format!("{file}.rb")
        };
        self.pinner.whole(&file);
    }
}

/// The text after a call, wherever on the line it is.
fn after_call<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    for (at, _) in line.match_indices(name) {
        let before = line[..at].chars().next_back();
        let after = &line[at + name.len()..];
        let begins = before.is_none_or(|it| !it.is_alphanumeric() && !"_:\"'@$/-".contains(it));
        let is_method = line[..at].ends_with('.')
            && !line[..at].ends_with("Rake.")
            && !line[..at].ends_with("Kernel.");
        if begins && !is_method && after.starts_with([' ', '(']) {
            // A block such as `Dir.glob('x').each { |file| load file }` names its pattern before.
            return match quoted(after) {
                None if quoted(&line[..at]).is_some() && line[..at].contains("Dir") => {
                    Some(&line[..at])
                }
                _ => Some(after),
            };
        }
    }
    None
}

pub fn quoted(text: &str) -> Option<&str> {
    let start = text.find(['"', '\''])?;
    let quote = text[start..].chars().next()?;
    let inner = &text[start + 1..];
    Some(&inner[..inner.find(quote)?])
}
