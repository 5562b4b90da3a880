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

/// What git must not track, and why.
const IGNORED: &[(&str, &[&str])] = &[
    (
        "# Local state: rebuilt from packs, never tracked.",
        &["/state/"],
    ),
    (
        "# Written from the state: their entries travel in packs.",
        &["/learnings.txt", "/progress.txt"],
    ),
    (
        "# Files that are being written.",
        &["/.new-*", "/packs/.new-*"],
    ),
];

/// Packs are bytes that nothing may convert.
const GITATTRIBUTES: &str =
    "# Changes of the plan, for other clones: never converted.\n/packs/* binary -filter\n";

/// A longer file is not one that a person wrote.
const LONGEST_GITIGNORE: u64 = 1 << 20;

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
    /// Whose `.windlass` has the settings: this worktree, or the main one if this one has none.
    settings_root: PathBuf,
    state: PathBuf,
}

impl Project {
    /// Finds the project that contains `from`: the nearest parent folder that has a `.windlass`, or
    /// that is in a linked worktree and has one in the main worktree. A branch need not have the
    /// folder, and where git does not track it, no branch has.
    pub fn find(from: &Path) -> Result<Self> {
        let from = from
            .canonicalize()
            .map_err(|error| Error::storage(format!("{}: {error}", from.display())))?;
        let root = from
            .ancestors()
            .find(|folder| has_settings(folder) || settings_in_main(folder).is_some())
            .ok_or_else(|| {
                Error::new(
                    ErrorKind::NotAProject,
                    "Not a windlass project. Run 'windlass init' first.",
                )
                .with("cwd", from.display().to_string())
            })?;
        let mut project = Self::at(root);
        if !has_settings(root) {
            project.settings_root = project.main_root().to_owned();
        }
        refuse_link(&project.folder())?;
        Ok(project)
    }

    /// The project of a folder that has settings of its own, or gets them.
    fn at(root: &Path) -> Self {
        let state = main_worktree(root)
            .unwrap_or_else(|| root.to_owned())
            .join(WINDLASS_DIRECTORY)
            .join(STATE_DIRECTORY);
        Self {
            root: root.to_owned(),
            settings_root: root.to_owned(),
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
        created |= write_if_missing(&folder.join(".gitattributes"), GITATTRIBUTES)?;
        created |= complete_gitignore(&folder.join(".gitignore"))?;
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
            write_if_missing(&folder.join(".gitignore"), &rules(|_| true))?;
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

    /// The folder that the paths of settings are relative to: this worktree, or the main one if this
    /// one has no `.windlass`.
    pub fn settings_root(&self) -> &Path {
        &self.settings_root
    }

    /// The same folder in the main worktree; the project itself where it is in no linked one.
    pub fn main_root(&self) -> &Path {
        let main = self.state.parent().and_then(Path::parent);
        main.unwrap_or(&self.root)
    }

    /// The `.windlass` folder with the settings.
    pub fn folder(&self) -> PathBuf {
        self.settings_root.join(WINDLASS_DIRECTORY)
    }

    /// The folder for state that git does not track, shared by all worktrees.
    pub fn state(&self) -> &Path {
        &self.state
    }

    /// The lines that git's rules of the project lack, so that git would track what it must not.
    pub fn missing_ignore_rules(&self) -> Result<Vec<String>> {
        let missing = missing_rules(&self.folder().join(".gitignore"))?;
        let rules = missing.lines().filter(|line| line.starts_with('/'));
        Ok(rules.map(str::to_owned).collect())
    }

    /// Adds the lines that git's rules lack.
    pub fn complete_ignore_rules(&self) -> Result<()> {
        refuse_link(&self.folder())?;
        complete_gitignore(&self.folder().join(".gitignore")).map(drop)
    }

    /// Files and folders of the state that others can read, although they are this user's.
    pub fn open_to_others(&self) -> Vec<PathBuf> {
        private_files::open_to_others(&self.state)
    }

    /// Takes the state away from everybody else.
    pub fn close_to_others(&self) -> Result<()> {
        self.refuse_links()?;
        private_files::tighten(&self.state);
        Ok(())
    }

    /// Whether git tracks files of the state.
    pub fn tracks_state(&self) -> bool {
        is_tracked(&self.state)
    }

    /// Files of the journals that git still tracks, by their names.
    pub fn tracked_journals(&self) -> Vec<&'static str> {
        let files = ["learnings.txt", "progress.txt"].into_iter();
        files
            .filter(|file| is_tracked(&self.folder().join(file)))
            .collect()
    }

    /// How many packs are in this checkout, by their names alone.
    pub(crate) fn count_packs(&self) -> usize {
        let files = fs::read_dir(self.folder().join("packs"))
            .into_iter()
            .flatten();
        let names = files.flatten().map(|file| PathBuf::from(file.file_name()));
        names
            .filter(|name| name.extension().is_some_and(|it| it == "pack"))
            .count()
    }

    pub fn database(&self) -> PathBuf {
        self.state.join("windlass.db")
    }
}

fn has_settings(folder: &Path) -> bool {
    folder.join(WINDLASS_DIRECTORY).is_dir()
}

/// The same folder in the main worktree, if that is a project.
fn settings_in_main(folder: &Path) -> Option<PathBuf> {
    main_worktree(folder).filter(|main| has_settings(main))
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

/// The rules that are wanted, under the reason for each.
fn rules(is_wanted: impl Fn(&str) -> bool) -> String {
    let mut text = String::new();
    for (why, rules) in IGNORED {
        let wanted: Vec<&str> = rules
            .iter()
            .copied()
            .filter(|rule| is_wanted(rule))
            .collect();
        if !wanted.is_empty() {
            text.push_str(why);
            text.push('\n');
            text.push_str(&wanted.join("\n"));
            text.push('\n');
        }
    }
    text
}

/// Adds the rules that the file lacks.
fn complete_gitignore(path: &Path) -> Result<bool> {
    let missing = missing_rules(path)?;
    if missing.is_empty() {
        return Ok(false);
    }
    let failed = |error: io::Error| Error::storage(format!("{}: {error}", path.display()));
    if fs::symlink_metadata(path).is_err() {
        return write_if_missing(path, &missing);
    }
    let mut file = fs::OpenOptions::new()
        .append(true)
        .open(path)
        .map_err(failed)?;
    file.write_all(missing.as_bytes())
        .map(|()| true)
        .map_err(failed)
}

/// What is to be added to the file, with a line end before it if its last line has none. A rule that a
/// person reversed stays so.
fn missing_rules(path: &Path) -> Result<String> {
    let failed = |error: io::Error| Error::storage(format!("{}: {error}", path.display()));
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(rules(|_| true)),
        Err(error) => return Err(failed(error)),
    };
    // Whatever else stands there is not written to.
    if !metadata.is_file() || metadata.len() > LONGEST_GITIGNORE {
        return Ok(String::new());
    }
    let before = fs::read_to_string(path).map_err(failed)?;
    let plain = |rule: &str| {
        rule.trim()
            .trim_start_matches(['!', '/'])
            .trim_end_matches('/')
            .to_owned()
    };
    let known: Vec<String> = before.lines().map(plain).collect();
    let missing = rules(|rule| !known.contains(&plain(rule)));
    let gap = if missing.is_empty() || before.is_empty() || before.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    Ok(format!("{gap}{missing}"))
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
    fn init_adds_the_rules_for_git_that_are_missing_and_no_more() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join(".windlass/.gitignore");
        fs::create_dir(folder.path().join(".windlass")).expect("created");
        fs::write(&file, "/state/\n# ours\n!/progress.txt").expect("written");
        let (_, created) = Project::init(folder.path()).expect("created");
        assert!(created);
        let text = fs::read_to_string(&file).expect("read");
        assert_eq!(
            text,
            "/state/\n# ours\n!/progress.txt\n# Written from the state: their entries travel in packs.\n\
             /learnings.txt\n# Files that are being written.\n/.new-*\n/packs/.new-*\n"
        );
        let (_, created) = Project::init(folder.path()).expect("created");
        assert!(!created);
        assert_eq!(fs::read_to_string(&file).expect("read"), text);
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
        let below = side.join("a");
        fs::create_dir(&below).expect("created");
        assert!(Project::find(&below).is_err(), "no worktree has a project");
        let (main, _) = Project::init(&base.join("main")).expect("created");
        let found = Project::find(&below).expect("found by the main worktree");
        assert_eq!(found.state(), main.state());
        assert_eq!(found.root(), side, "commands are those of the branch");
        assert_eq!(found.folder(), main.folder(), "the branch has no settings");
        let (linked, _) = Project::init(&side).expect("created");
        assert_eq!(Project::find(&below).expect("found"), linked);
        assert_eq!(linked.state(), main.state());
        assert_ne!(linked.root(), main.root());
    }
}
