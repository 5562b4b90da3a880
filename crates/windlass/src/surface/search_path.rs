//! The folders in which programs are looked for, without those in which a project could put its own:
//! a `make` or a `git` in the repository would run without anyone having allowed it.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Where programs are when no folder is left. An empty search path would mean the working folder.
const USUAL: &str = "/usr/local/bin:/usr/bin:/bin";

/// A search path, and what was taken out of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SafeSearchPath {
    /// As the user has it.
    pub given: OsString,
    pub kept: OsString,
    pub dropped: Vec<PathBuf>,
}

impl SafeSearchPath {
    /// Drops folders that are relative, and those inside of the projects.
    pub fn new(given: &OsStr, projects: &[PathBuf]) -> Self {
        let (kept, dropped): (Vec<PathBuf>, Vec<PathBuf>) =
            std::env::split_paths(given).partition(|folder| is_safe(folder, projects));
        let kept = std::env::join_paths(&kept).unwrap_or_default();
        Self {
            given: given.to_owned(),
            kept: if kept.is_empty() { USUAL.into() } else { kept },
            dropped,
        }
    }
}

fn is_safe(folder: &Path, projects: &[PathBuf]) -> bool {
    let real = folder.canonicalize();
    let real = real.as_deref().unwrap_or(folder);
    let inside = |project: &PathBuf| folder.starts_with(project) || real.starts_with(project);
    folder.is_absolute() && !projects.iter().any(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_the_project_and_relative_ones_are_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let project = base.join("project");
        for name in ["project/.venv/bin", "projects/bin"] {
            std::fs::create_dir_all(base.join(name)).unwrap();
        }
        std::os::unix::fs::symlink(project.join(".venv/bin"), base.join("link")).unwrap();
        std::os::unix::fs::symlink(&base, project.join("out")).unwrap();
        let given = format!(
            "/usr/bin:.:node_modules/.bin::{0}/project/.venv/bin:{0}/projects/bin:{0}/link:{0}/project:{0}/project/out:/none",
            base.display()
        );
        let safe = SafeSearchPath::new(given.as_ref(), std::slice::from_ref(&project));
        let kept = format!("/usr/bin:{}/projects/bin:/none", base.display());
        assert_eq!(safe.kept, OsString::from(kept));
        assert_eq!(safe.dropped.len(), 7);
        let none = SafeSearchPath::new(".".as_ref(), &[]);
        assert_eq!(none.kept, USUAL);
    }
}
