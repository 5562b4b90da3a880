//! Whether what was learned or noted still holds, as far as anyone has said.

use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// What was said about something that is remembered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Truth {
    /// When somebody last found that it still holds, and who.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed_by: Option<String>,
    /// When somebody found that it does not hold any more, and who.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retired_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retired_by: Option<String>,
    /// What holds instead, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<String>,
}

impl Truth {
    /// It holds, says somebody now. What was said against it does not count any more.
    #[must_use]
    pub fn confirmed(by: &str) -> Self {
        Self {
            confirmed_at: Some(Timestamp::now()),
            confirmed_by: Some(by.to_owned()),
            ..Self::default()
        }
    }

    /// It does not hold any more, says somebody now.
    #[must_use]
    pub fn retired(self, by: &str, replaced_by: Option<&str>) -> Self {
        Self {
            retired_at: Some(Timestamp::now()),
            retired_by: Some(by.to_owned()),
            replaced_by: replaced_by.map(str::to_owned),
            ..self
        }
    }

    pub fn is_retired(&self) -> bool {
        self.retired_at.is_some()
    }
}
