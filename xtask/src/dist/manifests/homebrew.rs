//! A formula for Homebrew, for macOS and Linux.

use std::fmt::Write as _;

use super::Files;
use super::template::fill;
use crate::dist::packages::{File, SUMMARY};

const TEMPLATE: &str = include_str!("windlass.rb.template");

/// A system and a processor of Homebrew, and their targets, the preferred one first.
type Variant = (&'static str, &'static str, &'static [&'static str]);

const VARIANTS: &[Variant] = &[
    ("macos", "arm", &["aarch64-apple-darwin"]),
    ("macos", "intel", &["x86_64-apple-darwin"]),
    (
        "linux",
        "arm",
        &["aarch64-unknown-linux-musl", "aarch64-unknown-linux-gnu"],
    ),
    (
        "linux",
        "intel",
        &["x86_64-unknown-linux-musl", "x86_64-unknown-linux-gnu"],
    ),
];

pub fn make(files: &Files, repository: &str) -> Result<Option<File>, String> {
    let mut systems = String::new();
    for (system, processor, targets) in VARIANTS {
        let Some(name) = targets.iter().find_map(|target| files.archive(target)) else {
            continue;
        };
        let (url, checksum) = (files.url(repository, &name), files.sha256(&name)?);
        let _ = write!(
            systems,
            "\n  on_{system} do\n    on_{processor} do\n      url \"{url}\"\n      \
             sha256 \"{checksum}\"\n    end\n  end\n"
        );
    }
    if systems.is_empty() {
        return Ok(None);
    }
    let text = fill(
        TEMPLATE,
        &[
            ("summary", SUMMARY),
            ("repository", repository),
            ("version", files.version),
            ("systems", &systems),
        ],
    )?;
    Ok(Some(("windlass.rb".to_owned(), text.into_bytes())))
}
