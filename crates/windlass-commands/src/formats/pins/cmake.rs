//! What `cmake --build build` reads: the files that CMake wrote into `build`, and, because it runs
//! CMake again when they change, all files of the project that CMake reads.

use std::collections::HashSet;

use crate::data::{Node, read_jsonc};
use crate::decides::{Decides, How};
use crate::paths;
use crate::pinner::{Pinner, Seal};
use crate::source::{FileContext, MAX_INCLUDES};

use super::super::cmake_calls::{Call, calls};

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
    let build = paths::join_display(top, "build");
    pin_built_in(context, top, Some(&build))
}

/// The same for another build folder; `None` if only CMake knows it.
pub fn pin_built_in(context: &FileContext<'_>, top: &str, build: Option<&str>) -> Seal {
    let mut reader = Reader {
        pinner: Pinner::new(context),
        visited: HashSet::new(),
        top: top.to_owned(),
    };
    reader.file(&paths::join_display(top, "CMakeLists.txt"), top, 0);
    if paths::ending_of(context.path) == "json" {
        reader.pinner.whole(context.path);
        reader.presets(context.path, 0);
    } else {
        reader.file(context.path, context.folder(), 0);
    }
    reader.pinner.declared(top, DECLARED);
    let generated = |path: &str| {
        let name = paths::name_of(path);
        let endings = [".ninja", ".make", ".cmake", ".mk"];
        ["Makefile", "Makefile2", "CMakeCache.txt"].contains(&name)
            || endings.iter().any(|ending| name.ends_with(ending))
    };
    if let Some(build) = build {
        reader.pinner.tree(build, &generated, How::Hash);
    } else {
        let path = context.path;
        let reason = format!("only cmake knows the build folder of a preset in {path}");
        reader.pinner.unreadable(reason);
    }
    reader.pinner.seal()
}

struct Reader<'a> {
    pinner: Pinner<'a>,
    visited: HashSet<String>,
    top: String,
}

impl Reader<'_> {
    /// The files that presets include, and the toolchains that they name.
    fn presets(&mut self, path: &str, depth: usize) {
        if depth > MAX_INCLUDES {
            let reason = format!("{path} is included more than {MAX_INCLUDES} levels deep");
            return self.pinner.unreadable(reason);
        }
        let memo = self.pinner.memo.clone();
        let Ok(presets) = memo.parsed(self.pinner.source, path, read_jsonc) else {
            return;
        };
        for written in presets.get("include").map(Node::texts).unwrap_or_default() {
            if written.contains('$') {
                let reason = format!("{path} includes presets that only cmake can find: {written}");
                self.pinner.unreadable(reason);
            } else if let Some(file) = (self.pinner).resolve(path, paths::folder_of(path), &written)
                && !self.pinner.is_pinned(&file)
            {
                self.pinner.whole(&file);
                self.presets(&file, depth + 1);
            }
        }
        let configured = presets.get("configurePresets").map(Node::items);
        for preset in configured.unwrap_or_default() {
            if let Some(written) = preset.text_at("toolchainFile") {
                let written = written.strip_prefix("${sourceDir}/").unwrap_or(written);
                if written.contains('$') {
                    let reason =
                        format!("{path} names a toolchain that only cmake can find: {written}");
                    self.pinner.unreadable(reason);
                } else if let Some(file) = self.pinner.resolve(path, &self.top, written) {
                    let top = self.top.clone();
                    self.file(&file, &top, depth + 1);
                }
            }
        }
    }

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
        for Call { name, words, .. } in calls(&text) {
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
