//! Finds the files that define commands. Ignore rules apply, symlinks are not followed.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::{LazyLock, mpsc};

use ignore::{DirEntry, WalkBuilder, WalkState};

use crate::formats::Format;
use crate::paths;
use crate::source::Problem;
use crate::stamp::Stamp;
use crate::tracked::Index;

/// A file that defines commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinitionFile {
    /// Relative to the root, with `/`.
    pub path: String,
    pub format: Format,
}

/// Hidden folders that may contain definitions.
const HIDDEN: &[&str] = &[
    ".github",
    ".cargo",
    ".mise",
    ".mise-tasks",
    ".config",
    ".devcontainer",
    ".vscode",
    ".moon",
];
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
    "ini", "cfg", "bazel", "dev",
];

/// The files under `root` that define commands, in the order of discovery.
pub fn definition_files(root: &Path) -> (Vec<DefinitionFile>, Vec<Problem>) {
    let index = Index::of(root);
    let tracked = index.map(|index| index.files(may_define));
    definition_files_of(root, walked(root), &tracked.unwrap_or_default())
}

/// Whether a tracked path could be a definition, wherever it is.
pub fn may_define(path: &str) -> bool {
    let mut folders = path.rsplit('/').skip(1);
    Format::of(path).is_some() && folders.all(is_entered_name)
}

/// Those of a walk, and those that git tracks whatever its rules ignore.
pub(crate) fn definition_files_of(
    root: &Path,
    walk: Walk,
    tracked: &[String],
) -> (Vec<DefinitionFile>, Vec<Problem>) {
    let mut collected = Collected::default();
    for (path, format, place) in walk.files {
        collected.add(root, path, format, place);
    }
    for path in tracked {
        // Those that the walk has seen are many, and a look at the disk is dear.
        if !collected.seen.contains(path)
            && let Some((format, place)) = Format::of(path)
            && is_direct_file(root, path)
        {
            collected.add(root, path.clone(), format, place);
        }
    }
    let Collected {
        firsts, mut files, ..
    } = collected;
    let first = firsts.into_iter().map(|((format, folder), (place, path))| {
        // The runner reads the first name that exists, whether or not git ignores it.
        let path = earlier(root, format, &folder, place).unwrap_or(path);
        DefinitionFile { path, format }
    });
    files.extend(first);
    files.sort_by(|one, other| order(one).cmp(&order(other)));
    (files, walk.problems)
}

/// What a walk over all folders finds.
#[derive(Default)]
pub(crate) struct Walk {
    /// Path, format, and place among the names of that format.
    pub(crate) files: Vec<(String, Format, usize)>,
    pub(crate) problems: Vec<Problem>,
    /// Every folder that was entered, with its state before it was read; no path if it is no text.
    pub(crate) folders: Vec<(Option<String>, Option<Stamp>)>,
}

enum Met {
    File((String, Format, usize)),
    Folder((Option<String>, Option<Stamp>)),
    Problem(Problem),
}

/// How many processors are used, at most eight. Asking the system takes a dozen calls.
pub(crate) fn processors() -> usize {
    static ALL: LazyLock<usize> =
        LazyLock::new(|| std::thread::available_parallelism().map_or(1, |it| it.get().min(8)));
    *ALL
}

/// Walks on all processors.
pub(crate) fn walked(root: &Path) -> Walk {
    let (sender, receiver) = mpsc::channel();
    let walk = WalkBuilder::new(root)
        .hidden(false)
        .follow_links(false)
        .require_git(false)
        .filter_entry(is_entered)
        .threads(processors())
        .build_parallel();
    walk.run(|| {
        let sender = sender.clone();
        Box::new(move |entry| {
            let met = match entry {
                Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_dir()) => {
                    Some(Met::Folder(folder(root, entry.path())))
                }
                Ok(entry) if entry.depth() == 0 || entry.file_type().is_none() => None,
                Ok(entry) => definition(root, &entry).map(Met::File),
                Err(problem) => Some(Met::Problem(walk_problem(&problem))),
            };
            // The receiver stays until all have sent.
            let _ = met.map(|met| sender.send(met));
            WalkState::Continue
        })
    });
    drop(sender);
    let mut walk = Walk::default();
    for met in receiver {
        match met {
            Met::File(file) => walk.files.push(file),
            Met::Folder(folder) => walk.folders.push(folder),
            Met::Problem(problem) => walk.problems.push(problem),
        }
    }
    walk.problems
        .sort_by(|one: &Problem, other| one.message.cmp(&other.message));
    walk
}

fn folder(root: &Path, path: &Path) -> (Option<String>, Option<Stamp>) {
    let inner = path.strip_prefix(root).ok().and_then(Path::to_str);
    (inner.map(str::to_owned), Stamp::of(path))
}

#[derive(Default)]
struct Collected {
    /// The first file of a format in a folder.
    firsts: HashMap<(Format, String), (usize, String)>,
    files: Vec<DefinitionFile>,
    seen: HashSet<String>,
}

impl Collected {
    fn add(&mut self, root: &Path, path: String, format: Format, place: usize) {
        self.seen.insert(path.clone());
        if format.needs_shebang(&path) && !is_executable_script(&root.join(&path)) {
            return;
        }
        if format.is_many() {
            self.files.push(DefinitionFile { path, format });
            return;
        }
        let folder = paths::folder_of(&path).to_owned();
        let first = self
            .firsts
            .entry((format, folder))
            .or_insert((place, path.clone()));
        if place < first.0 {
            *first = (place, path);
        }
    }
}

/// Whether the file can be executed and says by what. Most files without an extension are texts or
/// programs of the machine, which no format reads.
fn is_executable_script(path: &Path) -> bool {
    let mut first = [0; 2];
    let executable = fs::symlink_metadata(path)
        .is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0);
    executable
        && fs::File::open(path).is_ok_and(|mut file| file.read_exact(&mut first).is_ok())
        && first == *b"#!"
}

/// Whether the path is a file, and no part of it is a link.
fn is_direct_file(root: &Path, path: &str) -> bool {
    let folders: Vec<&str> = paths::ancestors(paths::folder_of(path)).collect();
    let direct = folders
        .iter()
        .filter(|it| !it.is_empty())
        .all(|folder| fs::symlink_metadata(root.join(folder)).is_ok_and(|it| it.is_dir()));
    direct && fs::symlink_metadata(root.join(path)).is_ok_and(|it| it.is_file())
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
    is_entered_name(name)
}

fn is_entered_name(name: &str) -> bool {
    !THIRD_PARTY.contains(&name) && (!name.starts_with('.') || HIDDEN.contains(&name))
}

/// Checks the name before building a path, because nearly all files are rejected here.
fn definition(root: &Path, entry: &DirEntry) -> Option<(String, Format, usize)> {
    let name = entry.file_name().to_str()?;
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    if ending.is_some_and(|ending| !EXTENSIONS.contains(&ending))
        && name != "noxfile.py"
        && !is_below_mise(entry.path())
    {
        return None;
    }
    let path = entry.path().strip_prefix(root).ok()?.to_str()?.to_owned();
    let (format, place) = Format::of(&path)?;
    Some((path, format, place))
}

/// Whether a folder above the file may contain tasks of mise, which are files of any name.
fn is_below_mise(path: &Path) -> bool {
    let folder = path.parent().and_then(Path::to_str);
    folder.is_some_and(|folder| folder.contains("mise"))
}

fn order(file: &DefinitionFile) -> (usize, &str, Format, &str) {
    let folder = file.format.folder(&file.path);
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
