//! By inotify: every file itself, because a write through another of its names is reported only there,
//! and every folder on the way to it, because each of them can be moved away and back.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::fs;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;

/// Room for many events at once; the name of a file takes up to 255 bytes of it.
const BUFFER: usize = 8192;
/// As many links as the system itself follows.
const MOST_LINKS: usize = 40;

#[derive(Debug)]
pub struct FileEvents {
    inotify: OwnedFd,
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
        let inotify = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok()?;
        let mut events = Self {
            inotify,
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
        match inotify::add_watch(&self.inotify, place, flags) {
            Ok(watch) => {
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
        let mut buffer = [MaybeUninit::uninit(); BUFFER];
        let mut reader = Reader::new(&self.inotify, &mut buffer);
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
        self.inotify.try_clone().ok()
    }
}

/// Where a link inside the root leads to, relative to the root. What lies outside is not followed: it
/// cannot be pinned.
fn link_target(root: &Path, folder: &Path, link: &Path) -> Option<PathBuf> {
    let target = folder.join(fs::read_link(link).ok()?);
    let parent = fs::canonicalize(target.parent()?).ok()?;
    let parent = parent.strip_prefix(fs::canonicalize(root).ok()?).ok()?;
    Some(parent.join(target.file_name()?))
}
