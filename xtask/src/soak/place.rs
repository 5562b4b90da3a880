//! Two clones of one project, the packs that go between them, and a home of their own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;

use crate::programs::output;

const MAKEFILE: &str = "quick:\n\t@echo quick\nlong:\n\t@sleep 300 & sleep 300\n";

/// Where a clone has its packs.
pub const PACKS: &str = ".windlass/packs";

pub struct Place {
    pub base: PathBuf,
    binary: PathBuf,
    /// Where everyone works.
    pub one: PathBuf,
    /// Another clone, which only exchanges and sometimes writes.
    pub two: PathBuf,
}

pub fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

impl Place {
    pub fn make(base: &Path, binary: &Path) -> Result<Self, String> {
        fs::create_dir_all(base).map_err(|error| format!("{}: {error}", base.display()))?;
        let absolute = |path: &Path| {
            path.canonicalize()
                .map_err(|error| format!("{}: {error}", path.display()))
        };
        let (base, binary) = (absolute(base)?, absolute(binary)?);
        let place = Self {
            one: base.join("one"),
            two: base.join("two"),
            base,
            binary,
        };
        for old in ["one", "two", "home"] {
            let _ = fs::remove_dir_all(place.base.join(old));
        }
        let config = place.base.join("home/.config/windlass");
        for folder in [&place.one, &config] {
            fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        }
        let entries = [&place.one, &place.two].map(|folder| {
            format!(
                "[[entries]]\npath = {}\nscope = \"Directory\"\n",
                json!(folder)
            )
        });
        write(&config.join("allowlist.toml"), &entries.concat())?;
        write(&place.one.join("Makefile"), MAKEFILE)?;
        let git = |words: &[&str]| {
            let mut git = Command::new("git");
            git.args(["-c", "user.name=soak", "-c", "user.email=soak@localhost"])
                .args(words)
                .current_dir(&place.one);
            output(&mut git)
        };
        git(&["init", "-q"])?;
        output(place.windlass(&place.one).args(["init", "--stack", "none"]))?;
        git(&["add", "-A"])?;
        git(&["commit", "-qm", "first"])?;
        let two = place.two.display().to_string();
        git(&["clone", "-q", ".", &two])?;
        output(place.windlass(&place.two).args(["status"]))?;
        Ok(place)
    }

    /// Windlass in one of the clones, as someone who has only this home.
    pub fn windlass(&self, clone: &Path) -> Command {
        let home = self.base.join("home");
        let mut command = Command::new(&self.binary);
        command
            .current_dir(clone)
            .env("HOME", &home)
            .env("XDG_CONFIG_HOME", home.join(".config"))
            .env("XDG_STATE_HOME", home.join(".local/state"))
            .env("WINDLASS_LOG_LEVEL", "error")
            .stdin(Stdio::null());
        command
    }

    /// Writes the changes of a clone as packs, and takes in those that are there.
    pub fn sync(&self, clone: &Path) -> Command {
        let mut command = self.windlass(clone);
        command.args(["--json", "sync"]);
        command
    }

    /// Gives each clone the packs that only the other has, as git does.
    pub fn carry_packs(&self) -> Result<(), String> {
        let packs = [&self.one, &self.two].map(|clone| clone.join(PACKS));
        for (from, to) in [(&packs[0], &packs[1]), (&packs[1], &packs[0])] {
            let Ok(entries) = fs::read_dir(from) else {
                continue;
            };
            for entry in entries.flatten() {
                let (source, target) = (entry.path(), to.join(entry.file_name()));
                if target.exists() || source.extension().is_none_or(|it| it != "pack") {
                    continue;
                }
                // A pack that a compaction has just replaced may be gone.
                let Ok(bytes) = fs::read(&source) else {
                    continue;
                };
                let half = self.base.join("carried");
                fs::create_dir_all(to)
                    .and_then(|()| fs::write(&half, bytes))
                    .and_then(|()| fs::rename(&half, &target))
                    .map_err(|error| format!("{}: {error}", target.display()))?;
            }
        }
        Ok(())
    }
}
