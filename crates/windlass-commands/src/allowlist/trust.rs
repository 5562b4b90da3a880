//! Whether a list of permissions can be believed: nobody but its owner can have written it, and it
//! does not lie in a project, where agents write files.
//!
//! Every folder and every link on the way to the file is looked at, because whoever can replace one
//! of them can replace the list.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

use super::file::AllowlistError;

/// A folder that has this is a project.
const PROJECT_FOLDER: &str = ".windlass";

const ROOT: u32 = 0;
const WRITABLE_BY_OTHERS: u32 = 0o002;
const WRITABLE_BY_GROUP: u32 = 0o020;
/// In a folder with this bit, only the owner of a file can replace it: `/tmp`.
const STICKY: u32 = 0o1000;
/// Links may lead to links, but not for ever.
const MOST_LINKS: usize = 40;

/// Who may own a list and everything on the way to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// This user, or root.
    User,
    /// Only the user with this number: root, for the list of the system.
    Only(u32),
}

impl Owner {
    fn includes(self, user: u32) -> bool {
        match self {
            Self::User => user == ROOT || user == rustix::process::geteuid().as_raw(),
            Self::Only(owner) => user == owner || user == ROOT,
        }
    }
}

/// Checks the place of a list, whether it exists or not, and its owner and mode if it does.
pub fn check(file: &Path, owner: Owner, projects: &[PathBuf]) -> Result<(), AllowlistError> {
    walk(file, owner, projects).map_err(|message| AllowlistError {
        file: file.to_owned(),
        line: 1,
        message,
    })
}

fn walk(file: &Path, owner: Owner, projects: &[PathBuf]) -> Result<(), String> {
    let mut ahead = parts(file);
    let mut here = PathBuf::from("/");
    let mut links = 0;
    while let Some(part) = ahead.pop_front() {
        if part == ".." {
            here.pop();
            continue;
        }
        let entry = here.join(&part);
        outside_projects(&entry, projects)?;
        let Ok(found) = fs::symlink_metadata(&entry) else {
            // What is not there yet is made by this user, below what was checked.
            here = entry;
            continue;
        };
        owned(&entry, &found, owner)?;
        if found.is_symlink() {
            links += 1;
            let target = fs::read_link(&entry).map_err(|problem| problem.to_string())?;
            if links > MOST_LINKS {
                return Err("too many links lead to it".to_owned());
            }
            if target.is_absolute() {
                here = PathBuf::from("/");
            }
            for part in parts(&target).into_iter().rev() {
                ahead.push_front(part);
            }
            continue;
        }
        protected(&entry, &found, ahead.len())?;
        here = entry;
    }
    Ok(())
}

fn parts(path: &Path) -> VecDeque<OsString> {
    let kept = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        _ => None,
    });
    kept.collect()
}

/// The walk has been in every folder above that of the entry.
fn outside_projects(entry: &Path, projects: &[PathBuf]) -> Result<(), String> {
    let named = projects.iter().find(|project| entry.starts_with(project));
    let found = || {
        let folder = entry.parent()?;
        folder.join(PROJECT_FOLDER).is_dir().then_some(folder)
    };
    match named.map(PathBuf::as_path).or_else(found) {
        Some(project) => Err(format!(
            "it is inside the project {}, where agents write files; HOME and XDG_CONFIG_HOME must \
             name folders outside of projects",
            project.display()
        )),
        None => Ok(()),
    }
}

fn owned(entry: &Path, found: &Metadata, owner: Owner) -> Result<(), String> {
    if owner.includes(found.uid()) {
        return Ok(());
    }
    Err(format!(
        "{} belongs to another user (number {}), who could allow anything",
        entry.display(),
        found.uid()
    ))
}

/// `below` is how far the file is: the folder of the list is ours alone, those above are often made
/// for a group of which the user is the only member, with the number of the user.
fn protected(entry: &Path, found: &Metadata, below: usize) -> Result<(), String> {
    let mode = found.mode();
    let own_group = found.gid() == found.uid() || found.gid() == ROOT;
    let by_group = mode & WRITABLE_BY_GROUP != 0 && (below < 2 || !own_group);
    let by_others = mode & WRITABLE_BY_OTHERS != 0;
    let is_sticky_folder = found.is_dir() && mode & STICKY != 0;
    if (by_group || by_others) && !is_sticky_folder {
        let shown = entry.display();
        return Err(format!(
            "others can write {shown} and could allow anything: chmod go-w {shown}"
        ));
    }
    Ok(())
}

#[cfg(test)]
#[path = "trust_tests.rs"]
mod tests;
