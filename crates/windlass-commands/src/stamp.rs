//! The state of files, looked up once in each discovery.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::Duration;

use crate::paths;

/// The state of a file. It includes the change time (ctime), because anyone who edits the file can
/// reset the modification time and the size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stamp {
    modified: (i64, i64),
    changed: (i64, i64),
    size: u64,
    inode: u64,
    mode: u32,
}

impl Stamp {
    pub fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        Some(Self {
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
            size: metadata.size(),
            inode: metadata.ino(),
            mode: metadata.mode(),
        })
    }

    /// All parts, to be kept in a file.
    pub fn parts(self) -> [i64; 7] {
        let number = |it: u64| i64::from_ne_bytes(it.to_ne_bytes());
        [
            self.modified.0,
            self.modified.1,
            self.changed.0,
            self.changed.1,
            number(self.size),
            number(self.inode),
            i64::from(self.mode),
        ]
    }

    /// The later of its times, since 1970.
    pub fn latest(self) -> Duration {
        let (seconds, nanoseconds) = self.modified.max(self.changed);
        let seconds = u64::try_from(seconds).unwrap_or_default();
        Duration::new(seconds, u32::try_from(nanoseconds).unwrap_or_default())
    }

    pub fn is_file(self) -> bool {
        self.mode & 0o170_000 == 0o100_000
    }

    pub fn is_folder(self) -> bool {
        self.mode & 0o170_000 == 0o040_000
    }

    pub fn is_executable(self) -> bool {
        self.mode & 0o111 != 0
    }
}

/// The states of files under a root, each looked up at most once.
pub struct Stamps<'a> {
    pub root: &'a Path,
    known: RefCell<HashMap<String, Option<Stamp>>>,
    direct: RefCell<HashMap<String, bool>>,
    links: RefCell<HashMap<String, bool>>,
}

impl<'a> Stamps<'a> {
    pub fn new(root: &'a Path) -> Self {
        Self {
            root,
            known: RefCell::default(),
            direct: RefCell::default(),
            links: RefCell::default(),
        }
    }

    pub fn of(&self, path: &str) -> Option<Stamp> {
        if let Some(stamp) = self.known.borrow().get(path) {
            return *stamp;
        }
        let stamp = Stamp::of(&self.root.join(path));
        self.known.borrow_mut().insert(path.to_owned(), stamp);
        stamp
    }

    /// Whether the path itself is a symlink, even one that leads nowhere.
    pub fn is_link(&self, path: &str) -> bool {
        if let Some(link) = self.links.borrow().get(path) {
            return *link;
        }
        let link = fs::symlink_metadata(self.root.join(path)).is_ok_and(|it| it.is_symlink());
        self.links.borrow_mut().insert(path.to_owned(), link);
        link
    }

    /// Whether no component of the path is a symlink.
    pub fn is_direct(&self, path: &str) -> bool {
        if path.is_empty() {
            return true;
        }
        if let Some(direct) = self.direct.borrow().get(path) {
            return *direct;
        }
        let own = || fs::symlink_metadata(self.root.join(path)).is_ok_and(|it| !it.is_symlink());
        let direct = self.is_direct(paths::folder_of(path)) && own();
        self.direct.borrow_mut().insert(path.to_owned(), direct);
        direct
    }
}
