//! By inotify: every file itself, because a write through another of its names is reported only there,
//! and every folder on the way to it, because each of them can be moved away and back.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::fs;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;

/// Room for many events at once; the name of a file takes up to 255 bytes of it.
const BUFFER: usize = 8192;
/// As many links as the system itself follows.
const MOST_LINKS: usize = 40;

/// Descriptors that watch nothing, to be used again. Closing one that has watched something takes
/// milliseconds: the system waits until no processor can still be reporting to it.
static UNUSED: Mutex<Vec<OwnedFd>> = Mutex::new(Vec::new());

/// As many are kept; a user has few of them.
const MOST_UNUSED: usize = 4;

#[derive(Debug)]
pub struct FileEvents {
    /// Present until it is dropped.
    inotify: Option<OwnedFd>,
    watches: BTreeSet<i32>,
    interests: HashMap<i32, Vec<Interest>>,
}

/// Events of a watch that are about a file.
#[derive(Debug)]
struct Interest {
    /// The entry of the folder; none if the watch is the file itself.
    name: Option<OsString>,
    path: String,
}

impl FileEvents {
    /// Nothing where the system has no watch to give.
    pub fn new(root: &Path, paths: &BTreeSet<String>) -> Option<Self> {
        let unused = unused().pop();
        let inotify = match unused {
            Some(inotify) => inotify,
            None => inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok()?,
        };
        let mut events = Self {
            inotify: Some(inotify),
            watches: BTreeSet::new(),
            interests: HashMap::new(),
        };
        events.watch_again(root, paths).then_some(events)
    }

    /// Watches what is at those paths now. Returns whether everything can be watched.
    pub fn watch_again(&mut self, root: &Path, paths: &BTreeSet<String>) -> bool {
        // Watches of what has left its place stay without anyone who is interested.
        self.interests.clear();
        let mut paths = paths.iter();
        paths.all(|path| self.follow(root, Path::new(path), path, 0).is_ok())
    }

    /// Watches every folder on the way from the root, the file at its end, and where links lead.
    fn follow(&mut self, root: &Path, way: &Path, path: &str, links: usize) -> Result<(), Errno> {
        let folder_flags = WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MODIFY
            | WatchFlags::MOVE
            | WatchFlags::MOVE_SELF
            | WatchFlags::DELETE_SELF
            | WatchFlags::ONLYDIR;
        let mut here = root.to_owned();
        let mut parts = way.components();
        while let Some(part) = parts.next() {
            let Component::Normal(name) = part else {
                continue;
            };
            // What is missing is created in the folder before it, which is watched.
            if !self.watch(&here, folder_flags, Some(name.to_owned()), path)? {
                return Ok(());
            }
            let next = here.join(name);
            if links < MOST_LINKS
                && let Some(target) = link_target(root, &here, &next)
            {
                self.follow(root, &target.join(parts.as_path()), path, links + 1)?;
            }
            here = next;
        }
        let file_flags = WatchFlags::MODIFY | WatchFlags::MOVE_SELF | WatchFlags::DELETE_SELF;
        self.watch(&here, file_flags, None, path)?;
        Ok(())
    }

    /// Returns whether there is anything to watch at that place.
    fn watch(
        &mut self,
        place: &Path,
        flags: WatchFlags,
        name: Option<OsString>,
        path: &str,
    ) -> Result<bool, Errno> {
        let inotify = self.inotify.as_ref().ok_or(Errno::BADF)?;
        match inotify::add_watch(inotify, place, flags) {
            Ok(watch) => {
                self.watches.insert(watch);
                let path = path.to_owned();
                let interests = self.interests.entry(watch).or_default();
                interests.push(Interest { name, path });
                Ok(true)
            }
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::ACCESS) => Ok(false),
            Err(problem) => Err(problem),
        }
    }

    /// The files that the reported events are about.
    pub fn take(&mut self) -> BTreeSet<String> {
        let mut touched = BTreeSet::new();
        let Some(inotify) = &self.inotify else {
            return touched;
        };
        let mut buffer = [MaybeUninit::uninit(); BUFFER];
        let mut reader = Reader::new(inotify, &mut buffer);
        // It ends with the error that nothing more is there.
        while let Ok(event) = reader.next() {
            if event.events().contains(ReadFlags::QUEUE_OVERFLOW) {
                touched.extend(self.interests.values().flatten().map(|it| it.path.clone()));
                continue;
            }
            let name = event.file_name().map(|it| it.to_bytes());
            let about = self.interests.get(&event.wd()).into_iter().flatten();
            for interest in about {
                let wanted = interest.name.as_ref().map(|it| it.as_bytes());
                // An event without a name is about what is watched itself.
                if name.is_none() || wanted == name {
                    touched.insert(interest.path.clone());
                }
            }
        }
        touched
    }

    pub fn source(&self) -> Option<OwnedFd> {
        self.inotify.as_ref()?.try_clone().ok()
    }
}

impl Drop for FileEvents {
    fn drop(&mut self) {
        let Some(inotify) = self.inotify.take() else {
            return;
        };
        for watch in &self.watches {
            // The system has removed the watches of what was deleted by itself.
            let _ = inotify::remove_watch(&inotify, *watch);
        }
        // Numbers of watches are not used again, but a full queue would count for the next owner.
        let mut buffer = [MaybeUninit::uninit(); BUFFER];
        let mut reader = Reader::new(&inotify, &mut buffer);
        while reader.next().is_ok() {}
        let mut unused = unused();
        if unused.len() < MOST_UNUSED {
            unused.push(inotify);
        }
    }
}

fn unused() -> MutexGuard<'static, Vec<OwnedFd>> {
    UNUSED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where a link inside the root leads to, relative to the root. What lies outside is not followed: it
/// cannot be pinned.
fn link_target(root: &Path, folder: &Path, link: &Path) -> Option<PathBuf> {
    let target = folder.join(fs::read_link(link).ok()?);
    let parent = fs::canonicalize(target.parent()?).ok()?;
    let parent = parent.strip_prefix(fs::canonicalize(root).ok()?).ok()?;
    Some(parent.join(target.file_name()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_descriptor_that_is_used_again_reports_nothing_of_before() {
        let folder = tempfile::tempdir().unwrap();
        let paths = BTreeSet::from(["a".to_owned()]);
        let file = folder.path().join("a");
        fs::write(&file, "1").unwrap();
        let first = FileEvents::new(folder.path(), &paths).unwrap();
        let number = std::os::fd::AsRawFd::as_raw_fd(first.inotify.as_ref().unwrap());
        fs::write(&file, "2").unwrap();
        drop(first);
        fs::write(&file, "3").unwrap();
        assert!(unused().len() <= MOST_UNUSED);
        for _ in 0..MOST_UNUSED {
            let mut next = FileEvents::new(folder.path(), &paths).unwrap();
            let is_first =
                std::os::fd::AsRawFd::as_raw_fd(next.inotify.as_ref().unwrap()) == number;
            assert_eq!(next.take(), BTreeSet::new());
            fs::write(&file, "4").unwrap();
            assert_eq!(next.take(), paths);
            if is_first {
                return;
            }
        }
        panic!("the descriptor was closed");
    }
}
