//! Edits of a repository.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use crate::support::{Repository, write};

#[derive(Debug, Clone, Copy)]
pub enum Change {
    Write(&'static str, &'static str),
    Append(&'static str, &'static str),
    Replace(&'static str, &'static str, &'static str),
    Bytes(&'static str, &'static [u8]),
    /// A text that is too long to be read.
    Long(&'static str, &'static str),
    /// A link to a file outside of the project with that text.
    LinkOut(&'static str, &'static str),
    /// A link to another file of the project.
    Link(&'static str, &'static str),
    /// A link to a folder outside of the project that has a file with that name and text.
    FolderOut(&'static str, &'static str, &'static str),
    /// A file whose name is not UTF-8, in that folder.
    OddName(&'static str, &'static [u8], &'static str),
    Remove(&'static str),
    All(&'static [Change]),
}

impl Change {
    pub fn apply(&self, repository: &Repository) {
        let path = |path: &str| repository.root.join(path);
        let text = |path: &str| fs::read_to_string(repository.root.join(path)).unwrap();
        match self {
            Self::Write(file, text) => repository.write(file, text),
            Self::Append(file, more) => repository.write(file, &(text(file) + more)),
            Self::Replace(file, from, to) => {
                let old = text(file);
                assert!(old.contains(from), "{file} has no {from:?}");
                repository.write(file, &old.replacen(from, to, 1));
            }
            Self::Bytes(file, bytes) => write(&path(file), bytes),
            Self::Long(file, text) => {
                let filler = "#".repeat(1_000) + "\n";
                repository.write(file, &(text.to_string() + &filler.repeat(10_500)));
            }
            Self::LinkOut(file, text) => {
                let outside = repository.base.join("outside");
                write(&outside, text.as_bytes());
                fs::remove_file(path(file)).ok();
                fs::create_dir_all(path(file).parent().unwrap()).unwrap();
                symlink(outside, path(file)).unwrap();
            }
            Self::Link(file, target) => {
                fs::create_dir_all(path(file).parent().unwrap()).unwrap();
                symlink(path(target), path(file)).unwrap();
            }
            Self::FolderOut(folder, name, text) => {
                let outside = repository.base.join("outside");
                write(&outside.join(name), text.as_bytes());
                symlink(outside, path(folder)).unwrap();
            }
            Self::OddName(folder, name, text) => {
                let name = std::ffi::OsStr::from_bytes(name);
                write(&path(folder).join(name), text.as_bytes());
            }
            Self::Remove(file) => fs::remove_file(path(file)).unwrap(),
            Self::All(changes) => changes.iter().for_each(|change| change.apply(repository)),
        }
        make_executable(repository);
    }
}

/// Wrappers and shells of the fixtures can be started.
pub fn make_executable(repository: &Repository) {
    for name in [
        "gradlew",
        "mvnw",
        "evil",
        "tool.sh",
        "mise-tasks/file",
        "scripts/go.sh",
    ] {
        let path = repository.root.join(name);
        if path.exists() {
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
}
