use crate::prelude::*;
use serde_json::json;

use super::signal::{Acknowledged, required, say};

pub struct Partial;

/// Report that part of the task is done. Closes the session; what remains is stored for the next one.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// What was done.
    pub summary: String,
    /// What remains to be done.
    pub remaining: String,
}

impl Operation for Partial {
    type Input = Input;
    type Output = Acknowledged;

    const DECLARATION: Declaration = Declaration::write("partial", Toolset::Focus)
        .sdk("focus.partial")
        .examples(&[Example::call(
            "Half of it",
            r#"{"summary": "Login works", "remaining": "Logout"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<Acknowledged> {
        required("summary", &input.summary)?;
        required("remaining", &input.remaining)?;
        let body = json!({"summary": input.summary, "remaining": input.remaining});
        say(&context, "partial", &body, |_, _, _| {
            Ok(
                "Noted: the task is open again when the session ends, with what remains."
                    .to_owned(),
            )
        })
    }
}
