//! Who may read the state: its user, and nobody else.

use std::fs;
use std::io;
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::path::{Path, PathBuf};

const FOLDER: u32 = 0o700;
const FILE: u32 = 0o600;
/// The bits of everybody else.
const OTHERS: u32 = 0o077;

/// Creates a folder that only this user can enter.
pub(crate) fn create_folder(path: &Path) -> io::Result<()> {
    match fs::DirBuilder::new().mode(FOLDER).create(path) {
        // Another process was faster.
        Err(problem) if problem.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        result => result,
    }
}

/// Creates the empty file of a database. SQLite gives the files beside it the same mode.
pub(crate) fn create_database(path: &Path) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    match options.write(true).create_new(true).mode(FILE).open(path) {
        Err(problem) if problem.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        result => result.map(drop),
    }
}

/// Takes the state away from everybody else, where it is this user's. Earlier versions left it
/// readable. A file system that cannot be changed leaves it as it is.
pub(crate) fn tighten(state: &Path) {
    close(state, FOLDER);
    let Ok(entries) = fs::read_dir(state) else {
        return;
    };
    for entry in entries.flatten() {
        let folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        close(&entry.path(), if folder { FOLDER } else { FILE });
    }
}

/// What [`tighten`] would change.
pub(crate) fn open_to_others(state: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(state).into_iter().flatten().flatten();
    let all = std::iter::once(state.to_owned()).chain(entries.map(|entry| entry.path()));
    all.filter(|path| is_open(path)).collect()
}

fn is_open(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| {
        let is_open = metadata.permissions().mode() & OTHERS != 0;
        let is_own = metadata.uid() == rustix::process::geteuid().as_raw();
        is_open && is_own && (metadata.is_dir() || metadata.is_file())
    })
}

fn close(path: &Path, mode: u32) {
    if is_open(path) {
        let _ = fs::set_permissions(path, fs::Permissions::from_mode(mode));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Project, Store};

    fn mode(path: &Path) -> u32 {
        let metadata = fs::symlink_metadata(path).expect("there");
        metadata.permissions().mode() & 0o777
    }

    #[test]
    fn what_was_open_to_others_is_closed() {
        let folder = tempfile::tempdir().expect("a folder");
        let (project, _) = Project::init(folder.path()).expect("a project");
        let store = Store::open(&project).expect("opened");
        assert_eq!(
            (mode(project.state()), mode(&project.database())),
            (0o700, 0o600)
        );
        drop(store);
        let sessions = project.state().join("sessions");
        fs::create_dir(&sessions).expect("created");
        for (path, open) in [
            (project.state(), 0o755),
            (&project.database(), 0o644),
            (&sessions, 0o775),
        ] {
            fs::set_permissions(path, fs::Permissions::from_mode(open)).expect("changed");
        }
        assert_eq!(open_to_others(project.state()).len(), 3);
        let store = Store::open(&project).expect("opened");
        assert!(open_to_others(project.state()).is_empty());
        let wal = project.state().join("windlass.db-wal");
        assert_eq!(
            (mode(project.state()), mode(&project.database())),
            (0o700, 0o600)
        );
        assert_eq!((mode(&sessions), mode(&wal)), (0o700, 0o600));
        drop(store);
    }
}
