//! Reads files for the formats, and collects what they find.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use crate::command::{Command, fingerprint};
use crate::data::SyntaxError;
use crate::memo::Memo;
use crate::paths;
use crate::pinner::Seal;
use crate::runner::Runner;

/// Larger files are not read.
pub const MAX_BYTES: u64 = 10 * 1024 * 1024;
/// Includes nested deeper than this are not followed.
pub const MAX_INCLUDES: usize = 16;

/// Why a file was not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    #[error("not found")]
    NotFound,
    #[error("is outside the repository")]
    Outside,
    #[error("is a folder")]
    Folder,
    #[error("is not a regular file")]
    NotAFile,
    #[error("is larger than 10 MB")]
    TooLarge,
    #[error("is not UTF-8")]
    NotText,
    #[error("cannot be read: {0}")]
    Io(String),
}

/// The files of one repository. Paths are relative to the root, separated by `/`.
/// A file is read at most once by one source, so that what is pinned is what was parsed.
pub trait FileSource {
    fn read(&self, path: &str) -> Result<Arc<str>, ReadError>;
    /// SHA-256 of a file that need not be text, in hexadecimal.
    fn hash(&self, path: &str) -> Result<String, ReadError>;
    fn exists(&self, path: &str) -> bool;
    fn is_executable(&self, path: &str) -> bool;
    /// The names of the files in a folder, sorted.
    fn list(&self, folder: &str) -> Vec<String>;
    /// The names of the folders in a folder, sorted.
    fn list_folders(&self, folder: &str) -> Vec<String>;
    /// Whether there is a folder of that path.
    fn has_folder(&self, folder: &str) -> bool {
        !self.list(folder).is_empty() || !self.list_folders(folder).is_empty()
    }
    /// Whether the path is a link, or below one, that leads outside of the project.
    fn leads_outside(&self, path: &str) -> bool {
        let _ = path;
        false
    }
}

/// A problem in one file. It never hides the commands of another file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Problem {
    pub file: String,
    pub line: usize,
    pub message: String,
}

/// The commands of a file, and its problems.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    pub commands: Vec<Command>,
    pub problems: Vec<Problem>,
    names: HashSet<String>,
}

impl Found {
    /// Adds a command. A name that a runner could mistake for an option is reported instead.
    pub fn push(&mut self, command: Command, seal: &Seal) {
        let name = &command.name;
        if name.is_empty() || name.starts_with('-') || name.chars().any(char::is_control) {
            let message = format!("the name {name:?} cannot be passed to {}", command.runner);
            self.problem(&command.file, command.line, message);
        } else {
            self.names.insert(name.clone());
            self.commands.push(command.sealed_by(seal));
        }
    }

    pub fn problem(&mut self, file: &str, line: usize, message: impl Into<String>) {
        self.problems.push(Problem {
            file: file.to_owned(),
            line,
            message: message.into(),
        });
    }

    #[must_use]
    pub fn broken(mut self, file: &str, error: SyntaxError) -> Self {
        self.problem(file, error.line, error.message);
        self
    }

    pub fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }
}

/// The file that a format reads, with access to others.
#[derive(Clone)]
pub struct FileContext<'a> {
    pub path: &'a str,
    pub source: &'a dyn FileSource,
    pub(crate) memo: Memo,
}

impl<'a> FileContext<'a> {
    pub fn new(path: &'a str, source: &'a dyn FileSource) -> Self {
        Self {
            path,
            source,
            memo: Memo::default(),
        }
    }

    /// With what was already parsed for other files in the same pass.
    pub(crate) fn with_memo(mut self, memo: &Memo) -> Self {
        self.memo = memo.clone();
        self
    }

    pub fn folder(&self) -> &'a str {
        paths::folder_of(self.path)
    }

    pub fn command(&self, runner: Runner, name: &str, definition: &str) -> Command {
        Command::new(self.path, runner, name, definition)
    }

    /// Reads a file that a file in `folder` refers to.
    pub fn include(&self, folder: &str, path: &str) -> Result<(String, Arc<str>), ReadError> {
        let path = paths::resolve(folder, path).ok_or(ReadError::Outside)?;
        let text = self.source.read(&path)?;
        Ok((path, text))
    }

    /// The program of a runner that the project has installed for itself, relative to the folder of
    /// this file; else the one of the machine. Whoever uses it pins it, see
    /// [`Pinner::local_program`](crate::pinner::Pinner::local_program).
    pub fn local_program(&self, runner: Runner) -> String {
        let program = runner.program();
        match local_program(self.source, self.folder(), program) {
            Some((above, inner)) => paths::from_below(self.folder(), above, &inner),
            None => program.to_owned(),
        }
    }

    /// Whether the folder of this file has the named file beside it.
    pub fn has_beside(&self, name: &str) -> bool {
        self.source
            .exists(&paths::join_display(self.folder(), name))
    }

    /// The nearest folder, from this file's folder upwards, that contains the named file.
    pub fn nearest(&self, name: &str) -> Option<&'a str> {
        paths::ancestors(self.folder())
            .find(|folder| self.source.exists(&paths::join_display(folder, name)))
    }
}

/// Where projects install programs for themselves.
const LOCAL: &[&str] = &["node_modules/.bin", ".venv/bin", "venv/bin"];

/// The nearest folder with that program installed for itself, and its path in there.
pub fn local_program<'a>(
    source: &dyn FileSource,
    folder: &'a str,
    program: &str,
) -> Option<(&'a str, String)> {
    paths::ancestors(folder).find_map(|above| {
        LOCAL.iter().find_map(|place| {
            let inner = format!("{place}/{program}");
            let path = paths::join_display(above, &inner);
            source.exists(&path).then_some((above, inner))
        })
    })
}

/// Files in memory, for tests and for callers that already have the text.
#[derive(Debug, Clone, Default)]
pub struct MemorySource {
    files: BTreeMap<String, Arc<str>>,
    executable: BTreeSet<String>,
}

impl MemorySource {
    #[must_use]
    pub fn with(mut self, path: &str, text: &str) -> Self {
        self.files.insert(path.to_owned(), text.into());
        self
    }

    #[must_use]
    pub fn with_executable(mut self, path: &str, text: &str) -> Self {
        self.executable.insert(path.to_owned());
        self.with(path, text)
    }
}

impl FileSource for MemorySource {
    fn read(&self, path: &str) -> Result<Arc<str>, ReadError> {
        self.files.get(path).cloned().ok_or(ReadError::NotFound)
    }

    fn hash(&self, path: &str) -> Result<String, ReadError> {
        self.read(path).map(|text| fingerprint(&text))
    }

    fn exists(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    fn is_executable(&self, path: &str) -> bool {
        self.executable.contains(path)
    }

    fn list(&self, folder: &str) -> Vec<String> {
        self.files
            .keys()
            .filter(|path| paths::folder_of(path) == folder)
            .map(|path| paths::name_of(path).to_owned())
            .collect()
    }
    fn list_folders(&self, folder: &str) -> Vec<String> {
        let inside = self.files.keys().filter_map(|path| {
            let rest = match folder {
                "" => path.as_str(),
                _ => path.strip_prefix(folder)?.strip_prefix('/')?,
            };
            Some(rest.split_once('/')?.0.to_owned())
        });
        inside.collect::<BTreeSet<_>>().into_iter().collect()
    }
}
