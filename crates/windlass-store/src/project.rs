//! The location of a project on disk: its root, its `.windlass` folder, and the state that all
//! worktrees of one repository share.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use windlass_core::{Error, ErrorKind, Result};

use crate::binding::is_tracked;
use crate::private_files;
use crate::worktree::main_worktree;

pub const WINDLASS_DIRECTORY: &str = ".windlass";
pub const STATE_DIRECTORY: &str = "state";

const GITIGNORE: &str = "# Local state: rebuilt from packs, never tracked.\n/state/\n";

const CONFIG: &str = "\
# Settings of this project. This file is tracked by git; every line is optional.

# [project]
# title = \"Shop\"               # the name in briefings; default: the name of the folder
# description = \"An online shop.\"

# [mcp]
# toolsets = [\"commands\", \"knowledge\"]    # what `windlass mcp` serves without --toolsets

# [commands]
# max_jobs = 50                 # jobs that may run at once
# capture_seconds = 1.0         # how long task_start waits for the end
# grace_seconds = 5.0           # between the request to end and the force
# keep_finished_seconds = 3600  # how long the output of an ended job can be read
# ring_lines = 1000             # how much output is kept of each job
# ring_bytes = 5242880
# chunk_bytes = 8192            # how much of it one answer holds

# [runs]
# max_parallel = 4              # runs that are executed at once
# artifacts = \"artifacts\"       # a folder in .windlass/state/, or s3://bucket/prefix
";

/// A project on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    root: PathBuf,
    state: PathBuf,
}

impl Project {
    /// Finds the project that contains `from`: the nearest parent folder that has a `.windlass`.
    pub fn find(from: &Path) -> Result<Self> {
        let from = from
            .canonicalize()
            .map_err(|error| Error::storage(format!("{}: {error}", from.display())))?;
        let root = from
            .ancestors()
            .find(|folder| folder.join(WINDLASS_DIRECTORY).is_dir())
            .ok_or_else(|| {
                Error::new(
                    ErrorKind::NotAProject,
                    "Not a windlass project. Run 'windlass init' first.",
                )
                .with("cwd", from.display().to_string())
            })?;
        refuse_link(&root.join(WINDLASS_DIRECTORY))?;
        Ok(Self::at(root))
    }

    fn at(root: &Path) -> Self {
        let state = main_worktree(root)
            .unwrap_or_else(|| root.to_owned())
            .join(WINDLASS_DIRECTORY)
            .join(STATE_DIRECTORY);
        Self {
            root: root.to_owned(),
            state,
        }
    }

    /// Makes `root` a project. Existing files stay as they are; returns whether anything was
    /// created.
    pub fn init(root: &Path) -> Result<(Self, bool)> {
        let shown = root.display().to_string();
        let failed = |error: io::Error| Error::storage(format!("{shown}: {error}"));
        fs::create_dir_all(root).map_err(failed)?;
        let project = Self::at(&root.canonicalize().map_err(failed)?);
        let folder = project.folder();
        // Before anything is created where a link leads.
        refuse_link(&folder)?;
        project.refuse_links()?;
        fs::create_dir_all(&folder).map_err(failed)?;
        let mut created = write_if_missing(&folder.join("config.toml"), CONFIG)?;
        created |= write_if_missing(&folder.join(".gitignore"), GITIGNORE)?;
        created |= project.prepare_state()?;
        Ok((project, created))
    }

    /// Creates the state folder if it does not exist, as in a fresh clone.
    pub(crate) fn prepare_state(&self) -> Result<bool> {
        self.refuse_links()?;
        if self.state.is_dir() {
            private_files::tighten(&self.state);
            return Ok(false);
        }
        if let Some(folder) = self.state.parent() {
            fs::create_dir_all(folder)
                .map_err(|error| Error::storage(format!("{}: {error}", folder.display())))?;
        }
        private_files::create_folder(&self.state)
            .map_err(|error| Error::storage(format!("{}: {error}", self.state.display())))?;
        // A linked worktree may be the first to need the state folder in the main worktree.
        if let Some(folder) = self.state.parent() {
            write_if_missing(&folder.join(".gitignore"), GITIGNORE)?;
        }
        Ok(true)
    }

    /// A repository could ship its state folder as a symbolic link, so that files are created
    /// elsewhere.
    pub(crate) fn refuse_links(&self) -> Result<()> {
        let folders = [self.state.parent(), Some(self.state.as_path())];
        folders.into_iter().flatten().try_for_each(refuse_link)?;
        // SQLite would follow a link, and wait for a pipe.
        for suffix in ["", "-wal", "-shm", "-journal"] {
            let file = self.state.join(format!("windlass.db{suffix}"));
            refuse_link(&file)?;
            if fs::symlink_metadata(&file).is_ok_and(|metadata| !metadata.is_file()) {
                return Err(Error::storage(format!("{} is not a file", file.display()))
                    .with_hint("Remove it, or put a backup in its place."));
            }
        }
        Ok(())
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The `.windlass` folder of this worktree.
    pub fn folder(&self) -> PathBuf {
        self.root.join(WINDLASS_DIRECTORY)
    }

    /// The folder for state that git does not track, shared by all worktrees.
    pub fn state(&self) -> &Path {
        &self.state
    }

    /// Whether git tracks files of the state.
    pub fn tracks_state(&self) -> bool {
        is_tracked(&self.state)
    }

    pub fn database(&self) -> PathBuf {
        self.state.join("windlass.db")
    }
}

/// Settings and state must be inside the project.
fn refuse_link(path: &Path) -> Result<()> {
    if !path.is_symlink() {
        return Ok(());
    }
    let message = format!("{} is a link", path.display());
    Err(Error::storage(message).with_hint(
        "Replace it with what it leads to: settings and state must be inside the project.",
    ))
}

/// Writes a new file; an existing one is never changed.
fn write_if_missing(path: &Path, text: &str) -> Result<bool> {
    let mut options = fs::OpenOptions::new();
    match options.write(true).create_new(true).open(path) {
        Ok(mut file) => file
            .write_all(text.as_bytes())
            .map(|()| true)
            .map_err(|error| Error::storage(format!("{}: {error}", path.display()))),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(Error::storage(format!("{}: {error}", path.display()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn init_is_idempotent_and_keeps_existing_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let (project, created) = Project::init(folder.path()).expect("created");
        assert!(created);
        fs::write(project.folder().join("config.toml"), "# mine\n").expect("written");
        let (_, created) = Project::init(folder.path()).expect("created");
        assert!(!created);
        let config = fs::read_to_string(project.folder().join("config.toml")).expect("read");
        assert_eq!(config, "# mine\n");
    }

    #[test]
    fn a_project_is_found_from_its_subfolders_only() {
        let folder = tempfile::tempdir().expect("a folder");
        let error = Project::find(folder.path()).unwrap_err();
        assert_eq!(
            error.message(),
            "Not a windlass project. Run 'windlass init' first."
        );
        let (project, _) = Project::init(folder.path()).expect("created");
        let below = folder.path().join("a/b");
        fs::create_dir_all(&below).expect("created");
        assert_eq!(Project::find(&below).expect("found"), project);
    }

    #[cfg(unix)]
    #[test]
    fn a_linked_state_folder_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let elsewhere = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join(".windlass")).expect("created");
        let link = folder.path().join(".windlass/state");
        std::os::unix::fs::symlink(elsewhere.path(), link).expect("linked");
        let error = Project::init(folder.path()).unwrap_err();
        assert!(error.message().ends_with("is a link"), "{error}");
        let entries = fs::read_dir(elsewhere.path()).expect("read").count();
        assert_eq!(entries, 0);
        fs::remove_dir_all(folder.path().join(".windlass")).expect("removed");
        let link = folder.path().join(".windlass");
        std::os::unix::fs::symlink(elsewhere.path(), link).expect("linked");
        assert!(Project::init(folder.path()).is_err());
        assert!(Project::find(folder.path()).is_err());
        let entries = fs::read_dir(elsewhere.path()).expect("read").count();
        assert_eq!(entries, 0, "nothing was created there");
    }

    #[test]
    fn linked_worktrees_share_the_state_of_the_main_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let base = folder.path().canonicalize().expect("a path");
        let git_folder = base.join("main/.git/worktrees/side");
        fs::create_dir_all(&git_folder).expect("created");
        fs::write(git_folder.join("commondir"), "../..\n").expect("written");
        let side = base.join("side");
        let back = format!("{}\n", side.join(".git").display());
        fs::write(git_folder.join("gitdir"), back).expect("written");
        fs::create_dir_all(&side).expect("created");
        fs::write(
            side.join(".git"),
            format!("gitdir: {}\n", git_folder.display()),
        )
        .expect("written");
        let (main, _) = Project::init(&base.join("main")).expect("created");
        let (linked, _) = Project::init(&side).expect("created");
        assert_eq!(linked.state(), main.state());
        assert_ne!(linked.root(), main.root());
    }
}
