//! The npm package with the binary for one system. The package `windlass`, which people install,
//! depends on it optionally, so that npm installs the one that fits; nothing is downloaded by a
//! script.

use serde_json::json;

use super::File;
use crate::dist::archive::tar::{self, Folders};
use crate::dist::archive::{Entry, gzip};
use crate::dist::release::{Release, below};

pub fn make(release: &Release) -> Result<Option<File>, String> {
    let (system, cpu) = release.platform.npm;
    let mut package = json!({
        "name": release.platform.npm_name(),
        "version": release.version,
        "description": format!("The binary of windlass for {system} on {cpu}"),
        "license": "MIT OR Apache-2.0",
        "os": [system],
        "cpu": [cpu],
        "preferUnplugged": true,
    });
    if release.glibc.is_some() {
        package["libc"] = json!(["glibc"]);
    }
    let mut entries = vec![
        release.program("package/bin/"),
        Entry::text("package/package.json", &format!("{package:#}\n")),
    ];
    entries.extend(below("package/", &release.licenses));
    let tar = tar::archive(&entries, release.seconds, Folders::Implied)?;
    let bytes = gzip::compress(&tar, release.level)?;
    Ok(Some((file_name(&release.version, system, cpu), bytes)))
}

pub fn file_name(version: &str, system: &str, cpu: &str) -> String {
    format!("windlass-{system}-{cpu}-{version}.tgz")
}
