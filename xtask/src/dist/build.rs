//! Builds the binary as it is shipped: for the oldest C library that is possible, and without the
//! paths of this machine.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::options::Options;
use super::platform::Platform;
use crate::programs::{output, succeeds};
use crate::{cargo, progress};

/// The oldest glibc that Rust supports, which is that of CentOS 7.
const OLDEST_GLIBC: &str = "2.17";

/// A binary and what it was built for.
pub struct Built {
    pub path: PathBuf,
    pub platform: &'static Platform,
}

impl Built {
    /// A binary that is there already, for the given target or for this machine.
    pub fn given(path: &Path, options: &Options) -> Result<Self, String> {
        let target = match &options.target {
            Some(target) => without_glibc(target).to_owned(),
            None => host()?,
        };
        Ok(Self {
            path: path.to_owned(),
            platform: Platform::of(&target)?,
        })
    }
}

/// Builds for the target of the options. By default that is this machine, with the oldest glibc if
/// `cargo zigbuild` is installed, and with the glibc of this machine if not.
pub fn build(root: &Path, options: &Options) -> Result<Built, String> {
    let has_zig = succeeds(Command::new("cargo-zigbuild").args(["zigbuild", "--help"]));
    let target = match &options.target {
        Some(target) => target.clone(),
        None => default_target(&host()?, has_zig),
    };
    let platform = Platform::of(without_glibc(&target))?;
    let wants_glibc = target != platform.target;
    if wants_glibc && !has_zig {
        return Err(format!(
            "{target} needs cargo zigbuild: pip install cargo-zigbuild ziglang"
        ));
    }
    let with = if wants_glibc { "zigbuild" } else { "build" };
    progress(&format!(
        "Building windlass for {target} (over ten minutes on two cores)…"
    ));
    let (rust_flags, c_flags) = path_flags(root)?;
    let status = cargo::command(root)
        .args([with, "--release", "--locked", "--package", "windlass"])
        .args(["--bin", "windlass", "--target", &target])
        .env("RUSTFLAGS", rust_flags)
        .env("CFLAGS", c_flags)
        .status()
        .map_err(|problem| format!("cargo: {problem}"))?;
    if !status.success() {
        return Err("windlass could not be built.".to_owned());
    }
    let folder = cargo::target_folder(root)?.join(platform.target);
    Ok(Built {
        path: folder.join("release").join(platform.program()),
        platform,
    })
}

fn default_target(host: &str, has_zig: bool) -> String {
    if has_zig && host.ends_with("-linux-gnu") {
        return format!("{host}.{OLDEST_GLIBC}");
    }
    host.to_owned()
}

fn without_glibc(target: &str) -> &str {
    target.split_once('.').map_or(target, |(target, _)| target)
}

fn host() -> Result<String, String> {
    let printed = output(Command::new("rustc").arg("-vV"))?;
    let host = printed.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned)
        .ok_or_else(|| "rustc does not say what it builds for".to_owned())
}

/// Flags for rustc and for C compilers that replace the folders of this machine, which would else be
/// in panic messages: the workspace, and the sources of crates.
fn path_flags(root: &Path) -> Result<(String, String), String> {
    let metadata = cargo::metadata(root, &["--locked"])?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let mut folders: Vec<(PathBuf, &str)> = packages
        .filter(|package| !package["source"].is_null())
        .filter_map(|package| {
            Path::new(package["manifest_path"].as_str()?)
                .parent()?
                .parent()
        })
        .map(|folder| (folder.to_owned(), "/crates"))
        .collect();
    folders.push((root.to_owned(), "/windlass"));
    folders.sort();
    folders.dedup();
    let flags = |prefix: &str| {
        let flag =
            |(folder, name): &(PathBuf, &str)| format!("{prefix}={}={name}", folder.display());
        folders.iter().map(flag).collect::<Vec<_>>().join(" ")
    };
    Ok((flags("--remap-path-prefix"), flags("-ffile-prefix-map")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_glibc_is_used_where_that_is_possible() {
        let linux = "x86_64-unknown-linux-gnu";
        assert_eq!(default_target(linux, true), format!("{linux}.2.17"));
        assert_eq!(default_target(linux, false), linux);
        let mac = "aarch64-apple-darwin";
        assert_eq!(default_target(mac, true), mac);
        assert_eq!(without_glibc(&default_target(linux, true)), linux);
    }
}
