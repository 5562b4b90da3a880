//! Packs that were refused, so that not every process reads them again and says so again.
//!
//! It is only a memory: without it a file is read once more.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use windlass_store::{PackName, Project};

/// What tells a file from another one of the same name: its length and when it was changed.
pub type Stamp = Option<(u64, i64, i64)>;

/// Far more than there are; whoever fills the folder gets his files read again.
const MOST: usize = 1000;
const FILE: &str = "refused-packs.json";

#[derive(Debug, Default)]
pub struct Refused {
    file: Option<PathBuf>,
    content: Content,
    has_changed: bool,
}

#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Content {
    /// Another version may be able to read them.
    version: String,
    packs: BTreeMap<String, Stamp>,
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

impl Refused {
    /// What processes of this project refused.
    pub fn of(project: &Project) -> Self {
        let file = project.state().join(FILE);
        Self {
            content: read(&file),
            file: Some(file),
            has_changed: false,
        }
    }

    pub(super) fn knows(&self, name: &PackName, stamp: Stamp) -> bool {
        self.content.version == VERSION
            && stamp.is_some()
            && self.content.packs.get(name.as_str()) == Some(&stamp)
    }

    pub(super) fn add(&mut self, name: &PackName, stamp: Stamp) {
        if self.content.version != VERSION || self.content.packs.len() >= MOST {
            self.content = Content {
                version: VERSION.to_owned(),
                ..Content::default()
            };
        }
        self.content.packs.insert(name.as_str().to_owned(), stamp);
        self.has_changed = true;
    }

    /// Keeps it for the next process, if it can be kept.
    pub fn save(&mut self) {
        let Some(file) = self.file.as_ref().filter(|_| self.has_changed) else {
            return;
        };
        let beside = file.with_extension(format!("{}.new", std::process::id()));
        let text = serde_json::to_string(&self.content).unwrap_or_default();
        if fs::write(&beside, text).is_ok() && fs::rename(&beside, file).is_ok() {
            self.has_changed = false;
        }
    }
}

fn read(file: &Path) -> Content {
    let text = fs::read_to_string(file).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}
