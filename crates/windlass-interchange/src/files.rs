//! Reads the files of a source. Each is plain, of bounded size, and never waited for.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// A file of records may be this large.
pub const LARGEST: u64 = 512 << 20;
/// A page of Markdown or a source file.
pub const LARGEST_PAGE: u64 = 4 << 20;
/// How many records one import takes.
pub const MOST_ITEMS: usize = 200_000;
/// How many files of a folder are read.
pub const MOST_FILES: usize = 50_000;

/// `O_NONBLOCK` on Linux and on the BSDs: a pipe is opened without waiting for its writer.
const NONBLOCK: i32 = if cfg!(target_os = "linux") { 0o4000 } else { 4 };

/// Opens a plain file.
pub fn open(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(NONBLOCK)
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    Ok(file)
}

/// The bytes of a plain file of at most `most` bytes.
pub fn bytes(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("it is larger than {most} bytes")));
    }
    Ok(bytes)
}

/// The Markdown files directly in a folder, by name. Links are left out: they may lead anywhere.
pub fn pages(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut pages = Vec::new();
    for entry in std::fs::read_dir(folder)?.take(MOST_FILES) {
        let entry = entry?;
        let path = entry.path();
        let is_page = path
            .extension()
            .is_some_and(|it| it.eq_ignore_ascii_case("md"));
        if is_page && entry.file_type()?.is_file() {
            pages.push(path);
        }
    }
    pages.sort();
    Ok(pages)
}

/// The name of a file as problems show it: below the folder that was given, if it is.
pub fn shown(path: &Path, base: &Path) -> String {
    let below = path.strip_prefix(base).ok();
    let below = below.filter(|it| !it.as_os_str().is_empty());
    let path = below.unwrap_or(path);
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_files_of_a_bounded_size_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("a.md"), "12345").expect("written");
        assert_eq!(bytes(&path("a.md"), 5).expect("read"), b"12345");
        assert!(bytes(&path("a.md"), 4).is_err());
        let made = std::process::Command::new("mkfifo")
            .arg(path("pipe.md"))
            .status();
        assert!(made.expect("run").success());
        assert!(bytes(&path("pipe.md"), 5).is_err());
        std::os::unix::fs::symlink("/etc/passwd", path("link.md")).expect("linked");
        assert_eq!(pages(folder.path()).expect("listed"), [path("a.md")]);
    }
}
