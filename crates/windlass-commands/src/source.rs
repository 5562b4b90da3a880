//! Reads files for the formats, and collects what they find.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use crate::command::Command;
use crate::data::SyntaxError;
use crate::paths;
use crate::runner::Runner;
use crate::stamp::{Stamp, Stamps};

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
pub trait FileSource {
    fn read(&self, path: &str) -> Result<String, ReadError>;
    fn exists(&self, path: &str) -> bool;
    fn is_executable(&self, path: &str) -> bool;
    /// The names of the files in a folder, sorted.
    fn list(&self, folder: &str) -> Vec<String>;
}

/// A problem in one file. It never hides the commands of another file.
#[derive(Debug, Clone, PartialEq, Eq)]
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
}

impl Found {
    /// Adds a command. A name that a runner could mistake for an option is reported instead.
    pub fn push(&mut self, command: Command) {
        let name = &command.name;
        if name.is_empty() || name.starts_with('-') || name.chars().any(char::is_control) {
            let message = format!("the name {name:?} cannot be passed to {}", command.runner);
            self.problem(&command.file, command.line, message);
        } else {
            self.commands.push(command.sealed());
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
        self.commands.iter().any(|command| command.name == name)
    }
}

/// The file that a format reads, with access to others.
#[derive(Clone)]
pub struct FileContext<'a> {
    pub path: &'a str,
    pub source: &'a dyn FileSource,
}

impl<'a> FileContext<'a> {
    pub fn new(path: &'a str, source: &'a dyn FileSource) -> Self {
        Self { path, source }
    }

    pub fn folder(&self) -> &'a str {
        paths::folder_of(self.path)
    }

    pub fn command(&self, runner: Runner, name: &str, definition: &str) -> Command {
        Command::new(self.path, runner, name, definition)
    }

    /// Reads a file that a file in `folder` refers to.
    pub fn include(&self, folder: &str, path: &str) -> Result<(String, String), ReadError> {
        let path = paths::resolve(folder, path).ok_or(ReadError::Outside)?;
        let text = self.source.read(&path)?;
        Ok((path, text))
    }

    /// The nearest folder, from this file's folder upwards, that contains the named file.
    pub fn nearest(&self, name: &str) -> Option<&'a str> {
        paths::ancestors(self.folder())
            .find(|folder| self.source.exists(&paths::join_display(folder, name)))
    }
}

/// Files under a root on disk. Symlinks that point outside the root are rejected. It records which
/// paths were requested, so that a result can be cached until one of those files changes.
pub struct RootedSource<'a> {
    stamps: &'a Stamps<'a>,
    requested: RefCell<BTreeSet<String>>,
}

impl<'a> RootedSource<'a> {
    /// The root of `stamps` is canonical.
    pub fn new(stamps: &'a Stamps<'a>) -> Self {
        Self {
            stamps,
            requested: RefCell::default(),
        }
    }

    /// Every path that was requested so far.
    pub fn into_requested(self) -> BTreeSet<String> {
        self.requested.into_inner()
    }

    /// The state is read before the content: a change in between is detected next time.
    fn record(&self, path: &str) -> Option<Stamp> {
        self.requested.borrow_mut().insert(path.to_owned());
        self.stamps.of(path)
    }

    fn inside(&self, path: &str) -> Result<PathBuf, ReadError> {
        let full = self.stamps.root.join(path);
        if self.stamps.is_direct(path) {
            return Ok(full);
        }
        let real = fs::canonicalize(full).map_err(|problem| from_io(&problem))?;
        if real.starts_with(self.stamps.root) {
            Ok(real)
        } else {
            Err(ReadError::Outside)
        }
    }
}

fn from_io(problem: &std::io::Error) -> ReadError {
    match problem.kind() {
        std::io::ErrorKind::NotFound => ReadError::NotFound,
        _ => ReadError::Io(problem.to_string()),
    }
}

impl FileSource for RootedSource<'_> {
    fn read(&self, path: &str) -> Result<String, ReadError> {
        use std::io::Read as _;
        // A pipe would block forever, so the file type is checked before the file is opened.
        let state = self.record(path);
        let real = self.inside(path)?;
        if !state.ok_or(ReadError::NotFound)?.is_file() {
            return Err(ReadError::NotAFile);
        }
        let file = fs::File::open(&real).map_err(|problem| from_io(&problem))?;
        let mut bytes = Vec::new();
        file.take(MAX_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|problem| from_io(&problem))?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(ReadError::TooLarge);
        }
        String::from_utf8(bytes).map_err(|_| ReadError::NotText)
    }

    fn exists(&self, path: &str) -> bool {
        self.record(path).is_some_and(Stamp::is_file)
    }

    fn is_executable(&self, path: &str) -> bool {
        self.record(path).is_some_and(Stamp::is_executable)
    }

    fn list(&self, folder: &str) -> Vec<String> {
        self.record(folder);
        let Ok(Ok(entries)) = self.inside(folder).map(fs::read_dir) else {
            return Vec::new();
        };
        let mut names: Vec<String> = entries
            .flatten()
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect();
        names.sort();
        names
    }
}

/// Files in memory, for tests and for callers that already have the text.
#[derive(Debug, Clone, Default)]
pub struct MemorySource {
    files: BTreeMap<String, String>,
    executable: BTreeSet<String>,
}

impl MemorySource {
    #[must_use]
    pub fn with(mut self, path: &str, text: &str) -> Self {
        self.files.insert(path.to_owned(), text.to_owned());
        self
    }

    #[must_use]
    pub fn with_executable(mut self, path: &str, text: &str) -> Self {
        self.executable.insert(path.to_owned());
        self.with(path, text)
    }
}

impl FileSource for MemorySource {
    fn read(&self, path: &str) -> Result<String, ReadError> {
        self.files.get(path).cloned().ok_or(ReadError::NotFound)
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
}
