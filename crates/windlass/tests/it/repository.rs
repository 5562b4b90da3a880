//! A repository with commands, a user's configuration beside it, and processes that work on them.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value as Json;
use windlass_store::Project;

use crate::person;
use crate::server::Server;

/// How long any condition may take to come true.
const PATIENCE: Duration = Duration::from_mins(1);
/// The variable that all processes of one repository share, so that none is overlooked.
const TAG: &str = "REPOSITORY_OF_TEST";

/// `BASE/repo` is the project, `BASE/config` the user's configuration.
pub struct Repository {
    base: tempfile::TempDir,
    pub root: PathBuf,
}

impl Repository {
    /// A project with these files. Names that end in `.sh` can be executed.
    pub fn new(files: &[(&str, &str)]) -> Self {
        Self::at("repo", files)
    }

    /// A project in a folder of this name below the base.
    pub fn at(folder: &str, files: &[(&str, &str)]) -> Self {
        let base = tempfile::tempdir().expect("a folder");
        let root = base.path().canonicalize().expect("a path").join(folder);
        fs::create_dir_all(&root).expect("a folder");
        Project::init(&root).expect("a project");
        let repository = Self { base, root };
        for (name, text) in files {
            repository.write(name, text);
        }
        repository
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.root.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, text).expect("written");
        if path.extension().is_some_and(|it| it == "sh") {
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("executable");
        }
    }

    pub fn base(&self) -> PathBuf {
        self.base.path().canonicalize().expect("a path")
    }

    pub fn allowlist(&self) -> PathBuf {
        self.base().join("config/windlass/allowlist.toml")
    }

    /// Writes the allowlist; ROOT and BASE stand for the two folders.
    pub fn set_allowlist(&self, text: &str) {
        let base = self.base();
        let text = text
            .replace("ROOT", &self.root.to_string_lossy())
            .replace("BASE", &base.to_string_lossy());
        let file = self.allowlist();
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, text).expect("written");
    }

    /// Allows everything of the repository.
    pub fn allow_all(&self) {
        self.set_allowlist("[[entries]]\npath = \"ROOT\"\nscope = \"Directory\"\n");
    }

    /// A process of windlass in the repository, without a terminal.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = crate::sample::windlass();
        command
            .args(words)
            .current_dir(&self.root)
            .env("XDG_CONFIG_HOME", self.base().join("config"))
            .env("HOME", self.base())
            .env("WINDLASS_LOG_LEVEL", "error")
            .env(TAG, self.tag())
            .stdin(Stdio::null());
        for name in ["WINDLASS_SESSION", "RUST_LOG", "MAKEFLAGS", "MAKELEVEL"] {
            command.env_remove(name);
        }
        command
    }

    pub fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().expect("started")
    }

    /// Runs a command as a person does, at a terminal.
    pub fn as_person(&self, words: &[&str]) -> Output {
        self.as_person_who_types(words, "")
    }

    /// The same, with what the person types.
    pub fn as_person_who_types(&self, words: &[&str], typed: &str) -> Output {
        person::at_a_terminal(&self.command(words), typed)
    }

    /// The JSON that a command prints; it must go well.
    pub fn json(&self, words: &[&str]) -> Json {
        let output = self.run(&[words, &["--json"]].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words:?}: {said}");
        serde_json::from_slice(&output.stdout).expect("JSON")
    }

    pub fn server(&self) -> Server {
        Server::of(self.command(&["mcp"]))
    }

    pub fn tag(&self) -> String {
        self.base().to_string_lossy().into_owned()
    }

    /// All living processes that this repository's commands have left, windlass itself included.
    pub fn processes(&self) -> Vec<(i32, String)> {
        let wanted = format!("{TAG}={}", self.tag());
        let entries = fs::read_dir("/proc")
            .expect("a system with /proc")
            .flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        pids.filter_map(|pid: i32| {
            let place = Path::new("/proc").join(pid.to_string());
            let environment = fs::read(place.join("environ")).ok()?;
            let tagged = environment
                .split(|byte| *byte == 0)
                .any(|variable| variable == wanted.as_bytes());
            let words = fs::read(place.join("cmdline")).ok()?;
            tagged.then(|| (pid, String::from_utf8_lossy(&words).replace('\0', " ")))
        })
        .collect()
    }

    /// Waits until no process is left.
    pub fn assert_nothing_left(&self) {
        until("the end of all processes", || self.processes().is_empty());
    }

    pub fn exists(&self, name: &str) -> bool {
        self.root.join(name).exists()
    }
}

/// Waits for a condition, and fails where it does not come true.
pub fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < end, "waited in vain for {what}");
        sleep(Duration::from_millis(20));
    }
}

pub fn signal(name: &str, pid: impl ToString) {
    let sent = Command::new("kill").args([name, &pid.to_string()]).status();
    assert!(sent.expect("kill").success(), "{name}");
}
