//! Checks on disk that a path is inside the project: a symlink may point outside.

use std::path::{Path, PathBuf};

/// Why a path cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathProblem {
    /// The path does not exist.
    Missing,
    /// The path exists, but outside the project.
    Outside,
}

/// The real path of `path` in `root`, which must be canonical.
pub fn inside(root: &Path, path: &Path) -> Result<PathBuf, PathProblem> {
    let real = root
        .join(path)
        .canonicalize()
        .map_err(|_| PathProblem::Missing)?;
    if real.starts_with(root) {
        Ok(real)
    } else {
        Err(PathProblem::Outside)
    }
}
