//! The interface that handles the calls of a script.

use std::future::Future;
use std::pin::Pin;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// The future result of a call.
pub type CallFuture<'a> = Pin<Box<dyn Future<Output = Result<Json, CallError>> + Send + 'a>>;

/// Handles the calls of one script. Calls that a script does not await one by one run concurrently.
pub trait CallHandler: Send + Sync {
    /// Calls `method` (`namespace.name`, as in the method table) with its arguments.
    fn call<'a>(&'a self, method: &'a str, arguments: Json) -> CallFuture<'a>;
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
