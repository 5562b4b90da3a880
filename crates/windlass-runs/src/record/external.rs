//! A run that is executed elsewhere.

use serde::{Deserialize, Serialize};

/// How a run is found again that is executed elsewhere. It is on record before anything is started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct External {
    /// What it is started under, so that it is not started twice.
    pub token: String,
    /// What the frames of its script are recognised by.
    pub nonce: String,
    /// Its id there, once it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// A page that shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Its state there, in the words of that place: `queued`, `PROVISIONING`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}
