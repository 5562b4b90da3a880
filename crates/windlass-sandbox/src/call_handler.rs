//! The interface that handles the calls of a script.

use std::future::Future;
use std::pin::Pin;

use serde::{Deserialize, Serialize};

/// The future result of a call, as JSON text.
pub type CallFuture<'a> = Pin<Box<dyn Future<Output = Result<String, CallError>> + Send + 'a>>;

/// Handles the calls of one script. Calls that a script does not await one by one run concurrently.
pub trait CallHandler: Send + Sync {
    /// Calls the method with this index in the table of methods, with its arguments as JSON text.
    /// Texts are passed through in both directions: nothing between the script and the operation
    /// reads them.
    fn call(&self, method: usize, arguments: String) -> CallFuture<'_>;
}

/// Why a call failed. The script receives it as an `Error` with these properties.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallError {
    /// A stable code.
    pub code: String,
    /// The kind of error.
    pub tag: String,
    /// What happened.
    pub message: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl CallError {
    /// The error for arguments that are not JSON.
    pub fn unreadable_arguments(problem: &serde_json::Error) -> Self {
        let message = format!("The arguments cannot be parsed: {problem}");
        Self::of_bridge("invalid_params", message)
    }

    /// An error of the bridge itself; its tag equals its code.
    pub(crate) fn of_bridge(code: &str, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            tag: code.to_owned(),
            message: message.into(),
            hint: None,
        }
    }
}
