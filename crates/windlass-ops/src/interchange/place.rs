//! Where files may be read and written: people choose, agents stay in the project.

use std::path::{Component, Path, PathBuf};

use windlass_core::{Actor, Error, ErrorKind, Result};

use super::folder::Folder;
use crate::context::ReadContext;

/// The folder of snapshots, below the project's root.
pub const SNAPSHOT_FOLDER: &str = ".windlass/snapshot";

/// The path to read from, which must exist. An agent's must lead into the project, after all links.
pub fn to_read(context: &ReadContext, given: &str) -> Result<PathBuf> {
    let root = context.workspace.root();
    let path = root.join(given);
    let canonical = path.canonicalize().map_err(|problem| {
        Error::validation("path", format!("{given} cannot be read: {problem}"))
            .with_hint("Give the file or folder that the other tool keeps its data in.")
    })?;
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    if context.origin.actor != Actor::Human && !canonical.starts_with(&root) {
        return Err(outside(given));
    }
    Ok(canonical)
}

fn outside(given: &str) -> Error {
    Error::new(
        ErrorKind::PathRefused,
        format!("{given} is outside of the project"),
    )
    .with("path", given)
    .with_hint(
        "Agents read and write only in the project; a person at a terminal can name any path.",
    )
}

/// A folder to write to, and how it is called.
pub struct Target {
    /// None if it does not exist and was not to be created.
    pub folder: Option<Folder>,
    pub shown: String,
}

/// Opens the folder that a caller named. What is in the project is reached without following a link.
pub fn to_write(context: &ReadContext, given: &str, create: bool) -> Result<Target> {
    let root = context.workspace.root();
    let failed = |problem: std::io::Error| Error::storage(format!("{given}: {problem}"));
    let path = lexical(&root.join(given)).ok_or_else(|| outside(given))?;
    let Ok(below) = path.strip_prefix(root) else {
        if context.origin.actor != Actor::Human {
            return Err(outside(given));
        }
        if create {
            std::fs::create_dir_all(&path).map_err(failed)?;
        }
        let folder = match Folder::open(&path) {
            Ok(folder) => Some(folder),
            Err(problem) if problem.kind() == std::io::ErrorKind::NotFound => None,
            Err(problem) => return Err(failed(problem)),
        };
        return Ok(Target {
            folder,
            shown: path.to_string_lossy().into_owned(),
        });
    };
    let shown = below.to_string_lossy().into_owned();
    check_own(below, &shown)?;
    let mut folder = Folder::open(root).map_err(failed)?;
    for part in below.components() {
        let name = part.as_os_str().to_str().ok_or_else(|| outside(given))?;
        match folder.below(name, create).map_err(failed)? {
            Some(next) => folder = next,
            None => {
                return Ok(Target {
                    folder: None,
                    shown,
                });
            }
        }
    }
    Ok(Target {
        folder: Some(folder),
        shown: if shown.is_empty() {
            ".".to_owned()
        } else {
            shown
        },
    })
}

/// The folders of git and of Windlass itself hold nothing else.
fn check_own(below: &Path, shown: &str) -> Result<()> {
    let first = below.components().next().map(Component::as_os_str);
    let of_git = below.components().any(|part| part.as_os_str() == ".git");
    let own = first == Some(".windlass".as_ref()) && !below.starts_with(SNAPSHOT_FOLDER);
    if of_git || own {
        return Err(Error::new(
            ErrorKind::PathRefused,
            format!("{shown} belongs to git or to Windlass itself"),
        )
        .with("path", shown)
        .with_hint("Choose another folder, for example docs/plan."));
    }
    Ok(())
}

/// The path without `.` and `..`, by its text alone; none if it leads above the root of the system.
fn lexical(path: &Path) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !out.pop() {
                    return None;
                }
            }
            other => out.push(other),
        }
    }
    Some(out)
}
