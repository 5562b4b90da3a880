use crate::prelude::*;
use serde_json::json;

use super::signal::{Acknowledged, required, say};

pub struct Done;

/// Report that the task is done. Closes the session; the last of done, partial and stuck counts.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// What was done, in a few sentences.
    pub summary: String,
}

impl Operation for Done {
    type Input = Input;
    type Output = Acknowledged;

    const DECLARATION: Declaration = Declaration::write("done", Toolset::Focus)
        .sdk("focus.done")
        .examples(&[Example::call(
            "All of it works",
            r#"{"summary": "Login and logout work, with tests"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<Acknowledged> {
        required("summary", &input.summary)?;
        let body = json!({"summary": input.summary});
        say(&context, "done", &body, |_, _, _| {
            Ok("Noted: the task is done when the session ends.".to_owned())
        })
    }
}
