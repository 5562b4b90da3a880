//! The folders of a tour: the project, its clone, and a home of its own, so that no setting, allowlist
//! or record of the user is read or changed.

use std::fs;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use windlass_core::{Error, Result};

use super::chapters::{At, FILES};

/// How many tours may be under way at once.
const MOST: usize = 100;

/// The folder of one tour. It is removed when this is dropped.
pub struct Place {
    folder: PathBuf,
}

impl Place {
    /// Makes a folder below `base`, which others cannot enter. Its name says what it is and is the same
    /// each time, so that two tours print the same.
    pub fn new(base: &Path) -> Result<Self> {
        let failed = |problem: std::io::Error| {
            Error::storage(format!("{}: {problem}", base.display()))
                .with_hint("Set TMPDIR to a folder that can be written.")
        };
        let names = (1..=MOST).map(|number| match number {
            1 => "windlass-tour".to_owned(),
            number => format!("windlass-tour-{number}"),
        });
        for name in names {
            let folder = base.join(name);
            match fs::DirBuilder::new().mode(0o700).create(&folder) {
                Ok(()) => {
                    let place = Self { folder };
                    place.fill().map_err(failed)?;
                    return Ok(place);
                }
                Err(problem) if problem.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(problem) => return Err(failed(problem)),
            }
        }
        let message = format!("{} has {MOST} folders of tours", base.display());
        Err(Error::storage(message).with_hint("Remove those that are left over: windlass-tour*"))
    }

    fn fill(&self) -> std::io::Result<()> {
        let project = self.at(At::Project);
        fs::create_dir(&project)?;
        fs::create_dir(self.folder.join("home"))?;
        for (name, text, is_program) in FILES {
            let file = project.join(name);
            fs::write(&file, text)?;
            if *is_program {
                fs::set_permissions(&file, fs::Permissions::from_mode(0o755))?;
            }
        }
        Ok(())
    }

    pub fn at(&self, at: At) -> PathBuf {
        self.folder.join(match at {
            At::Project => "shop",
            At::Clone => "clone",
        })
    }

    /// Gives a process the home of the tour. Variables by which agents are known stay.
    pub fn settle(&self, command: &mut Command) {
        let home = self.folder.join("home");
        command
            .env("HOME", &home)
            .env("XDG_CONFIG_HOME", home.join("config"))
            .env("XDG_STATE_HOME", home.join("state"))
            .env("XDG_DATA_HOME", home.join("data"))
            .env("XDG_RUNTIME_DIR", home.join("runtime"))
            .env("PAGER", "cat")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_NAME", "You")
            .env("GIT_AUTHOR_EMAIL", "you@example.com")
            .env("GIT_COMMITTER_NAME", "You")
            .env("GIT_COMMITTER_EMAIL", "you@example.com");
        for of_hooks in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
            command.env_remove(of_hooks);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // What cannot be removed is in the folder of temporary files, where systems remove it.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_private_and_goes() {
        let base = tempfile::tempdir().unwrap();
        let first = Place::new(base.path()).unwrap();
        let second = Place::new(base.path()).unwrap();
        let mode = fs::metadata(&first.folder).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        assert_ne!(first.folder, second.folder);
        assert!(first.at(At::Project).join("test.sh").is_file());
        drop(first);
        drop(second);
        assert_eq!(fs::read_dir(base.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_link_that_is_there_is_not_followed() {
        let base = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), base.path().join("windlass-tour")).unwrap();
        let place = Place::new(base.path()).unwrap();
        assert!(place.folder.ends_with("windlass-tour-2"));
        drop(place);
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    }
}
