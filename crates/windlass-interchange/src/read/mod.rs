//! The readers, one for each source.

mod backlog;
mod beads;
mod beads_database;
mod dela;
mod fields;
mod front_matter;
mod github;
mod github_text;
mod json_records;
mod markdown;
mod medulla;
mod overseer;
mod ralph;
mod ralph_tables;
mod todo;
mod windlass;

use std::path::{Path, PathBuf};

use crate::files;
use crate::finish::finish;
use crate::plan::{Place, Plan, Source};

/// Reads a source. What cannot be read at all is a problem of the plan, too.
pub fn read(source: Source, path: &Path) -> Plan {
    let mut plan = Plan::default();
    let result = match source {
        Source::Windlass => windlass::read(path, &mut plan),
        Source::Beads => beads::read(path, &mut plan),
        Source::GitHub => github::read(path, &mut plan),
        Source::Backlog => backlog::read(path, &mut plan),
        Source::Medulla => medulla::read(path, &mut plan),
        Source::Overseer => overseer::read(path, &mut plan),
        Source::Ralph => ralph::read(path, &mut plan),
        Source::Dela => dela::read(path, &mut plan),
        Source::Markdown => markdown::read(path, &mut plan),
        Source::Todo => todo::read(path, &mut plan),
    };
    if let Err(message) = result {
        plan.broken(&Place::new(&path.to_string_lossy(), None), None, message);
    }
    finish(plan)
}

/// The file that a path means: itself, or the first of these that the folder has.
fn file_of(path: &Path, names: &[&str]) -> Result<PathBuf, String> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    names
        .iter()
        .map(|name| path.join(name))
        .find(|file| files::open(file).is_ok())
        .ok_or_else(|| format!("the folder has none of: {}", names.join(", ")))
}

fn bytes_of(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    files::bytes(path, most).map_err(|problem| format!("it cannot be read: {problem}"))
}

fn name_of(path: &Path) -> String {
    path.file_name()
        .map_or_else(|| path.to_string_lossy(), |name| name.to_string_lossy())
        .into_owned()
}
