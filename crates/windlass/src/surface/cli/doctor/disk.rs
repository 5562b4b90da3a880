//! Disk space: how much is free, and how much the database's log takes.

use std::path::Path;

use super::check::Check;

const MEBIBYTE: u64 = 1 << 20;
/// Writes fail soon.
const TOO_LITTLE: u64 = 16 * MEBIBYTE;
const LITTLE: u64 = 256 * MEBIBYTE;
/// SQLite brings the log into the database long before.
const LONG_LOG: u64 = 64 * MEBIBYTE;

pub fn space(folder: &Path) -> Option<Check> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    Some(judge_space(disk.f_bavail.saturating_mul(disk.f_frsize)))
}

fn judge_space(free: u64) -> Check {
    let message = format!("{} MiB are free for the state", free / MEBIBYTE);
    let fix = "Free some space on the disk of the project.";
    if free < TOO_LITTLE {
        Check::error("disk", message, fix)
    } else if free < LITTLE {
        Check::warning("disk", message, fix)
    } else {
        Check::ok("disk", message)
    }
}

/// The log of changes that are not in the database file yet.
pub fn log(database: &Path) -> Option<Check> {
    let mut log = database.as_os_str().to_owned();
    log.push("-wal");
    let length = std::fs::metadata(log).map_or(0, |known| known.len());
    (length > LONG_LOG).then(|| {
        Check::warning(
            "log",
            format!("The database's log has {} MiB", length / MEBIBYTE),
            "A process has had the state open for a long time; stop unused windlass servers.",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::check::Status;
    use super::*;

    #[test]
    fn little_space_is_told_early() {
        for (free, status) in [
            (0, Status::Error),
            (TOO_LITTLE, Status::Warning),
            (LITTLE, Status::Ok),
        ] {
            assert_eq!(judge_space(free).status, status, "{free}");
        }
    }

    #[test]
    fn a_long_log_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("windlass.db");
        assert!(log(&database).is_none());
        let file = std::fs::File::create(folder.path().join("windlass.db-wal")).unwrap();
        file.set_len(LONG_LOG + 1).unwrap();
        assert_eq!(log(&database).unwrap().status, Status::Warning);
    }
}
