use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use windlass_core::Result;

use super::say::{Acknowledged, required, say};

use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct Done;

/// The task is done. Closes the session; the last closing word counts.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// What was done, in a few sentences.
    pub summary: String,
}

impl Operation for Done {
    type Input = Input;
    type Output = Acknowledged;

    const DECLARATION: Declaration = Declaration {
        name: "done",
        toolset: Toolset::Focus,
        cli: &["focus", "done"],
        sdk: "focus.done",
        effect: Effect::Write,
        idempotent: false,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "All of it works",
            cli: &["focus", "done", "Login and logout work, with tests"],
            input: r#"{"summary": "Login and logout work, with tests"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<Acknowledged> {
        required("summary", &input.summary)?;
        let body = json!({"summary": input.summary});
        say(&context, "done", &body, |_, _, _| {
            Ok("Noted: the task is done when the session ends.".to_owned())
        })
    }
}
