//! Paths under the project, looked at on the disk: a symlink may lead out of it.

use std::path::{Path, PathBuf};

/// Why a path is not usable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Escape {
    /// Nothing is there.
    Missing,
    /// It is there, but not inside the project.
    Outside,
}

/// The real path of `path` under `root`, which is canonical itself.
pub fn inside(root: &Path, path: &Path) -> Result<PathBuf, Escape> {
    let real = root
        .join(path)
        .canonicalize()
        .map_err(|_| Escape::Missing)?;
    if real.starts_with(root) {
        Ok(real)
    } else {
        Err(Escape::Outside)
    }
}
