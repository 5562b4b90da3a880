//! What a person's grant of a command is pinned to: everything that decides what the command runs,
//! as it was when the command was read.

use std::sync::Arc;

use crate::command::fingerprint;

/// How much of a file is pinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Extent {
    /// Every byte: the file is a program, or may contain one anywhere.
    Whole,
    /// The named parts of a data file, in canonical form.
    Parts(&'static str),
    /// The file does not exist, but would decide if it did.
    Absent,
}

/// One file that decides what a command runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinnedFile {
    /// Relative to the root, with `/`.
    pub path: String,
    pub extent: Extent,
    /// What is pinned, as a person should see it. Empty if the file is absent.
    pub text: Arc<str>,
    /// SHA-256 of the text, in hexadecimal.
    pub sha256: String,
}

/// Everything that decides what one command runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pins {
    /// In the order in which a person should read them; each path at most once.
    pub files: Vec<PinnedFile>,
    /// Why no grant of the scopes Task and File can cover the command: what decides cannot be read.
    pub unreadable: Vec<String>,
}

/// The SHA-256 of an empty text.
const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

impl PinnedFile {
    /// A file that would decide if it existed.
    pub fn absent(path: &str) -> Self {
        Self {
            path: path.to_owned(),
            extent: Extent::Absent,
            text: Arc::default(),
            sha256: EMPTY.to_owned(),
        }
    }

    pub fn new(path: &str, extent: Extent, text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        Self {
            path: path.to_owned(),
            extent,
            sha256: fingerprint(&text),
            text,
        }
    }
}

impl Pins {
    /// Adds a file unless the path is already pinned.
    pub fn add(&mut self, file: PinnedFile) {
        if !self.files.iter().any(|known| known.path == file.path) {
            self.files.push(file);
        }
    }

    /// SHA-256 over all that is pinned, and over the reasons why something cannot be.
    pub(crate) fn digest(&self) -> String {
        use std::fmt::Write as _;
        let mut rows = String::with_capacity(self.files.len() * 128);
        for file in &self.files {
            let PinnedFile {
                path,
                extent,
                sha256,
                ..
            } = file;
            // Writing to a string cannot fail.
            let _ = writeln!(rows, "{path:?} {extent:?} {sha256}");
        }
        for reason in &self.unreadable {
            let _ = writeln!(rows, "{reason:?}");
        }
        fingerprint(&rows)
    }
}
