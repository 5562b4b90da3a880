//! Writes to the database's files, as inotify reports them.
//!
//! The files are watched one by one, not by their folder: other files in it are written often. The
//! folder only says when a file is made, renamed or removed, so that the new one is watched.

use std::ffi::{CString, OsString};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};

/// Room for many events at once; the name of a file takes up to 255 bytes of it.
const BUFFER: usize = 4096;

pub(crate) struct FileEvents {
    inotify: OwnedFd,
    folder: i32,
    /// The database and its write-ahead log.
    files: [WatchedFile; 2],
    end: Arc<OwnedFd>,
}

struct WatchedFile {
    path: PathBuf,
    name: CString,
}

impl WatchedFile {
    fn new(path: PathBuf) -> Option<Self> {
        let name = path.file_name()?.to_owned().into_vec();
        Some(Self {
            path,
            name: CString::new(name).ok()?,
        })
    }
}

/// Ends a wait from another thread.
pub(crate) struct WaitEnd(Arc<OwnedFd>);

impl WaitEnd {
    pub(crate) fn end_wait(&self) {
        // It can only fail where it was called very often, and then the wait has ended already.
        let _ = rustix::io::write(&*self.0, &1_u64.to_ne_bytes());
    }
}

impl FileEvents {
    /// Nothing where the system has no watch to give, or the file system supports none.
    pub(crate) fn of(database: &Path) -> Option<(Self, WaitEnd)> {
        // SQLite keeps the log beside the file that a link leads to.
        let database = database
            .canonicalize()
            .unwrap_or_else(|_| database.to_owned());
        let mut log = OsString::from(&database);
        log.push("-wal");
        let inotify = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok()?;
        let folder = inotify::add_watch(
            &inotify,
            database.parent()?,
            WatchFlags::CREATE | WatchFlags::MOVE | WatchFlags::DELETE | WatchFlags::ONLYDIR,
        )
        .ok()?;
        let end = Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).ok()?);
        let events = Self {
            inotify,
            folder,
            files: [
                WatchedFile::new(database)?,
                WatchedFile::new(PathBuf::from(log))?,
            ],
            end: Arc::clone(&end),
        };
        events.watch_files();
        Some((events, WaitEnd(end)))
    }

    /// A file that is watched already stays so; one that is not there is watched when it is made.
    fn watch_files(&self) {
        for file in &self.files {
            let _ = inotify::add_watch(&self.inotify, &file.path, WatchFlags::MODIFY);
        }
    }

    /// Waits until there is something to take, or the wait is ended.
    pub(crate) fn wait(&self, timeout: Duration) -> bool {
        let mut waiting = [
            PollFd::new(&self.inotify, PollFlags::IN),
            PollFd::new(&*self.end, PollFlags::IN),
        ];
        let timeout = Timespec::try_from(timeout).ok();
        poll(&mut waiting, timeout.as_ref()).is_ok_and(|ready| ready > 0)
    }

    /// Takes the reported events. Whether the database or its log may have been written.
    pub(crate) fn take_writes(&mut self) -> bool {
        let mut written = false;
        let mut files_changed = false;
        let mut buffer = [MaybeUninit::uninit(); BUFFER];
        let mut reader = Reader::new(&self.inotify, &mut buffer);
        // It ends with the error that nothing more is there.
        while let Ok(event) = reader.next() {
            if event.events().contains(ReadFlags::QUEUE_OVERFLOW) {
                files_changed = true;
            } else if event.wd() == self.folder {
                files_changed |= self
                    .files
                    .iter()
                    .any(|file| event.file_name() == Some(&file.name));
            } else {
                written = true;
            }
        }
        if files_changed {
            self.watch_files();
        }
        // What was written into a new file before it was watched is not reported.
        written || files_changed
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;

    use super::*;

    const SOON: Duration = Duration::from_secs(10);
    const AT_ONCE: Duration = Duration::from_millis(50);

    fn events_in(folder: &Path) -> (FileEvents, WaitEnd, PathBuf) {
        let database = folder.join("some.db");
        fs::write(&database, "database").expect("written");
        let (events, end) = FileEvents::of(&database).expect("inotify");
        (events, end, folder.join("some.db-wal"))
    }

    fn append(path: &Path) {
        let mut file = fs::OpenOptions::new()
            .append(true)
            .open(path)
            .expect("opened");
        file.write_all(b"more").expect("written");
    }

    #[test]
    fn a_log_is_followed_through_removal_and_renaming() {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut events, _end, log) = events_in(folder.path());
        let mut reported = |what: &str| {
            assert!(events.wait(SOON), "{what}");
            assert!(events.take_writes(), "{what}");
        };
        for _ in 0..2 {
            fs::write(&log, "").expect("made");
            reported("made");
            append(&log);
            reported("written");
            fs::remove_file(&log).expect("removed");
            reported("removed");
        }
        let other = folder.path().join("other");
        fs::write(&other, "").expect("made");
        fs::rename(&other, &log).expect("renamed");
        reported("renamed");
        append(&log);
        reported("written");
        append(&folder.path().join("some.db"));
        reported("the database itself");
    }

    #[test]
    fn other_files_count_for_nothing_and_a_wait_can_be_ended() {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut events, end, _) = events_in(folder.path());
        assert!(!events.wait(AT_ONCE));
        let other = folder.path().join("other");
        fs::write(&other, "").expect("made");
        assert!(events.wait(SOON));
        assert!(!events.take_writes());
        append(&other);
        assert!(!events.wait(AT_ONCE), "its writes are not reported at all");
        end.end_wait();
        assert!(events.wait(SOON));
    }

    #[test]
    fn a_folder_that_is_not_there_cannot_be_watched() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(FileEvents::of(&folder.path().join("none/some.db")).is_none());
    }
}
