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
use super::trust::{self, Owner};

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
    /// Whether the lists after this one are ignored.
    exclusive: bool,
}

type Loaded = Result<Arc<Vec<Source>>, AllowlistError>;

/// The human's own file, others that are read but never written, and the list of the system.
pub struct Allowlist {
    own: PathBuf,
    others: Vec<PathBuf>,
    system: Option<(PathBuf, Owner)>,
    /// Folders in which agents write files.
    projects: Vec<PathBuf>,
    loaded: Mutex<Option<(Vec<Option<Stamp>>, Loaded)>>,
}

impl Allowlist {
    /// `own` is the file that edits change; `others` are only read.
    pub fn new(own: impl Into<PathBuf>, others: Vec<PathBuf>) -> Self {
        Self {
            own: own.into(),
            others,
            system: None,
            projects: Vec::new(),
            loaded: Mutex::default(),
        }
    }

    /// A list inside of one of these folders is not believed.
    #[must_use]
    pub fn outside(mut self, projects: Vec<PathBuf>) -> Self {
        self.projects = projects;
        self
    }

    /// A list of the whole machine, which only this owner can write.
    #[must_use]
    pub fn with_system(mut self, file: PathBuf, owner: Owner) -> Self {
        self.system = Some((file, owner));
        self
    }

    /// The file that edits change: the user's, unless only the list of the system counts.
    pub fn own_file(&self) -> &Path {
        match &self.system {
            Some((file, _)) if self.is_exclusive() => file,
            _ => &self.own,
        }
    }

    /// The list of the system.
    pub fn system_file(&self) -> Option<&Path> {
        self.system.as_ref().map(|(file, _)| file.as_path())
    }

    /// Whether the lists of users are ignored. One that cannot be read ignores them too.
    pub fn is_exclusive(&self) -> bool {
        match self.load_system() {
            None => false,
            Some(Ok(system)) => system.exclusive,
            Some(Err(_)) => true,
        }
    }

    /// Checks that nobody but its owner can have written the file that edits change, or another one
    /// beside it.
    pub fn check_trusted(&self, file: &Path) -> Result<(), AllowlistError> {
        let owner = match &self.system {
            Some((system, owner)) if system.parent() == file.parent() => *owner,
            _ => Owner::User,
        };
        trust::check(file, owner, &self.projects)
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

    fn load_system(&self) -> Option<Result<Source, AllowlistError>> {
        let (file, _) = self.system.as_ref()?;
        if !file.exists() {
            return None;
        }
        Some(self.check_trusted(file).and_then(|()| read(file)))
    }

    fn load(&self) -> Loaded {
        let system = self.load_system().transpose()?;
        if let Some(system) = &system
            && system.exclusive
        {
            return Ok(Arc::new(vec![system.clone()]));
        }
        let users = self.load_users()?;
        Ok(match system {
            Some(system) => {
                let all = std::iter::once(system).chain(users.iter().cloned());
                Arc::new(all.collect())
            }
            None => users,
        })
    }

    fn load_users(&self) -> Loaded {
        let files: Vec<&PathBuf> = std::iter::once(&self.own).chain(&self.others).collect();
        // Not kept: the folders above a file may change without it.
        for file in &files {
            self.check_trusted(file)?;
        }
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
    let document = parse(file, &text)?;
    Ok(Source {
        file: file.to_owned(),
        entries: document.entries,
        exclusive: document.exclusive,
    })
}

pub(super) fn parse(file: &Path, text: &str) -> Result<Document, AllowlistError> {
    toml::from_str(text).map_err(|problem| AllowlistError {
        file: file.to_owned(),
        line: problem
            .span()
            .map_or(1, |span| Lines::new(text).of(span.start)),
        message: problem.message().to_owned(),
    })
}
