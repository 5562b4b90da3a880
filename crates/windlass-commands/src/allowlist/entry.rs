//! One entry of the allowlist.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

/// What an entry covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Scope {
    /// One single start. Never stored; a stored entry with this scope allows nothing.
    Once,
    /// Named commands of one file.
    Task,
    /// All commands of one file.
    File,
    /// All commands of all files under a folder.
    Directory,
    /// Denies what it matches, whatever other entries allow.
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

/// Unknown keys are rejected: a misspelt key could make a grant wider than intended.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    pub path: PathBuf,
    pub scope: Scope,
    #[serde(default)]
    pub tasks: Option<Vec<String>>,
    /// The fingerprints of the named commands when they were allowed.
    #[serde(default, alias = "pin")]
    pub pins: BTreeMap<String, String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    /// In the list of the system: whether the lists of users are ignored.
    #[serde(default)]
    pub exclusive: bool,
    #[serde(default)]
    pub entries: Vec<Entry>,
}
