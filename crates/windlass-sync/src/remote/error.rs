//! Why a remote could not be used.

use object_store::Error as StoreError;
use windlass_core::{Error, ErrorKind};
use windlass_objects::LocationError;

/// Why a remote could not be used.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// It does not answer. That is normal: it is tried again later.
    #[error("the remote cannot be reached: {0}")]
    Unreachable(String),
    /// It answers and refuses.
    #[error("the remote refuses the request: {0}")]
    Refused(String),
    /// The setting is wrong.
    #[error("{0}")]
    Location(String),
    /// A newer version of Windlass made it.
    #[error("the remote has format {found}, and this version knows up to {known}")]
    Newer {
        /// Its format.
        found: u64,
        /// The newest that this version knows.
        known: u64,
    },
    /// It has more packs than are listed at once.
    #[error("the remote has more than {0} packs")]
    TooManyPacks(usize),
    /// The state could not be read or written.
    #[error("{}", .0.message())]
    State(#[from] Error),
}

impl RemoteError {
    /// Whether it may work later without anybody changing anything.
    pub const fn is_transient(&self) -> bool {
        matches!(self, Self::Unreachable(_))
    }

    /// The error as operations report it.
    pub fn into_error(self) -> Error {
        let hint = match &self {
            Self::State(error) => return error.clone(),
            Self::Unreachable(_) => {
                "Check the network and the endpoint. Work goes on without the remote, and is sent with the next sync that reaches it."
            }
            Self::Refused(_) => {
                "Check the credentials in the environment and the rights that they have: list, read, write and delete below the prefix."
            }
            // It says what to give instead.
            Self::Location(_) => return Error::validation("remote", self),
            Self::Newer { .. } => "Upgrade windlass.",
            Self::TooManyPacks(_) => "Compact the packs of the remote: `windlass sync --compact`.",
        };
        Error::new(ErrorKind::StorageError, self.to_string()).with_hint(hint)
    }
}

impl From<StoreError> for RemoteError {
    fn from(error: StoreError) -> Self {
        let text = chain(&error);
        match error {
            StoreError::PermissionDenied { .. }
            | StoreError::Unauthenticated { .. }
            | StoreError::InvalidPath { .. }
            | StoreError::NotSupported { .. }
            | StoreError::NotImplemented { .. }
            | StoreError::UnknownConfigurationKey { .. }
            | StoreError::NotFound { .. } => Self::Refused(text),
            _ => Self::Unreachable(text),
        }
    }
}

impl From<LocationError> for RemoteError {
    fn from(error: LocationError) -> Self {
        match error {
            LocationError::Missing(_) => Self::Unreachable(error.to_string()),
            _ => Self::Location(chain(&error)),
        }
    }
}

/// The error with its causes, each once: clients repeat the text of the cause in their own. Errors of
/// a server quote its answer, which may be a page.
fn chain(error: &dyn std::error::Error) -> String {
    const LONGEST: usize = 400;
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() > LONGEST {
        return text.chars().take(LONGEST).chain(['…']).collect();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generic(text: &str) -> StoreError {
        StoreError::Generic {
            store: "S3",
            source: text.into(),
        }
    }

    #[test]
    fn what_goes_away_by_itself_is_told_from_what_does_not() {
        let offline = RemoteError::from(generic("connection refused"));
        assert!(offline.is_transient());
        assert_eq!(
            offline.to_string(),
            "the remote cannot be reached: Generic S3 error: connection refused"
        );
        let denied = RemoteError::from(StoreError::PermissionDenied {
            path: "a".to_owned(),
            source: "403".into(),
        });
        assert!(!denied.is_transient());
        let missing = RemoteError::from(LocationError::Missing("/mnt/x".into()));
        assert!(missing.is_transient());
    }

    #[test]
    fn a_page_is_cut() {
        let text = RemoteError::from(generic(&"x".repeat(5000))).to_string();
        assert!(text.chars().count() < 500);
    }
}
