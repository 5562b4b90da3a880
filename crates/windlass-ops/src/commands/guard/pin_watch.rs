//! Whether files were touched since a moment, even if they are now what they were then.
//!
//! The system reports every change where it can (`os`). Beside that, the state and the content of
//! each file are compared: a writer may have changed a file and not yet have been reported, and other
//! systems report nothing.

use std::collections::BTreeSet;
use std::fs;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use windlass_commands::{Command, Stamp};

use crate::os::FileEvents;

#[derive(Debug)]
pub struct PinWatch {
    root: PathBuf,
    /// Relative to the root.
    paths: BTreeSet<String>,
    events: Option<FileEvents>,
    states: Vec<FileState>,
}

type FileState = (Option<Stamp>, Option<Vec<u8>>);

impl PinWatch {
    /// Watches everything that decides what the command runs, as far as that is known. To be made
    /// before the files are read and checked.
    pub fn new(root: &Path, command: &Command) -> Self {
        let pinned = command.pins.files.iter().map(|file| &file.path);
        let paths: BTreeSet<String> = pinned
            .chain([&command.file, &command.entry_file])
            .cloned()
            .collect();
        let events = FileEvents::new(root, &paths);
        Self {
            states: states(root, &paths),
            root: root.to_owned(),
            paths,
            events,
        }
    }

    /// Whether it watches all files of the command as it is now.
    pub fn covers(&self, command: &Command) -> bool {
        let mut pinned = command.pins.files.iter();
        pinned.all(|file| self.paths.contains(&file.path))
            && self.paths.contains(&command.file)
            && self.paths.contains(&command.entry_file)
    }

    /// The files that were touched since this was last asked.
    pub fn take_touched(&mut self) -> BTreeSet<String> {
        let mut touched = match &mut self.events {
            Some(events) => events.take(),
            None => BTreeSet::new(),
        };
        let now = states(&self.root, &self.paths);
        for ((path, before), now) in self.paths.iter().zip(&self.states).zip(&now) {
            if before != now {
                touched.insert(path.clone());
            }
        }
        self.states = now;
        touched
    }

    /// Files that were replaced are watched in their new place. What happened meanwhile shows in
    /// their states.
    pub fn watch_again(&mut self) {
        if let Some(events) = &mut self.events
            && !events.watch_again(&self.root, &self.paths)
        {
            self.events = None;
        }
    }

    /// Becomes readable when there is something to take.
    pub fn event_source(&self) -> Option<OwnedFd> {
        self.events.as_ref()?.source()
    }
}

fn states(root: &Path, paths: &BTreeSet<String>) -> Vec<FileState> {
    let state = |path: &String| {
        let path = root.join(path);
        let stamp = Stamp::of(&path);
        // A pipe would block for ever.
        let readable = stamp.is_some_and(Stamp::is_file);
        let content = readable.then(|| fs::read(&path).ok()).flatten();
        (stamp, content.map(|it| Sha256::digest(it).to_vec()))
    };
    paths.iter().map(state).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use windlass_commands::Discovery;

    use super::*;

    const TEXT: &str = "build:\n\ttrue\n";

    fn watched(folder: &Path, name: &str) -> PinWatch {
        let command = Discovery::new(folder).unwrap().discover();
        PinWatch::new(folder, command.get(name).unwrap())
    }

    /// Each change is undone before anyone looks, in a folder, by a link and directly.
    #[cfg(target_os = "linux")]
    #[test]
    fn what_was_changed_and_changed_back_was_touched() {
        type Act = fn(&Path);
        let acts: [(&str, Act); 7] = [
            ("nothing", |_| {}),
            ("a file beside it", |root| {
                fs::write(root.join("sub/other"), "x").unwrap();
                fs::remove_file(root.join("sub/other")).unwrap();
            }),
            ("in place", |root| {
                fs::write(root.join("sub/Makefile"), "evil").unwrap();
                fs::write(root.join("sub/Makefile"), TEXT).unwrap();
            }),
            ("by another name of the same file", |root| {
                fs::write(root.join("elsewhere"), "evil").unwrap();
                fs::write(root.join("elsewhere"), TEXT).unwrap();
            }),
            ("by renaming it", |root| {
                fs::rename(root.join("sub/Makefile"), root.join("away")).unwrap();
                fs::write(root.join("sub/Makefile"), "evil").unwrap();
                fs::rename(root.join("away"), root.join("sub/Makefile")).unwrap();
            }),
            ("by renaming its folder", |root| {
                fs::rename(root.join("sub"), root.join("away")).unwrap();
                fs::create_dir(root.join("sub")).unwrap();
                fs::write(root.join("sub/Makefile"), "evil").unwrap();
                fs::remove_dir_all(root.join("sub")).unwrap();
                fs::rename(root.join("away"), root.join("sub")).unwrap();
            }),
            ("by the link to it", |root| {
                fs::rename(root.join("links/to"), root.join("away")).unwrap();
                symlink("../evil", root.join("links/to")).unwrap();
                fs::rename(root.join("away"), root.join("links/to")).unwrap();
            }),
        ];
        for (place, (what, act)) in acts.into_iter().enumerate() {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path().canonicalize().unwrap();
            for name in ["sub", "links"] {
                fs::create_dir(root.join(name)).unwrap();
            }
            fs::write(root.join("evil"), "evil").unwrap();
            fs::write(root.join("sub/Makefile"), TEXT).unwrap();
            fs::hard_link(root.join("sub/Makefile"), root.join("elsewhere")).unwrap();
            // A chain of links: what is in the middle of it decides too.
            symlink("links/to", root.join("chain")).unwrap();
            symlink("../sub/Makefile", root.join("links/to")).unwrap();
            let mut command = watched(&root, "sub/build");
            command.paths.insert("chain".to_owned());
            command.watch_again();
            command.states = states(&root, &command.paths);
            assert!(command.events.is_some(), "inotify");
            act(&root);
            let touched = command.take_touched();
            assert_eq!(!touched.is_empty(), place > 1, "{what}: {touched:?}");
            assert!(command.take_touched().is_empty(), "{what} is told once");
        }
    }

    #[test]
    fn a_file_that_appears_is_noticed_without_events_too() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::write(root.join("Makefile"), TEXT).unwrap();
        let mut watch = watched(&root, "build");
        watch.events = None;
        watch.paths.insert("GNUmakefile".to_owned());
        watch.states = states(&root, &watch.paths);
        assert!(watch.take_touched().is_empty());
        fs::write(root.join("GNUmakefile"), "evil").unwrap();
        assert_eq!(watch.take_touched().len(), 1);
        fs::write(root.join("Makefile"), "longer text").unwrap();
        assert!(watch.take_touched().contains("Makefile"));
    }
}
