//! The folder itself: what is in it, reading, adding and removing one file.
//!
//! The folder is opened once for each task and its files through that handle, so that no link leads
//! out of the project, also none that is put there meanwhile.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;
use windlass_store::{PackName, Project};

use super::names::{self, FileName};
use super::refused::Stamp;

/// The folder in `.windlass`.
pub const PACKS: &str = "packs";

/// A larger file is not read: a pack of ten thousand entities has a few megabytes.
pub const LARGEST: u64 = 256 << 20;

/// A file that a killed process left half-written is removed after this time.
const ABANDONED_AFTER: Duration = Duration::from_mins(10);

/// Half-written files begin so. Git ignores them by `.windlass/.gitignore`.
const UNFINISHED: &str = ".new-";

/// The folder of one checkout. Nothing is kept open.
#[derive(Debug, Clone)]
pub struct PacksFolder {
    windlass: PathBuf,
}

/// What is in the folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// Files with the name of a pack, sorted by name.
    pub packs: Vec<PackName>,
    /// Everything else, sorted by name.
    pub odd: Vec<Odd>,
}

/// A file that is skipped, and why.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Odd {
    pub file: String,
    pub reason: String,
}

impl PacksFolder {
    /// The folder of the checkout that the project was found in.
    pub fn of(project: &Project) -> Self {
        Self {
            windlass: project.folder(),
        }
    }

    pub fn path(&self) -> PathBuf {
        self.windlass.join(PACKS)
    }

    /// What is in the folder. One that does not exist is empty.
    pub fn list(&self) -> io::Result<Listing> {
        let Some(folder) = self.open()? else {
            return Ok(Listing::default());
        };
        let mut listing = Listing::default();
        for entry in Dir::read_from(&folder)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." || name.starts_with(UNFINISHED.as_bytes()) {
                continue;
            }
            let shown = String::from_utf8_lossy(name).into_owned();
            match names::read(name) {
                FileName::Pack(pack) => match odd_kind(&folder, &entry) {
                    None => listing.packs.push(pack),
                    Some(reason) => listing.odd.push(Odd {
                        file: shown,
                        reason,
                    }),
                },
                // Git's own files, and files that tell people what this folder is.
                FileName::Harmless => {}
                FileName::Other => listing.odd.push(Odd {
                    file: shown,
                    reason: "it does not have the name of a pack".to_owned(),
                }),
            }
        }
        listing.packs.sort();
        listing.odd.sort();
        Ok(listing)
    }

    /// When the folder last changed, for whoever looks again and again. None if there is none.
    pub fn changed_at(&self) -> Option<SystemTime> {
        let metadata = std::fs::symlink_metadata(self.path()).ok()?;
        metadata.is_dir().then(|| metadata.modified().ok())?
    }

    /// The bytes of a pack, or why they cannot be read.
    pub fn read(&self, name: &PackName) -> io::Result<Vec<u8>> {
        let folder = self.open()?.ok_or(io::ErrorKind::NotFound)?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&folder, names::file_name(name), flags, Mode::empty())
            .map_err(explained)?;
        let file = File::from(file);
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::other("it is not a file"));
        }
        if metadata.len() > LARGEST {
            return Err(io::Error::other(too_large()));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
        file.take(LARGEST + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LARGEST {
            return Err(io::Error::other(too_large()));
        }
        Ok(bytes)
    }

    /// The length of a pack's file, if it is there as a plain file.
    pub fn length(&self, name: &PackName) -> Option<u64> {
        self.stamp(name).map(|(length, _, _)| length)
    }

    /// The length of a pack's file, and when it was changed.
    pub(super) fn stamp(&self, name: &PackName) -> Stamp {
        let folder = self.open().ok()??;
        let flags = AtFlags::SYMLINK_NOFOLLOW;
        let found = rustix::fs::statat(&folder, names::file_name(name), flags).ok()?;
        let is_file = FileType::from_raw_mode(found.st_mode) == FileType::RegularFile;
        let length = u64::try_from(found.st_size).unwrap_or(0);
        // Systems disagree about its sign.
        let nanoseconds = i64::try_from(found.st_mtime_nsec).unwrap_or(0);
        is_file.then_some((length, found.st_mtime, nanoseconds))
    }

    /// Writes a pack durably, as a whole or not at all: a reader, and git, never see half of it.
    pub fn add(&self, name: &PackName, bytes: &[u8]) -> io::Result<()> {
        let folder = self.open_or_make()?;
        let unfinished = unfinished_name();
        let written = write_new(&folder, &unfinished, bytes)
            .and_then(|()| rename(&folder, &unfinished, &names::file_name(name)));
        if written.is_err() {
            // A full disk must not leave its half.
            let _ = rustix::fs::unlinkat(&folder, &unfinished, AtFlags::empty());
        }
        written?;
        Ok(rustix::fs::fsync(&folder)?)
    }

    /// Removes the file of a pack. Returns whether it was there.
    pub fn remove(&self, name: &PackName) -> io::Result<bool> {
        let Some(folder) = self.open()? else {
            return Ok(false);
        };
        match rustix::fs::unlinkat(&folder, names::file_name(name), AtFlags::empty()) {
            Ok(()) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(problem) => Err(problem.into()),
        }
    }

    /// Removes what killed processes left half-written.
    pub fn remove_abandoned(&self) -> io::Result<()> {
        let Some(folder) = self.open()? else {
            return Ok(());
        };
        for entry in Dir::read_from(&folder)? {
            let entry = entry?;
            let name = entry.file_name();
            if !name.to_bytes().starts_with(UNFINISHED.as_bytes()) {
                continue;
            }
            let found = rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
            let seconds = u64::try_from(found.st_mtime).unwrap_or(0);
            let written = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
            if written.elapsed().is_ok_and(|age| age > ABANDONED_AFTER) {
                let _ = rustix::fs::unlinkat(&folder, name, AtFlags::empty());
            }
        }
        Ok(())
    }

    /// None if there is no folder. A link in its place is refused: it could lead anywhere.
    fn open(&self) -> io::Result<Option<OwnedFd>> {
        let windlass = match open_folder(&self.windlass) {
            Err(Errno::NOENT) => return Ok(None),
            other => other.map_err(explained)?,
        };
        match rustix::fs::openat(&windlass, PACKS, FOLDER, Mode::empty()) {
            Ok(folder) => Ok(Some(folder)),
            Err(Errno::NOENT) => Ok(None),
            Err(problem) => Err(explained(problem)),
        }
    }

    fn open_or_make(&self) -> io::Result<OwnedFd> {
        if let Some(folder) = self.open()? {
            return Ok(folder);
        }
        let windlass = open_folder(&self.windlass).map_err(explained)?;
        match rustix::fs::mkdirat(&windlass, PACKS, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(problem) => return Err(problem.into()),
        }
        self.open()?.ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

fn open_folder(path: &Path) -> Result<OwnedFd, Errno> {
    rustix::fs::open(path, FOLDER, Mode::empty())
}

fn write_new(folder: &OwnedFd, name: &str, bytes: &[u8]) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = rustix::fs::openat(folder, name, flags, Mode::from_raw_mode(0o666))?;
    let mut file = File::from(file);
    file.write_all(bytes)?;
    file.sync_all()
}

fn rename(folder: &OwnedFd, from: &str, to: &str) -> io::Result<()> {
    rustix::fs::renameat(folder, from, folder, to).map_err(|problem| match problem {
        Errno::ISDIR => io::Error::other(format!("{to} is a folder")),
        other => other.into(),
    })
}

/// A name that no other process and no other thread uses at the same time.
fn unfinished_name() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{UNFINISHED}{}-{count}", uuid::Uuid::new_v4().simple())
}

/// Why a file with the name of a pack is not one.
fn odd_kind(folder: &OwnedFd, entry: &rustix::fs::DirEntry) -> Option<String> {
    let kind = match entry.file_type() {
        // Some file systems do not say it in the list.
        FileType::Unknown => {
            let found = rustix::fs::statat(folder, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW);
            found.map_or(FileType::Unknown, |it| FileType::from_raw_mode(it.st_mode))
        }
        known => known,
    };
    match kind {
        FileType::RegularFile => None,
        FileType::Symlink => Some("it is a link, which is not followed".to_owned()),
        FileType::Directory => Some("it is a folder".to_owned()),
        _ => Some("it is not a plain file".to_owned()),
    }
}

fn explained(problem: Errno) -> io::Error {
    match problem {
        Errno::LOOP => io::Error::other("it is a link, which is not followed"),
        Errno::NOTDIR => io::Error::other("it is not a folder"),
        other => other.into(),
    }
}

fn too_large() -> String {
    format!("it is larger than {} MB", LARGEST >> 20)
}
