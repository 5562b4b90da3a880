use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use windlass_core::Result;

use super::say::{Acknowledged, required, say};

use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct Stuck;

/// No way on with the task. Closes the session; after three such sessions in a row the task waits
/// for a person.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// What is in the way.
    pub reason: String,
}

impl Operation for Stuck {
    type Input = Input;
    type Output = Acknowledged;

    const DECLARATION: Declaration = Declaration {
        name: "stuck",
        toolset: Toolset::Focus,
        cli: &["focus", "stuck"],
        sdk: "focus.stuck",
        effect: Effect::Write,
        idempotent: false,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "The reason",
            cli: &["focus", "stuck", "The test server is down"],
            input: r#"{"reason": "The test server is down"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<Acknowledged> {
        required("reason", &input.reason)?;
        let body = json!({"reason": input.reason});
        say(&context, "stuck", &body, |_, _, _| {
            Ok("Noted: the task is open again when the session ends.".to_owned())
        })
    }
}
