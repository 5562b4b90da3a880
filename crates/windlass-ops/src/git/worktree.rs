//! A git worktree for one session, with a branch of its own. It is removed when nothing was done in
//! it, and never merged.

use std::path::{Path, PathBuf};

use windlass_core::{EntityId, Error, ErrorKind, Result};
use windlass_store::{Project, WINDLASS_DIRECTORY};

use super::run::change;

pub struct Worktree {
    pub folder: PathBuf,
    branch: String,
    /// The repository that it belongs to.
    root: PathBuf,
    /// The commit that it began with.
    commit: String,
}

impl Worktree {
    /// Checks out the current commit in a new folder of the project's state.
    pub fn add(project: &Project) -> Result<Self> {
        let root = project.root().to_owned();
        let commit = git(&root, &["rev-parse", "--verify", "HEAD"])?;
        let name = EntityId::random().as_str()[..8].to_owned();
        let worktree = Self {
            folder: project.state().join("worktrees").join(&name),
            branch: format!("windlass/{name}"),
            root,
            commit,
        };
        let folder = worktree.folder.display().to_string();
        let words = [
            "worktree",
            "add",
            "-b",
            &worktree.branch,
            &folder,
            &worktree.commit,
        ];
        git(&worktree.root, &words)?;
        let is_found = Project::find(&worktree.folder)
            .is_ok_and(|found| found.state() == project.state() && found.root() == worktree.folder);
        if !is_found {
            let own = worktree.folder.join(WINDLASS_DIRECTORY);
            std::fs::create_dir_all(&own)
                .map_err(|problem| Error::storage(format!("{}: {problem}", own.display())))?;
        }
        Ok(worktree)
    }

    /// Removes it with its branch, unless there is work in it. Returns what was kept and why.
    pub fn remove_if_clean(&self) -> Option<String> {
        match self.remove() {
            Ok(true) => None,
            Ok(false) => Some(format!(
                "Work was left on branch {} in {}",
                self.branch,
                self.folder.display()
            )),
            Err(error) => Some(format!(
                "The worktree {} was not removed: {}",
                self.folder.display(),
                error.message()
            )),
        }
    }

    fn remove(&self) -> Result<bool> {
        let status = ["status", "--porcelain", "--untracked-files=all"];
        let changes = git(&self.folder, &status)?;
        let commit = git(&self.folder, &["rev-parse", "--verify", "HEAD"])?;
        if !changes.is_empty() || commit != self.commit {
            return Ok(false);
        }
        let folder = self.folder.display().to_string();
        git(&self.root, &["worktree", "remove", &folder])?;
        git(&self.root, &["branch", "--delete", "--force", &self.branch])?;
        // The folder of all worktrees goes with the last one.
        if let Some(all) = self.folder.parent() {
            let _ = std::fs::remove_dir(all);
        }
        Ok(true)
    }
}

/// Runs git without the repository's filters, and returns what it printed.
fn git(folder: &Path, words: &[&str]) -> Result<String> {
    let printed = change(folder, words).map_err(|said| {
        let first = said.lines().find(|line| !line.is_empty());
        failed(first.unwrap_or("git failed"))
    })?;
    Ok(String::from_utf8_lossy(&printed).trim().to_owned())
}

fn failed(why: &str) -> Error {
    Error::new(
        ErrorKind::StartFailed,
        format!("A git worktree cannot be used: {why}"),
    )
    .with_hint("--parallel needs a git repository with at least one commit.")
}
