use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::journal::{Appended, Journal};

use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct AppendProgress;

/// Append to .windlass/progress.txt, with the time before it.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// What to write down.
    pub text: String,
}

impl Operation for AppendProgress {
    type Input = Input;
    type Output = Appended;

    const DECLARATION: Declaration = Declaration {
        name: "append_progress",
        toolset: Toolset::Plan,
        cli: &["journal", "add-progress"],
        sdk: "journal.append_progress",
        effect: Effect::Write,
        idempotent: false,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "A line",
            cli: &["journal", "add-progress", "Login works"],
            input: r#"{"text": "Login works"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<Appended> {
        Journal::Progress.append(&context, &input.text)
    }
}
