use crate::prelude::*;
use serde_json::json;

use super::closing::Closing;
use super::signal::{Acknowledged, give_back, required};

pub struct Partial;

/// Give the task back with part of it done. What remains is told to whoever takes it next.
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
        let closing = Closing::Partial {
            summary: &input.summary,
            remaining: &input.remaining,
        };
        give_back(&context, &closing, &body)
    }
}
