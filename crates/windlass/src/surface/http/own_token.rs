//! A token that the server makes for itself, where it cannot see which user connects. It is in a
//! file that only this user can read, for as long as the server runs.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use uuid::Uuid;
use windlass_core::{Error, Result};

use super::admission::Token;

#[derive(Debug)]
pub struct OwnToken {
    pub file: PathBuf,
    pub token: Token,
}

impl OwnToken {
    /// Makes a token for the server at a port.
    pub fn create(folder: &Path, port: u16) -> Result<Self> {
        let file = folder.join(format!("http-{port}.token"));
        let text = [Uuid::new_v4(), Uuid::new_v4()].map(|id| id.simple().to_string());
        let text = text.concat();
        write(folder, &file, &text).map_err(|problem| {
            Error::storage(format!("{}: {problem}", file.display())).with_hint(
                "This system does not show which user connects, so clients must send a token, and \
                 it could not be stored. Set WINDLASS_HTTP_TOKEN or use --token-file.",
            )
        })?;
        Ok(Self {
            token: Token::parse(&text, "the token")?,
            file,
        })
    }
}

impl Drop for OwnToken {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.file);
    }
}

fn write(folder: &Path, file: &Path, text: &str) -> io::Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    // One that is left of a server that was killed may be a link, or have any mode.
    match fs::remove_file(file) {
        Err(problem) if problem.kind() != io::ErrorKind::NotFound => return Err(problem),
        _ => {}
    }
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(file)?;
    writeln!(file, "{text}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn only_this_user_can_read_it_and_it_goes_with_the_server() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("windlass");
        let elsewhere = folder.path().join("elsewhere");
        fs::write(&elsewhere, "kept").unwrap();
        fs::create_dir(&place).unwrap();
        std::os::unix::fs::symlink(&elsewhere, place.join("http-1.token")).unwrap();
        let own = OwnToken::create(&place, 1).unwrap();
        let mode = fs::symlink_metadata(&own.file)
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o7777, 0o600);
        let text = fs::read_to_string(&own.file).unwrap();
        assert_eq!(Token::parse(&text, "").unwrap(), own.token);
        assert_eq!(text.trim().len(), 64);
        assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "kept");
        let file = own.file.clone();
        drop(own);
        assert!(!file.exists());
    }
}
