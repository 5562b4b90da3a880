//! Reads the project's own files, which anyone who can write into the project can replace: by a pipe
//! that never ends, by a device, by something huge. None of these is waited for.

use std::fs::OpenOptions;
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;

/// Settings, gates, recipes and playbooks are short.
const LARGEST: u64 = 1 << 20;

/// The bytes of a plain file of at most one megabyte.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        let message = format!("it is larger than {LARGEST} bytes");
        return Err(io::Error::other(message));
    }
    Ok(bytes)
}

/// The text of such a file.
pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|_| io::Error::other("it is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_and_short_files_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("text"), "a = 1").expect("written");
        assert_eq!(read_text(&path("text")).expect("read"), "a = 1");
        std::fs::create_dir(path("folder")).expect("created");
        let made = std::process::Command::new("mkfifo")
            .arg(path("pipe"))
            .status();
        assert!(made.expect("run").success());
        let huge = std::fs::File::create(path("huge")).expect("created");
        huge.set_len(1 << 40).expect("sparse");
        std::os::unix::fs::symlink("/dev/zero", path("device")).expect("linked");
        for name in ["folder", "pipe", "huge", "device", "none"] {
            assert!(read_text(&path(name)).is_err(), "{name}");
        }
    }
}
