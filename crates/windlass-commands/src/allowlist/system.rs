//! The list of the machine, which root writes and everyone reads. Agents of a user cannot change it.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

const NEW: &str = "\
# What agents may run on this machine. `windlass allow --system` adds entries.
# With `exclusive = true` only this list counts, and the lists of users are ignored: then agents cannot
# allow themselves anything, even if they can write every file of their user.
exclusive = false
";

/// Makes an empty list that everyone can read, if there is none.
pub fn prepare(file: &Path) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("/"));
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o755)
        .create(folder)?;
    let made = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o644)
        .open(file);
    match made {
        Ok(mut file) => file.write_all(NEW.as_bytes()),
        Err(problem) if problem.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(problem) => Err(problem),
    }
}
