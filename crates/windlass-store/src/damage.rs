//! The note that a database failed its check: nothing is written to it from then on, by any process.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use windlass_core::{Error, Result};

use crate::files;

fn note_beside(database: &Path) -> PathBuf {
    files::beside(database, ".damaged")
}

/// Notes what a check of the file found, or that it found nothing.
pub(crate) fn note(database: &Path, problems: &[String]) {
    let path = note_beside(database);
    let Some(first) = problems.first() else {
        // There is seldom one.
        let _ = fs::remove_file(path);
        return;
    };
    // Where nothing can be written, nothing is written to the database either.
    let _ = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .and_then(|mut file| writeln!(file, "{first}"));
}

/// Notes that SQLite met damage.
pub(crate) fn note_error(database: &Path, error: &Error) {
    if error.data()[MET] == true {
        note(database, &[error.message().to_owned()]);
    }
}

/// The field of an error that says that SQLite met damage.
pub(crate) const MET: &str = "damaged";

/// Refuses to write to a database that failed its check.
pub(crate) fn refuse(database: &Path) -> Result<()> {
    let path = note_beside(database);
    if fs::symlink_metadata(&path).is_err() {
        return Ok(());
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    Err(Error::storage(format!(
        "The database failed its check, so nothing is written to it: {}",
        found.trim()
    ))
    .with_hint("Run windlass doctor --repair, which saves what can be read, or put a copy back: windlass restore."))
}
