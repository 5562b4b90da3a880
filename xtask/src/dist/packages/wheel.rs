//! A Python wheel that contains the binary as its script: `pip install windlass`, `uvx windlass`.

use std::fmt::Write as _;

use super::{File, SUMMARY};
use crate::dist::archive::{Entry, zip};
use crate::dist::checksums;
use crate::dist::manifests::registry_name;
use crate::dist::release::{Release, below};

pub fn make(release: &Release) -> Result<Option<File>, String> {
    let version = &release.version;
    let tags = tags(release);
    let info = format!("windlass-{version}.dist-info/");
    let mut entries = vec![
        release.program(&format!("windlass-{version}.data/scripts/")),
        Entry::text(format!("{info}METADATA"), &metadata(release)),
        Entry::text(format!("{info}WHEEL"), &wheel(&tags)),
    ];
    entries.extend(below(&format!("{info}licenses/"), &release.licenses));
    entries.push(Entry::text(
        format!("{info}sboms/windlass.cdx.json"),
        &release.sbom,
    ));
    let record = record(&entries, &info);
    entries.push(record);
    let name = format!("windlass-{version}-py3-none-{}.whl", tags.join("."));
    let bytes = zip::archive(&entries, release.seconds, release.level)?;
    Ok(Some((name, bytes)))
}

/// The systems that the wheel can be installed on.
fn tags(release: &Release) -> Vec<String> {
    let architecture = release.platform.wheel;
    match (release.platform.linux, release.glibc) {
        (None, _) => vec![architecture.to_owned()],
        (Some(_), Some(minor)) => vec![format!("manylinux_2_{minor}_{architecture}")],
        // A static binary runs with any C library.
        (Some(_), None) => vec![
            format!("manylinux_2_17_{architecture}"),
            format!("musllinux_1_1_{architecture}"),
        ],
    }
}

fn metadata(release: &Release) -> String {
    let mut text = format!(
        "Metadata-Version: 2.4\nName: windlass\nVersion: {}\nSummary: {SUMMARY}\n\
         License-Expression: MIT OR Apache-2.0\n",
        release.version
    );
    for license in &release.licenses {
        let _ = writeln!(text, "License-File: {}", license.path);
    }
    let readme = String::from_utf8_lossy(&release.readme.bytes);
    text.push_str("Requires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n");
    text.push_str(&readme);
    if let Some(repository) = &release.repository {
        // The registry of MCP servers looks for its name in the description.
        let _ = write!(text, "\n<!-- mcp-name: {} -->\n", registry_name(repository));
    }
    text
}

fn wheel(tags: &[String]) -> String {
    let mut text = format!(
        "Wheel-Version: 1.0\nGenerator: windlass-xtask {}\nRoot-Is-Purelib: false\n",
        env!("CARGO_PKG_VERSION")
    );
    for tag in tags {
        let _ = writeln!(text, "Tag: py3-none-{tag}");
    }
    text
}

/// The list of all files with their checksums; it does not contain its own.
fn record(entries: &[Entry], info: &str) -> Entry {
    let path = format!("{info}RECORD");
    let mut text = String::new();
    for entry in entries {
        let checksum = checksums::base64url(&checksums::digest(&entry.bytes));
        let _ = writeln!(
            text,
            "{},sha256={checksum},{}",
            entry.path,
            entry.bytes.len()
        );
    }
    let _ = writeln!(text, "{path},,");
    Entry::text(path, &text)
}
