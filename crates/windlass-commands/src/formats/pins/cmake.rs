//! What `cmake --build build` reads: the files that CMake wrote into `build`, and, because it runs
//! CMake again when they change, all files of the project that CMake reads.

use std::collections::HashSet;

use crate::decides::{Decides, How};
use crate::paths;
use crate::pinner::{Pinner, Seal};
use crate::source::{FileContext, MAX_INCLUDES};

/// In the folder of the top-level project.
pub const DECLARED: &[Decides] = &[
    Decides::here("CMakePresets.json", How::Whole),
    Decides::here("CMakeUserPresets.json", How::Whole),
    Decides::here("build/CMakeCache.txt", How::Hash),
];

/// Prefixes that stand for the folder of the file, or for the top-level project.
const OWN: &[&str] = &["${CMAKE_CURRENT_LIST_DIR}/", "${CMAKE_CURRENT_SOURCE_DIR}/"];
const TOP: &[&str] = &["${CMAKE_SOURCE_DIR}/", "${PROJECT_SOURCE_DIR}/"];
/// Prefixes that stand for the folder `build`, which is pinned.
const BUILD: &[&str] = &[
    "${CMAKE_BINARY_DIR}",
    "${CMAKE_CURRENT_BINARY_DIR}",
    "${PROJECT_BINARY_DIR}",
];

pub fn pin(context: &FileContext<'_>, top: &str) -> Seal {
    let mut reader = Reader {
        pinner: Pinner::new(context),
        visited: HashSet::new(),
        top: top.to_owned(),
    };
    reader.file(&paths::join_display(top, "CMakeLists.txt"), top, 0);
    reader.file(context.path, context.folder(), 0);
    reader.pinner.declared(top, DECLARED);
    let generated = |path: &str| {
        let name = paths::name_of(path);
        let endings = [".ninja", ".make", ".cmake", ".mk"];
        ["Makefile", "Makefile2", "CMakeCache.txt"].contains(&name)
            || endings.iter().any(|ending| name.ends_with(ending))
    };
    let build = paths::join_display(top, "build");
    reader.pinner.tree(&build, &generated, How::Hash);
    reader.pinner.seal()
}

struct Reader<'a> {
    pinner: Pinner<'a>,
    visited: HashSet<String>,
    top: String,
}

impl Reader<'_> {
    /// `folder` is the current source folder, which an included file does not change.
    fn file(&mut self, path: &str, folder: &str, depth: usize) {
        if !self.visited.insert(path.to_owned()) {
            return;
        }
        if depth > MAX_INCLUDES {
            let reason = format!("{path} is included more than {MAX_INCLUDES} levels deep");
            return self.pinner.unreadable(reason);
        }
        let Some(text) = self.pinner.whole(path) else {
            return;
        };
        for (name, words) in calls(&text) {
            let Some(first) = words.first() else { continue };
            match name.as_str() {
                "add_subdirectory" | "subdirs" => {
                    if let Some(inner) = self.named(path, folder, first) {
                        let file = paths::join_display(&inner, "CMakeLists.txt");
                        self.file(&file, &inner, depth + 1);
                    }
                }
                "include" => self.include(path, folder, first, depth),
                "set" | "list" if words.iter().any(|it| it == "CMAKE_MODULE_PATH") => {
                    self.modules(path, folder, &words, depth);
                }
                "set" if first == "CMAKE_TOOLCHAIN_FILE" => {
                    if let Some(file) = words.get(1).and_then(|it| self.named(path, folder, it)) {
                        self.file(&file, folder, depth + 1);
                    }
                }
                _ => {}
            }
        }
    }

    fn include(&mut self, path: &str, folder: &str, written: &str, depth: usize) {
        // A name without an ending is a module, looked for in the module path.
        let is_file =
            written.contains('/') || paths::ending_of(written) == "cmake" || written.contains('$');
        if !is_file || BUILD.iter().any(|it| written.starts_with(it)) {
            return;
        }
        if let Some(file) = self.named(path, folder, written) {
            self.file(&file, folder, depth + 1);
        }
    }

    /// Every module that CMake could take from the folders of the module path.
    fn modules(&mut self, path: &str, folder: &str, words: &[String], depth: usize) {
        let skipped = [
            "CMAKE_MODULE_PATH",
            "APPEND",
            "PREPEND",
            "INSERT",
            "0",
            "PARENT_SCOPE",
        ];
        for written in words {
            for part in written.split(';') {
                if skipped.contains(&part) || part == "${CMAKE_MODULE_PATH}" || part.is_empty() {
                    continue;
                }
                if BUILD.iter().any(|it| part.starts_with(it)) {
                    continue;
                }
                let Some(modules) = self.named(path, folder, part) else {
                    continue;
                };
                if self.pinner.source.leads_outside(&modules) {
                    self.pinner
                        .unreadable(format!("{modules} is outside the repository"));
                }
                for name in self.pinner.source.list(&modules) {
                    if paths::ending_of(&name) == "cmake" {
                        self.file(&paths::join_display(&modules, &name), folder, depth + 1);
                    }
                }
            }
        }
    }

    fn named(&mut self, path: &str, folder: &str, written: &str) -> Option<String> {
        let stripped = |names: &[&str]| names.iter().find_map(|it| written.strip_prefix(it));
        let list_folder = written.starts_with("${CMAKE_CURRENT_LIST_DIR}");
        let (base, rest) = match (stripped(OWN), stripped(TOP)) {
            (Some(rest), _) if list_folder => (paths::folder_of(path).to_owned(), rest),
            (Some(rest), _) => (folder.to_owned(), rest),
            (_, Some(rest)) => (self.top.clone(), rest),
            _ => (folder.to_owned(), written),
        };
        if rest.contains('$') {
            let reason = format!("{path} reads a file whose name is computed: {written}");
            self.pinner.unreadable(reason);
            return None;
        }
        self.pinner.resolve(path, &base, rest)
    }
}

/// Every call: its name in lower case, and its words.
fn calls(text: &str) -> Vec<(String, Vec<String>)> {
    use super::super::cmake::{comment_end, string_end, words};
    let mut calls = Vec::new();
    let mut position = 0;
    while position < text.len() {
        let rest = &text[position..];
        if rest.starts_with('#') {
            position += comment_end(rest);
            continue;
        }
        if rest.starts_with('"') {
            position += string_end(rest);
            continue;
        }
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let end = rest.find(|letter| !is_name(letter)).unwrap_or(rest.len());
        if end == 0 {
            position += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        }
        let after = rest[end..].trim_start_matches([' ', '\t']);
        if let Some(inner) = after.strip_prefix('(') {
            let (words, length) = words(inner);
            calls.push((rest[..end].to_ascii_lowercase(), words));
            // Words of a call are no calls themselves.
            position += rest.len() - inner.len() + length;
        } else {
            position += end;
        }
    }
    calls
}
