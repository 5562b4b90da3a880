//! Reads the allowlist files, again whenever they change.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::command::Command;
use crate::command_set::CommandSet;
use crate::data::Lines;
use crate::stamp::Stamp;

use super::decide::{Decider, Decision};
use super::entry::{Document, Entry};

/// Why an allowlist file cannot be used. As long as one cannot be used, nothing is allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}: {message}", file.display())]
pub struct AllowlistError {
    pub file: PathBuf,
    pub line: usize,
    pub message: String,
}

/// The entries of one file.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub file: PathBuf,
    pub entries: Vec<Entry>,
}

type Loaded = Result<Arc<Vec<Source>>, AllowlistError>;

/// The human's own file, and others that are read but never written.
pub struct Allowlist {
    own: PathBuf,
    others: Vec<PathBuf>,
    loaded: Mutex<Option<(Vec<Option<Stamp>>, Loaded)>>,
}

impl Allowlist {
    /// `own` is the file that edits change; `others` are only read.
    pub fn new(own: impl Into<PathBuf>, others: Vec<PathBuf>) -> Self {
        Self {
            own: own.into(),
            others,
            loaded: Mutex::default(),
        }
    }

    /// The file that edits change.
    pub fn own_file(&self) -> &Path {
        &self.own
    }

    /// Decides whether the command may be started, and why.
    pub fn decide(&self, root: &Path, command: &Command) -> Decision {
        match self.load() {
            Ok(sources) => Decider::new(&sources, root).decide(command),
            Err(problem) => Decision::unusable(problem),
        }
    }

    /// Decides for each command of the set, in its order.
    pub fn decide_all(&self, command_set: &CommandSet) -> Vec<Decision> {
        let commands = command_set.commands.iter();
        match self.load() {
            Ok(sources) => {
                let mut decider = Decider::new(&sources, &command_set.root);
                commands.map(|command| decider.decide(command)).collect()
            }
            Err(problem) => commands
                .map(|_| Decision::unusable(problem.clone()))
                .collect(),
        }
    }

    /// Every entry with its file.
    pub fn entries(&self) -> Result<Vec<(PathBuf, Entry)>, AllowlistError> {
        let sources = self.load()?;
        let pairs = sources.iter().flat_map(|source| {
            let entries = source.entries.iter();
            entries.map(|entry| (source.file.clone(), entry.clone()))
        });
        Ok(pairs.collect())
    }

    fn load(&self) -> Loaded {
        let files: Vec<&PathBuf> = std::iter::once(&self.own).chain(&self.others).collect();
        let stamps: Vec<Option<Stamp>> = files.iter().map(|file| Stamp::of(file)).collect();
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, result)) = &*loaded
            && *known == stamps
        {
            return result.clone();
        }
        let sources: Result<Vec<Source>, _> = files.into_iter().map(|file| read(file)).collect();
        let result = sources.map(Arc::new);
        *loaded = Some((stamps, result.clone()));
        result
    }
}

/// A missing file has no entries; a file that cannot be read is an error.
fn read(file: &Path) -> Result<Source, AllowlistError> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(problem) if problem.kind() == io::ErrorKind::NotFound => String::new(),
        Err(problem) => {
            return Err(AllowlistError {
                file: file.to_owned(),
                line: 1,
                message: problem.to_string(),
            });
        }
    };
    Ok(Source {
        file: file.to_owned(),
        entries: parse(file, &text)?,
    })
}

pub(super) fn parse(file: &Path, text: &str) -> Result<Vec<Entry>, AllowlistError> {
    toml::from_str::<Document>(text)
        .map(|document| document.entries)
        .map_err(|problem| AllowlistError {
            file: file.to_owned(),
            line: problem
                .span()
                .map_or(1, |span| Lines::new(text).of(span.start)),
            message: problem.message().to_owned(),
        })
}
