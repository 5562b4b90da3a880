//! Everything that packages are made of.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

use flate2::Compression;

use super::archive::Entry;
use super::build::Built;
use super::options::Options;
use super::platform::Platform;
use super::{elf, licenses, linked, sbom, web};
use crate::cargo;
use crate::programs::output;

/// The shells, and the names of their completion scripts.
const SHELLS: &[(&str, &str)] = &[
    ("bash", "windlass.bash"),
    ("zsh", "_windlass"),
    ("fish", "windlass.fish"),
    ("powershell", "_windlass.ps1"),
    ("elvish", "windlass.elv"),
];

pub struct Release {
    pub version: String,
    pub platform: &'static Platform,
    /// The minor version of glibc 2 that the binary needs; `None` if it needs none.
    pub glibc: Option<u64>,
    /// The time of the commit, in seconds since 1970.
    pub seconds: u64,
    pub level: Compression,
    /// Where the project is published, if that is known.
    pub repository: Option<String>,
    /// Where the binary is on this machine.
    pub path: PathBuf,
    pub binary: Rc<[u8]>,
    /// Completion scripts, by their names in `SHELLS`.
    pub completions: Vec<Entry>,
    /// Man pages, all of section 1.
    pub manuals: Vec<Entry>,
    /// The licences of Windlass and of what it contains.
    pub licenses: Vec<Entry>,
    pub readme: Entry,
    pub changelog: Entry,
    pub sbom: String,
}

impl Release {
    pub fn collect(root: &Path, built: &Built, options: &Options) -> Result<Self, String> {
        let read = |name: &str| {
            let bytes =
                fs::read(root.join(name)).map_err(|problem| format!("{name}: {problem}"))?;
            Ok::<_, String>(Entry::new(name, bytes))
        };
        let binary: Rc<[u8]> = fs::read(&built.path)
            .map_err(|problem| format!("{}: {problem}", built.path.display()))?
            .into();
        let crates = linked::crates(root, built.platform.target)?;
        let libraries = web::libraries(root)?;
        let seconds = moment_of_commit(root)?;
        let third_party = licenses::text(&crates, &libraries)?;
        let sbom = sbom::document(&crates, &libraries, seconds)?;
        Ok(Self {
            version: cargo::version(root)?,
            platform: built.platform,
            glibc: match built.platform.linux {
                Some(_) => elf::glibc(&binary)?,
                None => None,
            },
            seconds,
            level: options.level,
            repository: options.repository.clone(),
            path: built.path.clone(),
            binary,
            completions: completions(&built.path)?,
            manuals: manuals(root, &built.path)?,
            licenses: vec![
                read("LICENSE-MIT")?,
                read("LICENSE-APACHE")?,
                Entry::text("THIRD-PARTY-LICENSES.txt", &third_party),
            ],
            readme: read("README.md")?,
            changelog: read("CHANGELOG.md")?,
            sbom: format!("{sbom:#}\n"),
        })
    }

    /// The program at a path of a package.
    pub fn program(&self, folder: &str) -> Entry {
        let path = format!("{folder}{}", self.platform.program());
        Entry::new(path, Rc::clone(&self.binary)).executable()
    }

    /// What the binary needs, in words.
    pub fn requirement(&self) -> String {
        match (self.platform.linux, self.glibc) {
            (None, _) => format!("The binary is for {}.", self.platform.target),
            (_, None) => "The binary is static: it runs on every Linux.".to_owned(),
            (_, Some(minor)) => format!("The binary needs Linux with glibc 2.{minor} or newer."),
        }
    }
}

/// Entries with their paths in a folder of a package.
pub fn below(folder: &str, entries: &[Entry]) -> Vec<Entry> {
    let moved = |entry: &Entry| Entry {
        path: format!("{folder}{}", entry.path),
        ..entry.clone()
    };
    entries.iter().map(moved).collect()
}

fn completions(binary: &Path) -> Result<Vec<Entry>, String> {
    let script = |(shell, name): &(&str, &str)| {
        let script = output(Command::new(binary).args(["completions", shell]))?;
        Ok(Entry::text(*name, &script))
    };
    SHELLS.iter().map(script).collect()
}

fn manuals(root: &Path, binary: &Path) -> Result<Vec<Entry>, String> {
    let name = format!("dist-man-{}", std::process::id());
    let folder = cargo::target_folder(root)?.join(name);
    output(Command::new(binary).args(["man", "--out"]).arg(&folder))?;
    let failed = |problem: std::io::Error| format!("{}: {problem}", folder.display());
    let mut pages = Vec::new();
    for entry in fs::read_dir(&folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        pages.push(Entry::new(name, fs::read(entry.path()).map_err(failed)?));
    }
    fs::remove_dir_all(&folder).map_err(failed)?;
    Ok(pages)
}

/// The time of the commit, or what `SOURCE_DATE_EPOCH` says.
#[expect(
    clippy::disallowed_methods,
    reason = "the variable is how reproducible builds are given their time"
)]
fn moment_of_commit(root: &Path) -> Result<u64, String> {
    let text = match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(text) => text,
        Err(_) => output(
            Command::new("git")
                .args(["log", "-1", "--format=%ct"])
                .current_dir(root),
        )?,
    };
    let text = text.trim();
    text.parse()
        .map_err(|_| format!("not a number of seconds: {text}"))
}
