//! Archives whose bytes depend on their files only: entries are sorted, owners and times are fixed.

pub mod ar;
pub mod gzip;
pub mod tar;
pub mod zip;

use std::rc::Rc;

/// A file of an archive.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The path in the archive, with slashes and without a leading one.
    pub path: String,
    pub bytes: Rc<[u8]>,
    pub is_executable: bool,
}

impl Entry {
    pub fn new(path: impl Into<String>, bytes: impl Into<Rc<[u8]>>) -> Self {
        Self {
            path: path.into(),
            bytes: bytes.into(),
            is_executable: false,
        }
    }

    pub fn text(path: impl Into<String>, text: &str) -> Self {
        Self::new(path, text.as_bytes())
    }

    pub fn executable(mut self) -> Self {
        self.is_executable = true;
        self
    }

    fn mode(&self) -> u32 {
        if self.is_executable { 0o755 } else { 0o644 }
    }
}

fn sorted(entries: &[Entry]) -> Vec<&Entry> {
    let mut sorted: Vec<&Entry> = entries.iter().collect();
    sorted.sort_by(|one, other| one.path.cmp(&other.path));
    sorted
}
