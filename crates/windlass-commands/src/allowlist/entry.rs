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
    /// The fingerprints that commands had when they were allowed, by name. With scope Task, a named
    /// command without one is allowed whatever its text is. With scope File, the commands with one
    /// are the only ones that are allowed, unless there is no table at all.
    #[serde(default, alias = "pin")]
    pub pins: Option<BTreeMap<String, Pin>>,
}

impl Entry {
    /// The pin of a command, if it has one.
    pub fn pin(&self, name: &str) -> Option<&Pin> {
        self.pins.as_ref()?.get(name)
    }

    /// Every fingerprint of the entry.
    pub fn fingerprints(&self) -> impl Iterator<Item = &str> {
        let pins = self.pins.iter().flat_map(BTreeMap::values);
        pins.flat_map(|pin| pin.0.iter().map(String::as_str))
    }
}

/// The fingerprints of one name. There are several where two files include the same one, so that its
/// commands exist twice.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "WrittenPin")]
pub struct Pin(pub Vec<String>);

#[derive(Deserialize)]
#[serde(untagged)]
enum WrittenPin {
    One(String),
    Several(Vec<String>),
}

impl From<WrittenPin> for Pin {
    fn from(written: WrittenPin) -> Self {
        match written {
            WrittenPin::One(fingerprint) => Self(vec![fingerprint]),
            WrittenPin::Several(fingerprints) => Self(fingerprints),
        }
    }
}

impl Pin {
    pub fn holds(&self, fingerprint: &str) -> bool {
        self.0.iter().any(|known| known == fingerprint)
    }
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
