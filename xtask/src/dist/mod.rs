//! `cargo xtask dist`: builds the binary as it is shipped, and packs it for every way to install it.
//!
//! Nothing is published. Two runs from the same commit write equal files: archives are written here,
//! with sorted entries and the time of the commit, and the build leaves out the paths of the machine.

mod archive;
mod build;
mod checksums;
mod elf;
mod licenses;
mod linked;
mod manifests;
mod moment;
mod options;
mod packages;
mod platform;
mod release;
mod sbom;
mod web;

#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use self::options::Options;
use self::release::Release;
use crate::{cargo, progress};

/// Builds and packs, or only packs the binary that the options name.
pub fn run(root: &Path, arguments: &[&str]) -> Result<String, String> {
    let options = Options::parse(root, arguments)?;
    let built = match &options.binary {
        Some(binary) => build::Built::given(binary, &options)?,
        None => build::build(root, &options)?,
    };
    pack(root, &built, &options)
}

/// Writes what refers to the packages of all systems, once they are in one folder.
pub fn run_manifests(root: &Path, arguments: &[&str]) -> Result<String, String> {
    let options = Options::parse(root, arguments)?;
    manifests::write(
        &options.out,
        &cargo::version(root)?,
        options.repository.as_deref(),
    )?;
    checksums::write(&options.out)?;
    report(&options.out)
}

fn pack(root: &Path, built: &build::Built, options: &Options) -> Result<String, String> {
    progress("Collecting completions, man pages, licences and the list of crates…");
    let release = Release::collect(root, built, options)?;
    fs::create_dir_all(&options.out)
        .map_err(|problem| format!("{}: {problem}", options.out.display()))?;
    for package in packages::PACKAGES {
        if !options.wants(package.name) {
            continue;
        }
        if let Some((name, bytes)) = (package.make)(&release)? {
            progress(&format!("Packed {name}"));
            let path = options.out.join(&name);
            fs::write(path, bytes).map_err(|problem| format!("{name}: {problem}"))?;
        }
    }
    let version = &release.version;
    manifests::write(&options.out, version, options.repository.as_deref())?;
    checksums::write(&options.out)?;
    let needs = release.requirement();
    Ok(format!("{}\n{needs}", report(&options.out)?))
}

/// The files of the folder with their sizes.
fn report(folder: &Path) -> Result<String, String> {
    let mut text = format!("{}:", folder.display());
    for name in manifests::files_of(folder)? {
        let path = folder.join(&name);
        let size = fs::metadata(&path)
            .map_err(|problem| format!("{name}: {problem}"))?
            .len();
        let _ = write!(text, "\n{size:>12}  {name}");
    }
    Ok(text)
}
