//! Manifests for Scoop and winget. They exist only where there is an archive for Windows.

use super::template::fill;
use super::{Files, owner};
use crate::dist::packages::{File, SUMMARY};

const TARGET: &str = "x86_64-pc-windows-msvc";

/// Names of files, in which OWNER is replaced, and their templates.
const TEMPLATES: &[(&str, &str)] = &[
    ("windlass.scoop.json", include_str!("scoop.json.template")),
    ("OWNER.Windlass.yaml", include_str!("winget.yaml.template")),
    (
        "OWNER.Windlass.installer.yaml",
        include_str!("winget.installer.yaml.template"),
    ),
    (
        "OWNER.Windlass.locale.en-US.yaml",
        include_str!("winget.locale.yaml.template"),
    ),
];

pub fn make(files: &Files, repository: &str) -> Result<Vec<File>, String> {
    let Some(archive) = files.archive(TARGET) else {
        return Ok(Vec::new());
    };
    let (url, checksum) = (files.url(repository, &archive), files.sha256(&archive)?);
    let folder = archive.trim_end_matches(".zip");
    let values = [
        ("version", files.version),
        ("summary", SUMMARY),
        ("repository", repository),
        ("owner", owner(repository)),
        ("url", &url),
        ("sha256", &checksum),
        ("folder", folder),
    ];
    let file = |(name, template): &(&str, &str)| {
        let name = name.replace("OWNER", owner(repository));
        Ok((name, fill(template, &values)?.into_bytes()))
    };
    TEMPLATES.iter().map(file).collect()
}
