//! Whether entries allow a command: any Deny that matches wins; then Directory, File, Task; else no.
//!
//! A grant matches on canonical paths only, by whole components. An entry whose own path goes through
//! a link or `..` grants nothing, because whoever can move the link could widen it. A Deny matches the
//! path as it is written, too.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::command::Command;

use super::entry::{Entry, Scope};
use super::file::{AllowlistError, Source};

/// Whether a command may be started, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    pub allowed: bool,
    pub reason: Reason,
    /// The entry that decided, and the file that holds it.
    pub entry: Option<(PathBuf, Entry)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// A grant of this scope matches.
    Granted(Scope),
    /// An entry denies it.
    Denied,
    /// It was allowed by name, but its definition is another one now.
    Changed,
    /// No entry speaks of it.
    NotListed,
    /// Its file is gone, or lies outside the repository.
    Unreachable,
    /// The allowlist cannot be read.
    Unusable(AllowlistError),
}

impl Reason {
    /// The reason in a sentence.
    pub fn message(&self) -> String {
        match self {
            Self::Granted(scope) => format!("allowed by an entry of scope {}", scope.name()),
            Self::Denied => "an entry of scope Deny matches".to_owned(),
            Self::Changed => {
                "its definition changed after it was allowed; a human has to allow it again"
                    .to_owned()
            }
            Self::NotListed => "no entry allows it".to_owned(),
            Self::Unreachable => "its file is not a file inside the repository".to_owned(),
            Self::Unusable(problem) => {
                format!("the allowlist cannot be used, so nothing is allowed: {problem}")
            }
        }
    }
}

impl Decision {
    pub(super) fn unusable(problem: AllowlistError) -> Self {
        Self::refused(Reason::Unusable(problem))
    }

    fn refused(reason: Reason) -> Self {
        Self {
            allowed: false,
            reason,
            entry: None,
        }
    }
}

/// The entries with what their paths lead to, looked up once for any number of commands.
pub(super) struct Judge<'a> {
    root: &'a Path,
    entries: Vec<Judged<'a>>,
    files: HashMap<String, Option<PathBuf>>,
}

struct Judged<'a> {
    source: &'a Path,
    entry: &'a Entry,
    real: Option<PathBuf>,
}

/// A command with its files, as they are and as they are written.
struct Subject<'a> {
    command: &'a Command,
    file: PathBuf,
    written: Vec<PathBuf>,
}

impl<'a> Judge<'a> {
    pub fn new(sources: &'a [Source], root: &'a Path) -> Self {
        let judged = |source: &'a Source, entry: &'a Entry| Judged {
            source: &source.file,
            entry,
            real: fs::canonicalize(&entry.path).ok(),
        };
        let all = sources
            .iter()
            .flat_map(|source| source.entries.iter().map(move |entry| (source, entry)));
        Self {
            root,
            entries: all.map(|(source, entry)| judged(source, entry)).collect(),
            files: HashMap::new(),
        }
    }

    pub fn decide(&mut self, command: &Command) -> Decision {
        let Some(subject) = self.subject(command) else {
            return Decision::refused(Reason::Unreachable);
        };
        if let Some(judged) = self.entries.iter().find(|judged| judged.denies(&subject)) {
            return judged.decision(false, Reason::Denied);
        }
        let mut changed = None;
        for scope in [Scope::Directory, Scope::File, Scope::Task] {
            for judged in self.entries.iter().filter(|it| it.entry.scope == scope) {
                match judged.grants(&subject) {
                    Some(true) => return judged.decision(true, Reason::Granted(scope)),
                    Some(false) => changed = Some(judged.decision(false, Reason::Changed)),
                    None => {}
                }
            }
        }
        changed.unwrap_or_else(|| Decision::refused(Reason::NotListed))
    }

    fn subject<'c>(&mut self, command: &'c Command) -> Option<Subject<'c>> {
        let file = self.canonical(&command.file)?;
        let entry_file = self.canonical(&command.entry_file)?;
        let written = vec![
            file.clone(),
            entry_file,
            self.root.join(&command.file),
            self.root.join(&command.entry_file),
        ];
        Some(Subject {
            command,
            file,
            written,
        })
    }

    /// Where a file of the repository really lies, if it is one.
    fn canonical(&mut self, path: &str) -> Option<PathBuf> {
        if let Some(known) = self.files.get(path) {
            return known.clone();
        }
        let root = fs::canonicalize(self.root).ok()?;
        let real = fs::canonicalize(root.join(path))
            .ok()
            .filter(|real| real.starts_with(&root) && real.is_file());
        self.files.insert(path.to_owned(), real.clone());
        real
    }
}

impl Judged<'_> {
    fn decision(&self, allowed: bool, reason: Reason) -> Decision {
        Decision {
            allowed,
            reason,
            entry: Some((self.source.to_owned(), self.entry.clone())),
        }
    }

    /// A Deny covers a file, all under a folder, or named commands of either.
    fn denies(&self, subject: &Subject<'_>) -> bool {
        if self.entry.scope != Scope::Deny {
            return false;
        }
        let covered = subject.written.iter().any(|file| {
            let real = self.real.as_ref();
            file.starts_with(&self.entry.path) || real.is_some_and(|real| file.starts_with(real))
        });
        let named = self.entry.tasks.as_ref().is_none_or(|tasks| {
            let command = subject.command;
            tasks
                .iter()
                .any(|task| *task == command.name || *task == command.unique_name)
        });
        covered && named
    }

    /// Whether a grant speaks of the command, and then whether its pin still fits.
    fn grants(&self, subject: &Subject<'_>) -> Option<bool> {
        let entry = self.entry;
        // Only a path that is canonical as it is written can grant anything.
        let path = self.real.as_ref().filter(|real| **real == entry.path)?;
        match entry.scope {
            Scope::Directory => (path.is_dir() && subject.file.starts_with(path)).then_some(true),
            Scope::File => (subject.file == *path).then_some(true),
            Scope::Task => {
                let name = &subject.command.name;
                let named = entry.tasks.as_ref()?.contains(name);
                let pinned = entry.pins.get(name);
                (named && subject.file == *path)
                    .then(|| pinned.is_none_or(|pin| *pin == subject.command.fingerprint))
            }
            Scope::Once | Scope::Deny => None,
        }
    }
}
