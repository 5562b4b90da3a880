//! Information about a database that can be read without changing it.

use windlass_core::Result;

use crate::damage;
use crate::migrations;
use crate::readers::open_readable;
use crate::store::Store;

/// The version of the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Versions {
    /// The version of the file now.
    pub found: i64,
    /// The version after the next write.
    pub known: i64,
}

impl Store {
    pub fn versions(&self) -> Result<Versions> {
        Ok(Versions {
            found: open_readable(self.path())?.version,
            known: migrations::newest(self.migrations()),
        })
    }

    /// Checks the file for damage without taking the write lock, and so without upgrading an older
    /// database. [`Store::check`] checks more.
    pub fn check_file(&self) -> Result<Vec<String>> {
        let problems = self.read(None, |reader| reader.check_file());
        self.note_damage(&problems);
        problems
    }

    /// From now on nothing is written to a file that failed its check.
    pub(crate) fn note_damage(&self, problems: &Result<Vec<String>>) {
        match problems {
            _ if self.foreign.is_some() => {}
            Ok(problems) => damage::note(self.path(), problems),
            Err(error) => damage::note_error(self.path(), error),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::project::Project;

    use super::*;

    #[test]
    fn a_new_database_is_as_new_as_the_binary() {
        let folder = tempfile::tempdir().expect("a folder");
        let (project, _) = Project::init(folder.path()).expect("a project");
        let store = Store::open(&project).expect("opened");
        let versions = store.versions().expect("told");
        assert_eq!(versions.found, versions.known);
        assert_eq!(store.check_file().expect("checked"), [""; 0]);
    }
}
