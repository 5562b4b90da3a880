//! The file of a client's settings on the disk. It is replaced atomically, and a file of a project
//! must be inside it: a repository could ship its settings as a link to another place.

use std::fs::{self, File, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use windlass_core::{Error, ErrorKind, Result};

/// The longest settings file that is read.
const LONGEST: u64 = 64 << 20;

#[derive(Debug)]
pub struct ConfigFile {
    /// The path as the client knows it.
    pub path: PathBuf,
    /// The path of the real file; differs if the first is a link.
    target: PathBuf,
    /// Its text; none if it does not exist.
    pub text: Option<String>,
    /// Whether only this user may read a new file.
    private: bool,
}

impl ConfigFile {
    /// Reads the file. A file of a project must be inside `within`.
    pub fn open(path: &Path, within: Option<&Path>) -> Result<Self> {
        let exists = path.is_symlink() || path.exists();
        let target = if exists {
            path.canonicalize()
                .map_err(|problem| refused(path, &format!("is a broken link: {problem}")))?
        } else {
            path.to_owned()
        };
        if let Some(root) = within {
            let nearest = target.ancestors().find(|place| place.exists());
            let inside = nearest
                .and_then(|place| place.canonicalize().ok())
                .zip(root.canonicalize().ok())
                .is_some_and(|(place, root)| place.starts_with(root));
            if !inside {
                return Err(refused(path, "resolves to a path outside the project"));
            }
        }
        Ok(Self {
            path: path.to_owned(),
            text: if exists { Some(read(&target)?) } else { None },
            target,
            private: within.is_none(),
        })
    }

    /// Replaces the text, unless the file has changed since it was read.
    pub fn write(&self, text: &str) -> Result<()> {
        self.check_unchanged()?;
        self.try_write(text)
            .map_err(|problem| failed(&self.target, &problem))
    }

    fn try_write(&self, text: &str) -> io::Result<()> {
        let folder = self.target.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(folder)?;
        let mode = match fs::metadata(&self.target) {
            Ok(known) => known.permissions(),
            Err(_) => Permissions::from_mode(if self.private { 0o600 } else { 0o666 }),
        };
        // The umask applies to the mode of a new file.
        let mut new = tempfile::Builder::new()
            .prefix(".windlass-")
            .permissions(mode.clone())
            .tempfile_in(folder)?;
        new.write_all(text.as_bytes())?;
        if self.text.is_some() {
            new.as_file().set_permissions(mode)?;
        }
        new.as_file().sync_all()?;
        new.persist(&self.target).map_err(|problem| problem.error)?;
        File::open(folder)?.sync_all()
    }

    /// Removes the file, and the folders that are then empty and inside `within`.
    pub fn delete(&self, within: Option<&Path>) -> Result<()> {
        self.check_unchanged()?;
        fs::remove_file(&self.target).map_err(|problem| failed(&self.target, &problem))?;
        let folders = self.target.ancestors().skip(1);
        let inside =
            |folder: &&Path| within.is_some_and(|root| folder.starts_with(root) && *folder != root);
        for folder in folders.take_while(inside) {
            // Fails if the folder has other files.
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
        Ok(())
    }

    pub fn is_link(&self) -> bool {
        self.path.is_symlink()
    }

    fn check_unchanged(&self) -> Result<()> {
        let now = match fs::symlink_metadata(&self.target) {
            Ok(_) => Some(read(&self.target)?),
            Err(_) => None,
        };
        if now == self.text {
            return Ok(());
        }
        Err(refused(&self.path, "was changed by someone else meanwhile").with_hint("Try again."))
    }
}

fn read(path: &Path) -> Result<String> {
    let known = fs::metadata(path).map_err(|problem| failed(path, &problem))?;
    if !known.is_file() {
        return Err(refused(path, "is not a file"));
    }
    if known.len() > LONGEST {
        return Err(refused(path, "is too long for a settings file"));
    }
    let bytes = fs::read(path).map_err(|problem| failed(path, &problem))?;
    String::from_utf8(bytes).map_err(|_| refused(path, "is not UTF-8"))
}

fn refused(path: &Path, why: &str) -> Error {
    let path = path.display().to_string();
    Error::new(
        ErrorKind::InvalidConfig,
        format!("{path} {why}; it was not changed"),
    )
    .with("file", path)
}

fn failed(path: &Path, problem: &io::Error) -> Error {
    Error::storage(format!("{}: {problem}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_followed_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().join("real.json");
        fs::write(&real, "{}").unwrap();
        fs::set_permissions(&real, Permissions::from_mode(0o640)).unwrap();
        let link = folder.path().join("link.json");
        std::os::unix::fs::symlink("real.json", &link).unwrap();
        let file = ConfigFile::open(&link, Some(folder.path())).unwrap();
        file.write("{\"a\": 1}").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&real).unwrap(), "{\"a\": 1}");
        assert_eq!(
            fs::metadata(&real).unwrap().permissions().mode() & 0o777,
            0o640
        );
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn nothing_outside_of_a_project_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        let (file, folder_link) = (folder.path().join("a.json"), folder.path().join("below"));
        std::os::unix::fs::symlink(outside.path().join("gone"), &file).unwrap();
        std::os::unix::fs::symlink(outside.path(), &folder_link).unwrap();
        for path in [&file, &folder_link.join("b.json"), &folder_link] {
            let error = ConfigFile::open(path, Some(folder.path())).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidConfig, "{error}");
        }
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_changed_meanwhile_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/a.json");
        let file = ConfigFile::open(&path, None).unwrap();
        file.write("{}").unwrap();
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
        let error = file.write("[]").unwrap_err();
        assert!(
            error.message().contains("changed by someone else"),
            "{error}"
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), "{}");
    }
}
