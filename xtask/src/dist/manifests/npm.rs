//! The npm package `windlass`: a small script that starts the binary of the package that fits.

use flate2::Compression;
use serde_json::{Map, json};

use super::{Files, registry};
use crate::dist::archive::tar::{self, Folders};
use crate::dist::archive::{Entry, gzip};
use crate::dist::packages::{File, SUMMARY, npm_file_name};
use crate::dist::platform::PLATFORMS;

const START: &str = include_str!("windlass.js");

pub fn make(files: &Files, repository: Option<&str>) -> Result<Option<File>, String> {
    let mut parts = Map::new();
    for platform in PLATFORMS {
        let (system, cpu) = platform.npm;
        if files.has(&npm_file_name(files.version, system, cpu)) {
            parts.insert(platform.npm_name(), json!(files.version));
        }
    }
    if parts.is_empty() {
        return Ok(None);
    }
    let mut package = json!({
        "name": "windlass",
        "version": files.version,
        "description": SUMMARY,
        "license": "MIT OR Apache-2.0",
        "bin": { "windlass": "bin/windlass.js" },
        "engines": { "node": ">=18" },
        "optionalDependencies": parts,
    });
    if let Some(url) = repository {
        package["mcpName"] = json!(registry::name(url));
        package["repository"] = json!({ "type": "git", "url": format!("git+{url}.git") });
    }
    let entries = [
        Entry::text("package/package.json", &format!("{package:#}\n")),
        Entry::text("package/bin/windlass.js", START).executable(),
    ];
    // The start of 1985, which npm itself gives to all files.
    let tar = tar::archive(&entries, 499_162_500, Folders::Implied)?;
    let bytes = gzip::compress(&tar, Compression::best())?;
    Ok(Some((format!("windlass-{}.tgz", files.version), bytes)))
}
