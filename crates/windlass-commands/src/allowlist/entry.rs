//! One entry of the file.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

/// What an entry covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Scope {
    /// This one start. Never stored; an entry that says so allows nothing.
    Once,
    /// Named commands of one file.
    Task,
    /// All commands of one file.
    File,
    /// All commands of all files under a folder.
    Directory,
    /// Nothing: what it matches is refused, whatever else allows it.
    Deny,
}

impl Scope {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Once => "Once",
            Self::Task => "Task",
            Self::File => "File",
            Self::Directory => "Directory",
            Self::Deny => "Deny",
        }
    }
}

/// A misspelt key would make a grant wider than it was meant, so none is passed over.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    pub path: PathBuf,
    pub scope: Scope,
    #[serde(default)]
    pub tasks: Option<Vec<String>>,
    /// The fingerprints that named commands had when they were allowed.
    #[serde(default, alias = "pin")]
    pub pins: BTreeMap<String, String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    #[serde(default)]
    pub entries: Vec<Entry>,
}
