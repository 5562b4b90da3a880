//! Decides whether entries allow a command: a matching Deny wins; then Directory, File, Task;
//! otherwise it is not allowed.
//!
//! A grant matches canonical paths only, by whole components. An entry whose own path contains a
//! symlink or `..` grants nothing, because anyone who can change the symlink could widen the grant.
//! A Deny also matches the path as written.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::command::Command;

use super::entry::{Entry, Pin, Scope};
use super::file::{AllowlistError, Source};
use super::granted::GrantedText;

/// Whether a command may be started, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    pub allowed: bool,
    pub reason: Reason,
    /// The entry that decided, and its file.
    pub entry: Option<(PathBuf, Entry)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// A grant of this scope matches.
    Granted(Scope),
    /// An entry denies it.
    Denied,
    /// It was allowed with another text: something that decides what it runs has changed since.
    Changed,
    /// Its file was allowed, with other commands only.
    NotIncluded,
    /// A grant is pinned to a text, and what decides what the command runs cannot be read, for these
    /// reasons.
    Unpinnable(Vec<String>),
    /// No entry matches it.
    NotListed,
    /// Its file does not exist, or is outside the repository.
    Unreachable,
    /// The allowlist cannot be read.
    Unusable(AllowlistError),
}

impl Reason {
    /// The reason as a sentence.
    pub fn message(&self) -> String {
        match self {
            Self::Granted(scope) => format!("allowed by an entry of scope {}", scope.name()),
            Self::Denied => "an entry of scope Deny matches".to_owned(),
            Self::Changed => {
                "its definition changed after it was allowed; a human must allow it again"
                    .to_owned()
            }
            Self::NotIncluded => {
                "its file was allowed without it; a human must allow it too".to_owned()
            }
            Self::Unpinnable(why) => format!(
                "what it runs cannot be pinned ({}), so no entry for a command or a file covers it",
                why.join("; ")
            ),
            Self::NotListed => "no entry allows it".to_owned(),
            Self::Unreachable => "its file is not a file inside the repository".to_owned(),
            Self::Unusable(problem) => {
                format!("the allowlist cannot be used, so nothing is allowed: {problem}")
            }
        }
    }
}

impl Decision {
    /// What a person saw when they made the entry that is about the command, as far as that was
    /// kept. A name may have been allowed with several texts.
    pub fn granted(&self, command: &Command) -> Vec<GrantedText> {
        let Some((file, entry)) = &self.entry else {
            return Vec::new();
        };
        let pins = entry.pin(&command.name).into_iter();
        pins.flat_map(|pin| &pin.0)
            .filter_map(|fingerprint| GrantedText::read(file, fingerprint))
            .collect()
    }

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

/// How an entry covers a command that it is about. The later ones say more about why it does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Coverage {
    NotIncluded,
    Unpinnable,
    Changed,
    Granted,
}

impl Coverage {
    fn of_pin(pin: &Pin, command: &Command) -> Self {
        if !command.pins.unreadable.is_empty() {
            Self::Unpinnable
        } else if pin.holds(&command.fingerprint) {
            Self::Granted
        } else {
            Self::Changed
        }
    }

    fn reason(self, command: &Command) -> Reason {
        match self {
            Self::NotIncluded | Self::Granted => Reason::NotIncluded,
            Self::Unpinnable => Reason::Unpinnable(command.pins.unreadable.clone()),
            Self::Changed => Reason::Changed,
        }
    }
}

/// The entries with their resolved paths, looked up once for any number of commands.
pub(super) struct Decider<'a> {
    root: &'a Path,
    entries: Vec<ResolvedEntry<'a>>,
    files: HashMap<String, Option<PathBuf>>,
}

struct ResolvedEntry<'a> {
    source: &'a Path,
    entry: &'a Entry,
    real: Option<PathBuf>,
}

/// A command with its files, as resolved and as written.
struct Subject<'a> {
    command: &'a Command,
    file: PathBuf,
    written: Vec<PathBuf>,
    /// Whether it is a file of Windlass itself: settings, gates, playbooks.
    is_of_windlass: bool,
}

/// Whether a path within the repository is that of a file of Windlass itself.
fn is_of_windlass(path: &Path) -> bool {
    let mut parts = path.components();
    parts.any(|part| part.as_os_str().eq_ignore_ascii_case(".windlass"))
}

impl<'a> Decider<'a> {
    pub fn new(sources: &'a [Source], root: &'a Path) -> Self {
        let resolved = |source: &'a Source, entry: &'a Entry| ResolvedEntry {
            source: &source.file,
            entry,
            real: fs::canonicalize(&entry.path).ok(),
        };
        let all = sources
            .iter()
            .flat_map(|source| source.entries.iter().map(move |entry| (source, entry)));
        Self {
            root,
            entries: all.map(|(source, entry)| resolved(source, entry)).collect(),
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
        let mut nearest: Option<(Coverage, &ResolvedEntry<'_>)> = None;
        for scope in [Scope::Directory, Scope::File, Scope::Task] {
            for judged in self.entries.iter().filter(|it| it.entry.scope == scope) {
                match judged.coverage(&subject) {
                    Some(Coverage::Granted) => {
                        return judged.decision(true, Reason::Granted(scope));
                    }
                    Some(coverage) if nearest.is_none_or(|(known, _)| coverage > known) => {
                        nearest = Some((coverage, judged));
                    }
                    _ => {}
                }
            }
        }
        match nearest {
            Some((coverage, judged)) => judged.decision(false, coverage.reason(command)),
            None => Decision::refused(Reason::NotListed),
        }
    }

    fn subject<'c>(&mut self, command: &'c Command) -> Option<Subject<'c>> {
        let file = self.canonical(&command.file)?;
        let entry_file = self.canonical(&command.entry_file)?;
        let root = fs::canonicalize(self.root).ok()?;
        let inside = file.strip_prefix(&root).unwrap_or(&file).to_owned();
        let is_of_windlass = [
            &inside,
            Path::new(&command.file),
            Path::new(&command.entry_file),
        ]
        .into_iter()
        .any(is_of_windlass);
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
            is_of_windlass,
        })
    }

    /// The canonical path of a file, if it is a file inside the repository.
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

impl ResolvedEntry<'_> {
    fn decision(&self, allowed: bool, reason: Reason) -> Decision {
        Decision {
            allowed,
            reason,
            entry: Some((self.source.to_owned(), self.entry.clone())),
        }
    }

    /// A Deny covers a file, everything in a folder, or named commands of either.
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

    /// How a grant covers the command; `None` if it is about something else.
    fn coverage(&self, subject: &Subject<'_>) -> Option<Coverage> {
        let (entry, command) = (self.entry, subject.command);
        // Only an entry whose path is canonical as written can grant anything.
        let path = self.real.as_ref().filter(|real| **real == entry.path)?;
        // Settings, gates and playbooks decide what agents may do, and agents can write them: a person
        // allows each of them by itself, with its text.
        let is_pinned = entry.scope == Scope::Task && entry.pin(&subject.command.name).is_some();
        if subject.is_of_windlass && !is_pinned {
            return None;
        }
        match entry.scope {
            Scope::Directory => {
                (path.is_dir() && subject.file.starts_with(path)).then_some(Coverage::Granted)
            }
            Scope::File if subject.file == *path => Some(match &entry.pins {
                None => Coverage::Granted,
                Some(pins) => pins
                    .get(&command.name)
                    .map_or(Coverage::NotIncluded, |pin| Coverage::of_pin(pin, command)),
            }),
            Scope::Task if subject.file == *path => {
                entry.tasks.as_ref()?.contains(&command.name).then(|| {
                    let pin = entry.pin(&command.name);
                    pin.map_or(Coverage::Granted, |pin| Coverage::of_pin(pin, command))
                })
            }
            Scope::File | Scope::Task | Scope::Once | Scope::Deny => None,
        }
    }
}
