//! A repository in its own folder, with an allowlist beside it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use windlass_commands::allowlist::Allowlist;
use windlass_commands::{Command, CommandSet, Discovery, RunnerLookup};

pub struct AllAvailable;

impl RunnerLookup for AllAvailable {
    fn is_available(&self, _: &str) -> bool {
        true
    }
}

pub struct Repository {
    _folder: tempfile::TempDir,
    pub base: PathBuf,
    pub root: PathBuf,
    pub discovery: Discovery,
}

impl Repository {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(folder.path()).unwrap();
        let root = base.join("repo");
        fs::create_dir(&root).unwrap();
        let discovery = Discovery::with_lookup(&root, Box::new(AllAvailable)).unwrap();
        let repository = Self {
            _folder: folder,
            base,
            root,
            discovery,
        };
        for (path, text) in files {
            repository.write(path, text);
        }
        repository
    }

    pub fn write(&self, path: &str, text: &str) {
        write(&self.root.join(path), text.as_bytes());
    }

    pub fn allowlist_file(&self) -> PathBuf {
        self.base.join("config/allowlist.toml")
    }

    pub fn allowlist(&self) -> Allowlist {
        Allowlist::new(self.allowlist_file(), Vec::new())
    }

    /// Writes the allowlist, with `ROOT` and `BASE` replaced.
    pub fn set_allowlist(&self, text: &str) {
        let text = text
            .replace("ROOT", self.root.to_str().unwrap())
            .replace("BASE", self.base.to_str().unwrap());
        write(&self.allowlist_file(), text.as_bytes());
    }

    pub fn command(&self, unique_name: &str) -> Arc<Command> {
        let commands = self.discovery.discover();
        let names = names(&commands);
        let found = commands.get(unique_name);
        found
            .unwrap_or_else(|| panic!("{unique_name} is not among {names:?}"))
            .clone()
    }
}

/// Waits until no folder counts as one that has just changed. The clock of a file system is what is
/// waited for, and nothing tells of it.
pub fn settle() {
    std::thread::sleep(Duration::from_millis(2_200));
}

pub fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

pub fn names(commands: &CommandSet) -> Vec<&str> {
    let commands = commands.commands.iter();
    commands.map(|it| it.unique_name.as_str()).collect()
}

/// A repository with files of nearly every format.
pub fn repository() -> Repository {
    Repository::new(&[
        (
            "Makefile",
            "include tools.mk\nbuild:\n\techo build\ntest: build\n\techo test\n",
        ),
        ("tools.mk", "ship:\n\techo ship\n"),
        ("package.json", r#"{"scripts": {"start": "node ."}}"#),
        ("repo2/Makefile", "build2:\n\techo\n"),
        ("justfile", "fixed:\n  x\none a:\n  x\nmany *a:\n  x\n"),
        ("Taskfile.yml", "tasks: {t: echo}\n"),
        ("turbo.json", r#"{"tasks": {"tb": {}}}"#),
        ("pom.xml", "<project/>"),
        ("build.gradle", "task gr {}\n"),
        (".github/workflows/ci.yml", "on: push\njobs: {a: {}}\n"),
        ("compose.yml", "services: {svc: {image: x}}\n"),
        (".travis.yml", "script: x\n"),
        ("CMakeLists.txt", "add_custom_target(cm)\n"),
        (
            ".cargo/config.toml",
            "[alias]\nal = 'test'\nxtask = 'run -p xtask --'\n",
        ),
        ("mise.toml", "[tasks]\nmi = 'x'\n"),
        ("deno.json", r#"{"tasks": {"de": "x"}}"#),
        ("composer.json", r#"{"scripts": {"co": "x"}}"#),
        ("Rakefile", "task :ra\n"),
        ("run.sh", "#!/bin/sh\necho\n"),
    ])
}
