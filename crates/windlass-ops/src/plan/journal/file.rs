//! The file of a journal in this checkout: read with care, and written from the state.
//!
//! The file is not tracked by git. A person may write into it at any time, also while it is being
//! written here, so it is replaced only if nobody has changed it since it was read.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use rustix::fs::{FlockOperation, OFlags, flock};

/// A longer file is not taken in and not replaced: its end is what counts for readers.
pub const LONGEST: u64 = 16 << 20;

/// How often a file is read again that somebody changes at the same time.
const ATTEMPTS: usize = 20;

/// What a file is made of, and what tells that it was not changed since.
pub struct FileText {
    pub text: String,
    /// Whether it is all of the file, and text: only then it may be replaced.
    pub is_whole: bool,
    stamp: Option<(u64, u64, i64, i64)>,
}

/// The text of the file, or its last megabytes. Nothing if there is no file.
pub fn read(path: &Path) -> io::Result<FileText> {
    let mut file = match open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(FileText {
                text: String::new(),
                is_whole: true,
                stamp: None,
            });
        }
        Err(error) => return Err(error),
    };
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let skipped = metadata.len().saturating_sub(LONGEST);
    file.seek(SeekFrom::Start(skipped))?;
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes)?;
    let text = String::from_utf8(bytes);
    let is_whole = skipped == 0 && text.as_ref().is_ok_and(|text| !text.contains('\0'));
    Ok(FileText {
        text: text.unwrap_or_else(|bytes| String::from_utf8_lossy(bytes.as_bytes()).into_owned()),
        is_whole,
        stamp: Some(stamp(&metadata)),
    })
}

/// Reads the file, lets `take_in` make the new text of it, and replaces it. One process at a time
/// does so; `take_in` is called again if a person has changed the file meanwhile.
pub fn replace(
    path: &Path,
    mut take_in: impl FnMut(&FileText) -> windlass_core::Result<String>,
    failed: impl Fn(&io::Error) -> windlass_core::Error,
) -> windlass_core::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let lock = File::open(folder).map_err(|error| failed(&error))?;
    // Some network file systems lock no folders; a file that was changed is noticed all the same.
    let _ = flock(&lock, FlockOperation::LockExclusive);
    for _ in 0..ATTEMPTS {
        let before = read(path).map_err(|error| failed(&error))?;
        let text = take_in(&before)?;
        if !before.is_whole || text == before.text {
            return Ok(());
        }
        if write(path, &text, &before).map_err(|error| failed(&error))? {
            return Ok(());
        }
    }
    Err(failed(&io::Error::other(
        "somebody changes it all the time",
    )))
}

/// Returns whether the file was still the same.
fn write(path: &Path, text: &str, before: &FileText) -> io::Result<bool> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut new = tempfile::Builder::new()
        .prefix(".new-")
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))
        .tempfile_in(folder)?;
    new.write_all(text.as_bytes())?;
    new.as_file().sync_data()?;
    let now = match std::fs::symlink_metadata(path) {
        Ok(metadata) => Some(stamp(&metadata)),
        Err(_) => None,
    };
    if now != before.stamp {
        return Ok(false);
    }
    new.persist(path).map_err(|failed| failed.error)?;
    Ok(true)
}

fn stamp(metadata: &std::fs::Metadata) -> (u64, u64, i64, i64) {
    (
        metadata.ino(),
        metadata.len(),
        metadata.mtime(),
        metadata.mtime_nsec(),
    )
}

/// A link is not followed: it could lead out of the project.
fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

#[cfg(test)]
mod tests {
    use windlass_core::Error;

    use super::*;

    fn add(path: &Path, line: &str) -> windlass_core::Result<()> {
        let added = |before: &FileText| Ok(format!("{}{line}\n", before.text));
        replace(path, added, |error| Error::storage(error.to_string()))
    }

    #[test]
    fn many_writers_lose_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("learnings.txt");
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let path = &path;
                scope.spawn(move || {
                    for line in 0..25 {
                        let text = format!("{writer}/{line} {}", "x".repeat(500));
                        add(path, &text).expect("added");
                    }
                });
            }
        });
        let text = std::fs::read_to_string(&path).expect("read");
        assert_eq!(text.lines().count(), 200);
        assert!(text.lines().all(|line| line.ends_with(&"x".repeat(500))));
    }

    #[test]
    fn what_a_person_writes_meanwhile_is_not_overwritten() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("progress.txt");
        std::fs::write(&path, "old\n").expect("written");
        let mut calls = 0;
        let added = |before: &FileText| {
            calls += 1;
            if calls == 1 {
                std::fs::write(&path, "old\nby hand\n").expect("written");
            }
            Ok(format!("{}new\n", before.text))
        };
        replace(&path, added, |error| Error::storage(error.to_string())).expect("replaced");
        let text = std::fs::read_to_string(&path).expect("read");
        assert_eq!((calls, text.as_str()), (2, "old\nby hand\nnew\n"));
    }

    #[test]
    fn a_link_is_not_followed_and_what_is_not_text_is_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let elsewhere = folder.path().join("elsewhere");
        std::fs::write(&elsewhere, "").expect("written");
        let path = folder.path().join("progress.txt");
        std::os::unix::fs::symlink(&elsewhere, &path).expect("linked");
        assert!(add(&path, "line").is_err());
        assert_eq!(std::fs::read_to_string(elsewhere).expect("read"), "");
        std::fs::remove_file(&path).expect("removed");
        for bytes in [&b"bin\0ary"[..], &b"\xff\xfe"[..]] {
            std::fs::write(&path, bytes).expect("written");
            add(&path, "line").expect("left alone");
            assert_eq!(std::fs::read(&path).expect("read"), bytes);
        }
    }
}
