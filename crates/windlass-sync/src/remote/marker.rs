//! The object that says that a prefix is a remote, and in which format: `windlass.json`.

use object_store::{Error as StoreError, ObjectStoreExt as _, PutMode, PutOptions};
use serde_json::{Value as Json, json};

use super::{Remote, RemoteError};

/// The newest format that this version reads and writes.
const FORMAT: u64 = 1;
const NAME: &str = "windlass.json";
/// A marker is a line.
const LONGEST: u64 = 4096;

impl Remote {
    /// Checks the format of the remote, and writes the marker of a new one.
    pub async fn prepare(&self) -> Result<(), RemoteError> {
        self.check_present()?;
        let key = self.key([NAME]);
        let text = match self.store().get_range(&key, 0..LONGEST).await {
            Ok(text) => text,
            Err(StoreError::NotFound { .. }) => {
                let text = json!({ "format": FORMAT }).to_string() + "\n";
                let options = PutOptions::from(PutMode::Create);
                return match self.store().put_opts(&key, text.into(), options).await {
                    Ok(_) | Err(StoreError::AlreadyExists { .. }) => Ok(()),
                    Err(problem) => Err(problem.into()),
                };
            }
            Err(problem) => return Err(problem.into()),
        };
        let marker: Option<Json> = serde_json::from_slice(&text).ok();
        match marker.and_then(|marker| marker["format"].as_u64()) {
            Some(found) if found <= FORMAT => Ok(()),
            Some(found) => Err(RemoteError::Newer {
                found,
                known: FORMAT,
            }),
            None => Err(RemoteError::Refused(format!(
                "its {NAME} was not written by windlass"
            ))),
        }
    }
}
