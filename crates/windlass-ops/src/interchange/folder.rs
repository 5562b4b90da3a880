//! A folder whose files are replaced and removed without following a link, whatever others do to it
//! meanwhile: everything below it is opened by its name from the folder itself.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{self as sys, AtFlags, Mode, OFlags};

/// Larger files are not ours.
const LARGEST: u64 = 4 << 20;
const UNFINISHED: &str = ".windlass-unfinished-";

pub struct Folder {
    fd: OwnedFd,
}

impl Folder {
    /// A folder by its path. Links on the way to it are followed: the caller chose it.
    pub fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self {
            fd: sys::open(path, flags, Mode::empty())?,
        })
    }

    /// A folder in this one; none if it is missing and not to be created.
    pub fn below(&self, name: &str, create: bool) -> io::Result<Option<Self>> {
        if create {
            match sys::mkdirat(&self.fd, name, Mode::from_raw_mode(0o755)) {
                Ok(()) | Err(rustix::io::Errno::EXIST) => {}
                Err(problem) => return Err(problem.into()),
            }
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match sys::openat(&self.fd, name, flags, Mode::empty()) {
            Ok(fd) => Ok(Some(Self { fd })),
            Err(rustix::io::Errno::NOENT) => Ok(None),
            Err(problem) => Err(named(name, problem.into())),
        }
    }

    /// The names in the folder, in order.
    pub fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in sys::Dir::read_from(&self.fd)? {
            if let Ok(name) = entry?.file_name().to_str()
                && ![".", ".."].contains(&name)
            {
                names.push(name.to_owned());
            }
        }
        names.sort();
        Ok(names)
    }

    /// The text of a plain file; none if there is no such file.
    pub fn read(&self, name: &str) -> io::Result<Option<String>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let fd = match sys::openat(&self.fd, name, flags, Mode::empty()) {
            Ok(fd) => fd,
            Err(rustix::io::Errno::NOENT) => return Ok(None),
            Err(problem) => return Err(named(name, problem.into())),
        };
        let file = File::from(fd);
        if !file.metadata()?.is_file() {
            return Err(named(name, io::Error::other("it is not a file")));
        }
        let mut bytes = Vec::new();
        file.take(LARGEST).read_to_end(&mut bytes)?;
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Begins a file that takes its name only when it is complete.
    pub fn begin(&self, name: &str) -> io::Result<Unfinished<'_>> {
        let unfinished = format!("{UNFINISHED}{}-{name}", std::process::id());
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = sys::openat(&self.fd, &*unfinished, flags, Mode::from_raw_mode(0o644))?;
        Ok(Unfinished {
            folder: self,
            file: File::from(fd),
            temporary_name: unfinished,
            name: name.to_owned(),
        })
    }

    /// Replaces a file. It can be made again at any time, so it is not forced to the disk.
    pub fn replace(&self, name: &str, text: &str) -> io::Result<()> {
        let mut file = self.begin(name)?;
        file.file.write_all(text.as_bytes())?;
        file.take_name()
    }

    pub fn remove(&self, name: &str) -> io::Result<()> {
        match sys::unlinkat(&self.fd, name, AtFlags::empty()) {
            Ok(()) | Err(rustix::io::Errno::NOENT) => Ok(()),
            Err(problem) => Err(named(name, problem.into())),
        }
    }

    /// Removes an empty folder; one with files stays.
    pub fn remove_empty(&self, name: &str) {
        let _ = sys::unlinkat(&self.fd, name, AtFlags::REMOVEDIR);
    }

    /// Whether a name is that of a file which a process left unfinished.
    pub fn is_unfinished(name: &str) -> bool {
        name.starts_with(UNFINISHED)
    }
}

/// A file that is being written beside the one that it replaces.
pub struct Unfinished<'a> {
    folder: &'a Folder,
    pub file: File,
    temporary_name: String,
    name: String,
}

impl Unfinished<'_> {
    /// Gives the file its name.
    pub fn take_name(self) -> io::Result<()> {
        sys::renameat(
            &self.folder.fd,
            &*self.temporary_name,
            &self.folder.fd,
            &*self.name,
        )?;
        Ok(())
    }

    /// The same after it is safe on the disk.
    pub fn take_name_durably(self) -> io::Result<()> {
        self.file.sync_all()?;
        self.take_name()
    }
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        // After it took its name there is nothing to remove.
        let _ = sys::unlinkat(&self.folder.fd, &*self.temporary_name, AtFlags::empty());
    }
}

fn named(name: &str, problem: io::Error) -> io::Error {
    let is_link = problem.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error());
    if is_link {
        return io::Error::other(format!(
            "{name} is a link; replace it by a file or a folder"
        ));
    }
    io::Error::new(problem.kind(), format!("{name}: {problem}"))
}
