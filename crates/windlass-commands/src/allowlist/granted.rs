//! What a person saw when they allowed a command: the files that its pin covers, with their text, so
//! that a change can be shown as a difference.
//!
//! It is kept beside the allowlist and decides nothing: only the fingerprint in an entry does. A list
//! of files is named by the fingerprint of its command, a text by its own hash, so that the commands
//! of one file share it. What no entry refers to is removed with the next change of the allowlist.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::command::{Command, fingerprint};
use crate::pins::Extent;

use super::edit::replace;

/// The folder beside the allowlist.
const FOLDER: &str = "granted";
/// A longer text is not kept; its hash still says whether it changed.
const LONGEST: usize = 1024 * 1024;

/// What one command was pinned to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantedText {
    pub fingerprint: String,
    /// The command line that was shown.
    pub command: String,
    /// When it was allowed.
    pub granted_at: String,
    pub files: Vec<GrantedFile>,
}

/// One of the files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantedFile {
    /// Relative to the root of the project.
    pub path: String,
    /// `whole`, `absent`, or which parts.
    pub extent: String,
    pub sha256: String,
    /// None if it was too long to keep, or is lost.
    #[serde(skip)]
    pub text: Option<String>,
}

impl GrantedText {
    /// The command as it is now.
    pub fn of(command: &Command, granted_at: String) -> Self {
        let files = command.pins.files.iter().map(|file| GrantedFile {
            path: file.path.clone(),
            extent: extent_name(file.extent),
            sha256: file.sha256.clone(),
            text: Some(file.text.to_string()),
        });
        Self {
            fingerprint: command.fingerprint.clone(),
            command: command.invocation.display_whole(),
            granted_at,
            files: files.collect(),
        }
    }

    /// What was kept beside the allowlist for a fingerprint.
    pub fn read(allowlist: &Path, fingerprint: &str) -> Option<Self> {
        let mut found = read_list(&folder(allowlist), fingerprint)?;
        for file in &mut found.files {
            file.text = read_text(&folder(allowlist), &file.sha256);
        }
        Some(found)
    }

    /// The paths of the files that are not what they were, new ones included. Empty if only the
    /// command line differs, or nothing does.
    pub fn changed_files(&self, command: &Command) -> Vec<String> {
        let now = GrantedText::of(command, String::new());
        let find = |files: &'_ [GrantedFile], path: &str| {
            let file = files.iter().find(|file| file.path == path);
            file.map(|file| (file.extent.clone(), file.sha256.clone()))
        };
        let paths: BTreeSet<&str> = self
            .files
            .iter()
            .chain(&now.files)
            .map(|it| &*it.path)
            .collect();
        paths
            .into_iter()
            .filter(|path| find(&self.files, path) != find(&now.files, path))
            .map(str::to_owned)
            .collect()
    }
}

/// How much of a file is pinned, in words that a record keeps.
fn extent_name(extent: Extent) -> String {
    match extent {
        Extent::Whole => "whole".to_owned(),
        Extent::Absent => "absent".to_owned(),
        Extent::Parts(parts) => parts.to_owned(),
    }
}

pub(super) fn folder(allowlist: &Path) -> PathBuf {
    allowlist.with_file_name(FOLDER)
}

/// Stores it, the texts first. What is there already has the same content, by its name.
pub(super) fn keep(allowlist: &Path, granted: &GrantedText) -> io::Result<()> {
    let folder = folder(allowlist);
    for file in &granted.files {
        let Some(text) = &file.text else { continue };
        let path = text_file(&folder, &file.sha256);
        if text.len() <= LONGEST && fingerprint(text) == file.sha256 && !path.exists() {
            replace(&path, text, 0o600)?;
        }
    }
    let text = serde_json::to_string(granted).map_err(io::Error::other)?;
    replace(&list_file(&folder, &granted.fingerprint), &text, 0o600)
}

/// Removes what belongs to none of the fingerprints. What cannot be removed stays for the next time.
pub(super) fn forget_others<'a>(allowlist: &Path, fingerprints: impl Iterator<Item = &'a str>) {
    let folder = folder(allowlist);
    let Ok(entries) = fs::read_dir(&folder) else {
        return;
    };
    let mut kept = HashSet::new();
    for fingerprint in fingerprints {
        if let Some(list) = read_list(&folder, fingerprint) {
            kept.insert(list_file(&folder, fingerprint));
            kept.extend(list.files.iter().map(|it| text_file(&folder, &it.sha256)));
        }
    }
    for path in entries.flatten().map(|entry| entry.path()) {
        if !kept.contains(&path) {
            let _ = fs::remove_file(path);
        }
    }
}

fn read_list(folder: &Path, fingerprint: &str) -> Option<GrantedText> {
    if !is_hash(fingerprint) {
        return None;
    }
    let text = fs::read_to_string(list_file(folder, fingerprint)).ok()?;
    let found: GrantedText = serde_json::from_str(&text).ok()?;
    (found.fingerprint == fingerprint).then_some(found)
}

fn read_text(folder: &Path, sha256: &str) -> Option<String> {
    if !is_hash(sha256) {
        return None;
    }
    let text = fs::read_to_string(text_file(folder, sha256)).ok()?;
    (fingerprint(&text) == sha256).then_some(text)
}

/// Fingerprints come from files that people edit; nothing else becomes part of a path.
fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn list_file(folder: &Path, fingerprint: &str) -> PathBuf {
    folder.join(format!("{fingerprint}.json"))
}

fn text_file(folder: &Path, sha256: &str) -> PathBuf {
    folder.join(format!("{sha256}.txt"))
}
