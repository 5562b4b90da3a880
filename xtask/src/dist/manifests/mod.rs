//! What refers to packages of several systems: the npm package that people install, and descriptions
//! for Homebrew, Scoop, winget and the registry of MCP servers. They are made from the files that are
//! in the folder, and leave out what is not there.

mod homebrew;
mod npm;
mod registry;
mod template;
mod windows;

use std::fs;
use std::path::Path;

pub use self::registry::name as registry_name;
use super::checksums;
use super::packages::File;

/// Writes all of them. Without a repository nobody knows where downloads will be, so only the npm
/// package is written.
pub fn write(folder: &Path, version: &str, repository: Option<&str>) -> Result<(), String> {
    let files = || {
        Ok::<_, String>(Files {
            folder,
            names: files_of(folder)?,
            version,
        })
    };
    write_files(folder, npm::make(&files()?, repository)?)?;
    let Some(repository) = repository else {
        return Ok(());
    };
    // With the npm package.
    let files = files()?;
    write_files(folder, homebrew::make(&files, repository)?)?;
    write_files(folder, windows::make(&files, repository)?)?;
    write_files(folder, registry::make(&files, repository)?)
}

fn write_files(folder: &Path, files: impl IntoIterator<Item = File>) -> Result<(), String> {
    for (name, bytes) in files {
        fs::write(folder.join(&name), bytes).map_err(|problem| format!("{name}: {problem}"))?;
    }
    Ok(())
}

/// The names of all files of a folder, in their order.
pub fn files_of(folder: &Path) -> Result<Vec<String>, String> {
    let failed = |problem: std::io::Error| format!("{}: {problem}", folder.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.path().is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// The packages of a release.
struct Files<'a> {
    folder: &'a Path,
    names: Vec<String>,
    version: &'a str,
}

impl Files<'_> {
    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    fn ending(&self, end: &str) -> impl Iterator<Item = &String> {
        self.names.iter().filter(move |name| name.ends_with(end))
    }

    fn sha256(&self, name: &str) -> Result<String, String> {
        let bytes = fs::read(self.folder.join(name));
        let bytes = bytes.map_err(|problem| format!("{name}: {problem}"))?;
        Ok(checksums::sha256(&bytes))
    }

    /// Where a file can be downloaded once the release is published.
    fn url(&self, repository: &str, name: &str) -> String {
        format!("{repository}/releases/download/v{}/{name}", self.version)
    }

    /// The archive of a target, if it is there.
    fn archive(&self, target: &str) -> Option<String> {
        let extensions = ["tar.gz", "zip"];
        let name = |extension| format!("windlass-{}-{target}.{extension}", self.version);
        extensions.map(name).into_iter().find(|name| self.has(name))
    }
}

/// The owner in the URL of a repository.
fn owner(repository: &str) -> &str {
    repository.rsplit('/').nth(1).unwrap_or(repository)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_there_is_described() {
        let folder = crate::root().join(format!("target/dist-manifests-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let write_all = |names: &[&str]| {
            for name in names {
                fs::write(folder.join(name), name).unwrap();
            }
        };
        let url = "https://github.com/someone/windlass";
        write_all(&[
            "windlass-1.2.3-x86_64-unknown-linux-gnu.tar.gz",
            "windlass-linux-x64-1.2.3.tgz",
        ]);
        write(&folder, "1.2.3", Some(url)).unwrap();
        let names = files_of(&folder).unwrap();
        assert!(names.contains(&"windlass.rb".to_owned()), "{names:?}");
        assert!(
            !names.contains(&"windlass.scoop.json".to_owned()),
            "{names:?}"
        );
        let formula = fs::read_to_string(folder.join("windlass.rb")).unwrap();
        let archive = "https://github.com/someone/windlass/releases/download/v1.2.3/windlass-1.2.3-x86_64-unknown-linux-gnu.tar.gz";
        assert!(formula.contains(archive), "{formula}");
        assert!(!formula.contains("on_macos"), "{formula}");
        write_all(&[
            "windlass-1.2.3-aarch64-apple-darwin.tar.gz",
            "windlass-1.2.3-x86_64-pc-windows-msvc.zip",
        ]);
        write(&folder, "1.2.3", Some(url)).unwrap();
        let formula = fs::read_to_string(folder.join("windlass.rb")).unwrap();
        assert!(formula.contains("on_macos"), "{formula}");
        let names = files_of(&folder).unwrap();
        for name in ["windlass.scoop.json", "someone.Windlass.installer.yaml"] {
            assert!(names.contains(&name.to_owned()), "{names:?}");
        }
        let scoop = fs::read(folder.join("windlass.scoop.json")).unwrap();
        let scoop: serde_json::Value = serde_json::from_slice(&scoop).unwrap();
        let zip = checksums::sha256(b"windlass-1.2.3-x86_64-pc-windows-msvc.zip");
        assert_eq!(scoop["architecture"]["64bit"]["hash"], zip);
        fs::remove_dir_all(&folder).unwrap();
    }
}
