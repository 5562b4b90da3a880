//! Finds the files that define commands. Ignore rules apply, symlinks are not followed.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;

use ignore::{DirEntry, WalkBuilder};

use crate::formats::Format;
use crate::paths;
use crate::source::Problem;

/// A file that defines commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinitionFile {
    /// Relative to the root, with `/`.
    pub path: String,
    pub format: Format,
}

/// Hidden folders that may contain definitions.
const HIDDEN: &[&str] = &[".github", ".cargo", ".mise", ".config"];
/// Third-party code, whose commands are not meant to be run here.
const THIRD_PARTY: &[&str] = &[
    "node_modules",
    "bower_components",
    "vendor",
    "venv",
    "__pycache__",
];

/// The extensions of all files that define commands; names without an extension are checked too.
const EXTENSIONS: &[&str] = &[
    "json", "jsonc", "toml", "yml", "yaml", "xml", "gradle", "kts", "txt", "sh", "rb", "justfile",
];

/// The files under `root` that define commands, in the order of discovery.
pub fn definition_files(root: &Path) -> (Vec<DefinitionFile>, Vec<Problem>) {
    let mut problems = Vec::new();
    let mut firsts: HashMap<(Format, String), (usize, String)> = HashMap::new();
    let mut files: Vec<DefinitionFile> = Vec::new();
    let walk = WalkBuilder::new(root)
        .hidden(false)
        .follow_links(false)
        .require_git(false)
        .filter_entry(is_entered)
        .build();
    for entry in walk {
        let entry = match entry {
            Ok(entry) => entry,
            Err(problem) => {
                problems.push(walk_problem(&problem));
                continue;
            }
        };
        if entry.depth() == 0 || entry.file_type().is_none_or(|kind| kind.is_dir()) {
            continue;
        }
        let Some((path, format, place)) = definition(root, &entry) else {
            continue;
        };
        if format.is_many() {
            files.push(DefinitionFile { path, format });
            continue;
        }
        let folder = paths::folder_of(&path).to_owned();
        let first = firsts
            .entry((format, folder))
            .or_insert((place, path.clone()));
        if place < first.0 {
            *first = (place, path);
        }
    }
    let first = firsts.into_iter().map(|((format, folder), (place, path))| {
        // The runner reads the first name that exists, whether or not git ignores it.
        let path = earlier(root, format, &folder, place).unwrap_or(path);
        DefinitionFile { path, format }
    });
    files.extend(first);
    files.sort_by(|one, other| order(one).cmp(&order(other)));
    (files, problems)
}

/// A file of the same format that the tool prefers to the one at that place of its names.
fn earlier(root: &Path, format: Format, folder: &str, place: usize) -> Option<String> {
    let names = format.names().get(..place)?;
    if names.is_empty() {
        return None;
    }
    // The names as the folder has them: some file systems find a file under any case.
    let entries = fs::read_dir(root.join(folder)).ok()?.flatten();
    let present: HashSet<OsString> = entries.map(|entry| entry.file_name()).collect();
    let found = names.iter().find(|name| {
        let path = root.join(folder).join(name);
        present.contains(OsStr::new(name)) && !path.is_dir()
    });
    found.map(|name| paths::join_display(folder, name))
}

fn is_entered(entry: &DirEntry) -> bool {
    if entry.depth() == 0 || entry.file_type().is_none_or(|kind| !kind.is_dir()) {
        return true;
    }
    let Some(name) = entry.file_name().to_str() else {
        return false;
    };
    !THIRD_PARTY.contains(&name) && (!name.starts_with('.') || HIDDEN.contains(&name))
}

/// Checks the name before building a path, because nearly all files are rejected here.
fn definition(root: &Path, entry: &DirEntry) -> Option<(String, Format, usize)> {
    let name = entry.file_name().to_str()?;
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    if ending.is_some_and(|ending| !EXTENSIONS.contains(&ending)) {
        return None;
    }
    let path = entry.path().strip_prefix(root).ok()?.to_str()?.to_owned();
    let (format, place) = Format::of(&path)?;
    Some((path, format, place))
}

fn order(file: &DefinitionFile) -> (usize, &str, Format, &str) {
    let folder = match file.format {
        Format::Actions => "",
        // Their commands belong to the parent folder.
        Format::CargoConfig => paths::folder_of(paths::folder_of(&file.path)),
        Format::Mise if paths::name_of(&file.path) == "config.toml" => {
            paths::folder_of(paths::folder_of(&file.path))
        }
        _ => paths::folder_of(&file.path),
    };
    (
        usize::from(!folder.is_empty()),
        folder,
        file.format,
        &file.path,
    )
}

fn walk_problem(problem: &ignore::Error) -> Problem {
    Problem {
        file: String::new(),
        line: 1,
        message: format!("the folder cannot be read: {problem}"),
    }
}
