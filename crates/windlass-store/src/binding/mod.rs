//! The binding of a state to the user and the place that made it.
//!
//! The state lies in the project, and so it can come with a clone, an archive or a copy: with gates,
//! sessions and whatever else decides what is run. So each state that this user made, or took over
//! after a look at it, is on record outside of all projects. Any other state is foreign: it can be
//! read, from a copy, and nothing else. The records also tell a project whose state is gone from a
//! new one.

mod foreign;
mod record;
mod tracked;

use std::fs;
use std::io;
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use windlass_core::{Error, ErrorKind, Result, hexadecimal};

use crate::project::Project;
use crate::rescue::rescued_copies;
pub(crate) use foreign::ForeignCopy;
use record::{Identity, Record};
pub(crate) use tracked::is_tracked;

/// What the state of a project is to this user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// There is none, and there was none.
    New,
    /// This user made it here, or took it over.
    Own,
    /// It was made elsewhere, or changed by something other than Windlass.
    Foreign(Foreign),
    /// There is none, but there was one.
    Lost,
}

/// Why a state is not this user's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    /// Git tracks it, so any clone, pull or checkout replaces it.
    Tracked,
    /// It belongs to another user.
    OtherUser(u32),
    /// Other files are where this project's state was.
    Replaced,
    /// Nothing is known about it.
    Unknown,
}

/// Where the records of a user are.
#[derive(Debug, Clone)]
pub struct Bindings {
    folder: PathBuf,
}

/// What is there now.
struct Found {
    root: Identity,
    folder: Option<Identity>,
    database: Option<Identity>,
    /// Whether the database has no content: SQLite would make a new one of it.
    database_is_empty: bool,
}

impl Bindings {
    /// The records in that folder, which is made when it is first needed.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What the state of the project is to this user. Nothing is changed.
    pub fn standing(&self, project: &Project) -> Result<Standing> {
        self.check_folder(project)?;
        project.refuse_links()?;
        let found = Found::of(project)?;
        let record = Record::read(&self.file_of(project.state()));
        Ok(match record {
            Some(record) if record.root.is(found.root) => known(project, &record, &found),
            _ => self.unknown(project, &found),
        })
    }

    /// A state at a path that is not on record, or where another folder is on record.
    fn unknown(&self, project: &Project, found: &Found) -> Standing {
        let Some(folder) = found.folder else {
            return Standing::New;
        };
        if is_empty(project.state()) {
            return Standing::New;
        }
        if folder.owner() != user() {
            return Standing::Foreign(Foreign::OtherUser(folder.owner()));
        }
        if is_tracked(project.state()) {
            return Standing::Foreign(Foreign::Tracked);
        }
        match self.moved(found) {
            Some(_) => Standing::Own,
            None => Standing::Foreign(Foreign::Unknown),
        }
    }

    /// The record of a project that was here under another path: the very same folder and database,
    /// and nothing is left at the old path.
    fn moved(&self, found: &Found) -> Option<(PathBuf, Record)> {
        let (folder, database) = (found.folder?, found.database?);
        let files = fs::read_dir(self.records()).ok()?;
        files.flatten().find_map(|file| {
            let record = Record::read(&file.path())?;
            let is_same = record.user == user()
                && folder.has_moved_from(record.folder)
                && record
                    .database
                    .is_some_and(|it| database.has_moved_from(it))
                && fs::symlink_metadata(&record.state).is_err();
            is_same.then(|| (file.path(), record))
        })
    }

    /// Puts a state on record that this user makes now, before its database exists.
    pub(crate) fn begin(&self, project: &Project, id: &str) -> Result<()> {
        let found = Found::of(project)?;
        let begun = Found {
            database: None,
            ..found
        };
        self.put(project, id, &begun)
    }

    /// Puts the finished state on record.
    pub(crate) fn finish(&self, project: &Project, id: &str) -> Result<()> {
        self.put(project, id, &Found::of(project)?)
    }

    fn put(&self, project: &Project, id: &str, found: &Found) -> Result<()> {
        let folder = found
            .folder
            .ok_or_else(|| Error::storage(format!("{} is gone", project.state().display())))?;
        let record = Record {
            version: Record::VERSION,
            id: id.to_owned(),
            state: project.state().to_owned(),
            user: user(),
            root: found.root,
            folder,
            database: found.database,
            suspended: false,
        };
        self.make_folder()?;
        let file = self.file_of(project.state());
        record
            .write(&file)
            .map_err(|problem| self.unusable(&problem))
    }

    /// The id of the project on record. A project that was moved is put on record at its new place.
    pub(crate) fn id(&self, project: &Project) -> Result<Option<String>> {
        let file = self.file_of(project.state());
        let found = Found::of(project)?;
        if let Some(record) = Record::read(&file)
            && record.root.is(found.root)
        {
            if record.database.is_none() {
                self.finish(project, &record.id)?;
            }
            return Ok(Some(record.id));
        }
        let Some((old, record)) = self.moved(&found) else {
            return Ok(None);
        };
        self.finish(project, &record.id)?;
        // The old record names a folder that no longer exists.
        let _ = fs::remove_file(old);
        Ok(Some(record.id))
    }

    /// Notes that the state was tracked by git: whatever git put into it stays there when it is no
    /// longer tracked, so a person has to look at it.
    pub(crate) fn suspend(&self, project: &Project) -> Result<()> {
        let file = self.file_of(project.state());
        let Some(record) = Record::read(&file).filter(|record| !record.suspended) else {
            return Ok(());
        };
        let suspended = Record {
            suspended: true,
            ..record
        };
        suspended
            .write(&file)
            .map_err(|problem| self.unusable(&problem))
    }

    /// Removes the project from the records. The next state there is a new one.
    pub fn forget(&self, project: &Project) -> Result<()> {
        match fs::remove_file(self.file_of(project.state())) {
            Err(problem) if problem.kind() != io::ErrorKind::NotFound => {
                Err(self.unusable(&problem))
            }
            _ => Ok(()),
        }
    }

    /// Held while a state is made or taken over, so that another process never sees half of it.
    pub(crate) fn lock(&self) -> Result<fs::File> {
        self.make_folder()?;
        let file = fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(self.folder.join("lock"))
            .map_err(|problem| self.unusable(&problem))?;
        file.lock().map_err(|problem| self.unusable(&problem))?;
        Ok(file)
    }

    fn records(&self) -> PathBuf {
        self.folder.join("projects")
    }

    fn file_of(&self, state: &Path) -> PathBuf {
        let digest = Sha256::digest(state.as_os_str().as_encoded_bytes());
        self.records()
            .join(format!("{}.json", hexadecimal(&digest[..16])))
    }

    fn make_folder(&self) -> Result<()> {
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(self.records())
            .map_err(|problem| self.unusable(&problem))
    }

    /// The records must be where agents and other users cannot write.
    fn check_folder(&self, project: &Project) -> Result<()> {
        let mut existing = self.folder.ancestors();
        let Some(real) = existing.find_map(|folder| folder.canonicalize().ok()) else {
            return Ok(());
        };
        let main = project.state().ancestors().nth(2);
        let roots = [Some(project.root()), main];
        if let Some(root) = roots.into_iter().flatten().find(|it| real.starts_with(it)) {
            let message = format!(
                "{} is inside the project {}, where agents can write files",
                self.folder.display(),
                root.display()
            );
            return Err(Error::new(ErrorKind::InvalidConfig, message).with_hint(
                "Set XDG_STATE_HOME (or HOME) to a folder outside of the project: it holds what this user knows about projects.",
            ));
        }
        let Ok(metadata) = fs::metadata(&self.folder) else {
            return Ok(());
        };
        if metadata.uid() != user() || metadata.permissions().mode() & 0o022 != 0 {
            let message = format!("{} can be written by other users", self.folder.display());
            return Err(Error::new(ErrorKind::InvalidConfig, message)
                .with_hint("Make it yours alone (chown, chmod 700), or set XDG_STATE_HOME."));
        }
        Ok(())
    }

    fn unusable(&self, problem: &io::Error) -> Error {
        let message = format!("{}: {problem}", self.folder.display());
        Error::new(ErrorKind::InvalidConfig, message).with_hint(
            "Windlass notes there which projects are yours: make it writable, or set XDG_STATE_HOME to a folder that is.",
        )
    }
}

impl Found {
    fn of(project: &Project) -> Result<Self> {
        let state = project.state();
        let root = state.ancestors().nth(2).unwrap_or(state);
        let root = fs::metadata(root)
            .map_err(|problem| Error::storage(format!("{}: {problem}", root.display())))?;
        let plain = |path: &Path| fs::symlink_metadata(path).ok();
        let folder = plain(state).filter(fs::Metadata::is_dir);
        let database = plain(&project.database()).filter(fs::Metadata::is_file);
        Ok(Self {
            root: Identity::of(&root),
            folder: folder.as_ref().map(Identity::of),
            database_is_empty: database.as_ref().is_none_or(|file| file.len() == 0),
            database: database.as_ref().map(Identity::of),
        })
    }
}

/// A state of which there is a record at this path.
fn known(project: &Project, record: &Record, found: &Found) -> Standing {
    let (Some(folder), Some(database)) = (found.folder, record.database) else {
        // The process that began to make it was killed.
        let is_begun = record.database.is_none();
        return if is_begun {
            Standing::New
        } else {
            Standing::Lost
        };
    };
    let Some(file) = found.database.filter(|_| !found.database_is_empty) else {
        return Standing::Lost;
    };
    if record.user != user() {
        return Standing::Foreign(Foreign::OtherUser(record.user));
    }
    if is_tracked(project.state()) {
        return Standing::Foreign(Foreign::Tracked);
    }
    if record.suspended || !folder.is(record.folder) || !file.is(database) {
        return Standing::Foreign(Foreign::Replaced);
    }
    Standing::Own
}

/// Whether a state folder has nothing in it, or what a process left that was killed while it made
/// the database.
fn is_empty(state: &Path) -> bool {
    let Ok(mut entries) = fs::read_dir(state) else {
        return false;
    };
    entries.all(|entry| {
        entry.is_ok_and(|entry| {
            let metadata = entry.path().symlink_metadata();
            metadata.is_ok_and(|it| it.is_file() && it.len() == 0)
        })
    })
}

fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

impl Foreign {
    /// Why nothing may be changed or run, and what to do about it.
    pub fn error(self, project: &Project) -> Error {
        let state = project.state().display();
        let why = match self {
            Self::Tracked => {
                "git tracks it, so that clones and pulls can replace what is in it".to_owned()
            }
            Self::OtherUser(user) => format!("it belongs to another user ({user})"),
            Self::Replaced => {
                "its files are not those that were here before: they were restored, copied or replaced"
                    .to_owned()
            }
            Self::Unknown => {
                "this user did not make it at this place; it may have come with a clone or a copy, or an older windlass made it"
                    .to_owned()
            }
        };
        let hint = match self {
            Self::Tracked => {
                "Run: git rm -r --cached .windlass/state (and commit). Then a person looks at what is in it and takes it over: windlass trust"
            }
            _ => {
                "A person looks at what is in it and takes it over: windlass trust (a running server must be restarted then). To begin without it, remove the folder."
            }
        };
        let message = format!(
            "The state in {state} is not trusted: {why}. It can be read, but nothing is changed or run"
        );
        Error::new(ErrorKind::UntrustedState, message)
            .with("state", state.to_string())
            .with("reason", self.name())
            .with_hint(hint)
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Tracked => "tracked_by_git",
            Self::OtherUser(_) => "another_user",
            Self::Replaced => "replaced",
            Self::Unknown => "not_made_here",
        }
    }
}

/// The state of a project that had one is gone.
pub(crate) fn lost(project: &Project) -> Error {
    let state = project.state().display();
    let message = format!(
        "The state of this project is gone: it had a database in {state}, and there is none now"
    );
    let Some(copy) = rescued_copies(project).pop() else {
        let packs = project.count_packs();
        if packs > 0 {
            let hint = format!(
                "Put .windlass/state back from a backup, then a person runs: windlass trust. Or it is rebuilt \
                 from the {packs} packs of this checkout: a person runs: windlass init --new-state. Packs do not \
                 have gates, jobs, runs, sessions, claims, the history of events, and changes since the last sync."
            );
            return Error::new(ErrorKind::StateLost, message)
                .with("state", state.to_string())
                .with("packs", packs)
                .with_hint(hint);
        }
        return Error::new(ErrorKind::StateLost, message)
            .with("state", state.to_string())
            .with_hint(
                "A person puts a copy back: windlass restore FILE (without a file it lists the copies that are here). To begin anew, a person runs: windlass init --new-state",
            );
    };
    let copy = copy.display();
    Error::new(
        ErrorKind::StateLost,
        format!("{message}. What it had was saved as {copy}"),
    )
    .with("state", state.to_string())
    .with("rescued", copy.to_string())
    .with_hint("A person puts it back: windlass restore (it lists what is here), or begins anew: windlass init --new-state")
}
