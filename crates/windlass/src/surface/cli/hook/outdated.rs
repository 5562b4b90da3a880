//! Hooks that git runs and that are not those of this program: of an older version, or at another place.

use std::path::{Path, PathBuf};

use windlass_core::Result;
use windlass_store::Project;

use super::install::{State, install, look};
use super::repository::Repository;
use super::script::{Call, HOOKS};
use crate::surface::cli::setup::Program;

/// What the lines of a strict hook have.
const STRICT: &str = " --strict";

/// A hook with lines that are not current.
#[derive(Debug, Clone)]
pub struct OutdatedHook {
    hook: &'static str,
    pub file: PathBuf,
    strict: bool,
}

/// The outdated hooks of a project's repository; none without git.
pub fn outdated_hooks(project: &Project) -> Vec<OutdatedHook> {
    let Ok(repository) = Repository::of(project.root()) else {
        return Vec::new();
    };
    let reports = HOOKS.map(|hook| {
        in_place(&repository, project, false, |call| {
            look(&repository, hook, call)
        })
    });
    let outdated = reports.into_iter().filter(|it| it.state == State::Outdated);
    outdated
        .map(|report| OutdatedHook {
            strict: std::fs::read_to_string(&report.file).is_ok_and(|text| {
                text.lines()
                    .any(|line| line.contains(" hook run ") && line.contains(STRICT))
            }),
            hook: report.hook,
            file: report.file,
        })
        .collect()
}

impl OutdatedHook {
    /// Puts the lines of this program in the place of those that are there, as strict as they were.
    pub fn renew(&self, project: &Project) -> Result<()> {
        let repository = Repository::of(project.root())?;
        in_place(&repository, project, self.strict, |call| {
            install(&repository, self.hook, call).map(drop)
        })
    }
}

fn in_place<T>(
    repository: &Repository,
    project: &Project,
    strict: bool,
    work: impl FnOnce(&Call<'_>) -> T,
) -> T {
    let folder = repository.folder_of(project.root());
    let program = Program::of_process().word(true);
    work(&Call {
        program: Path::new(&program),
        folder: folder.as_deref(),
        strict,
    })
}
