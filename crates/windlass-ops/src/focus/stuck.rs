use crate::prelude::*;
use serde_json::json;

use super::signal::{Acknowledged, required, say};

pub struct Stuck;

/// Report that the task cannot continue. Closes the session; after three such sessions in a row the
/// task waits for a person.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// What is in the way.
    pub reason: String,
}

impl Operation for Stuck {
    type Input = Input;
    type Output = Acknowledged;

    const DECLARATION: Declaration = Declaration::write("stuck", Toolset::Focus)
        .sdk("focus.stuck")
        .examples(&[Example::call(
            "The reason",
            r#"{"reason": "The test server is down"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<Acknowledged> {
        required("reason", &input.reason)?;
        let body = json!({"reason": input.reason});
        say(&context, "stuck", &body, |_, _, _| {
            Ok("Noted: the task is open again when the session ends.".to_owned())
        })
    }
}
