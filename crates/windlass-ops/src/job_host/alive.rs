//! The proof that a process lives, for those who cannot see it: a process in another container has
//! another number there, or the number of something else.
//!
//! Such a process is known by a file in the project's state that it holds locked. The lock ends with
//! the process, however it ends, and is seen from every container that has the folder.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, OnceLock, PoisonError};

use rustix::fs::{FlockOperation, flock};

use crate::os;

/// The folder of the locked files, in the project's state.
const FOLDER: &str = "alive";

/// The state folders that this process works with: the same folder may have another path elsewhere.
static STATES: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Names the state folder of a project that this process works with.
pub fn work_in(state: &Path) {
    STATES
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(state.to_owned());
}

fn folders() -> Vec<PathBuf> {
    let states = STATES.lock().unwrap_or_else(PoisonError::into_inner);
    states.iter().map(|state| state.join(FOLDER)).collect()
}

/// The boot of the system: after another one no process is the same.
pub fn boot() -> Option<&'static str> {
    static BOOT: LazyLock<Option<String>> = LazyLock::new(os::boot);
    BOOT.as_deref()
}

/// The space in which the numbers of processes mean something: a container has one of its own.
pub fn namespace() -> Option<u64> {
    static NAMESPACE: LazyLock<Option<u64>> = LazyLock::new(windlass_process::namespace);
    *NAMESPACE
}

/// The name of the file that this process holds locked from now on; none where it cannot have one.
pub fn own_proof() -> Option<String> {
    static PROOF: OnceLock<Option<(String, File)>> = OnceLock::new();
    let proof = PROOF.get_or_init(|| {
        let folder = folders().into_iter().next()?;
        fs::create_dir_all(&folder).ok()?;
        remove_old(&folder);
        let begun = windlass_process::process_stat(std::process::id()).map_or(0, |it| it.started);
        let (space, pid) = (namespace().unwrap_or(0), std::process::id());
        let name = format!("{space}-{pid}-{begun}.lock");
        let file = File::create(folder.join(&name)).ok()?;
        flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
        Some((name, file))
    });
    proof.as_ref().map(|(name, _)| name.clone())
}

/// Whether some process holds the file locked. `None` if there is no such file here: nothing is
/// known then.
pub fn is_held(name: &str) -> Option<bool> {
    // A name, never a path: it comes from a record.
    let name = Path::new(name).file_name()?;
    folders()
        .into_iter()
        .find_map(|folder| File::open(folder.join(name)).ok())
        .map(|file| flock(&file, FlockOperation::NonBlockingLockShared).is_err())
}

/// Removes the files of processes that have ended.
fn remove_old(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_free = File::open(&path)
            .is_ok_and(|file| flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok());
        if is_free {
            let _ = fs::remove_file(path);
        }
    }
}
