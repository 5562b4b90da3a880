use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::journal::{Appended, Journal};

use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct AppendLearning;

/// Append to .windlass/learnings.txt, with the time before it.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// What to write down.
    pub text: String,
}

impl Operation for AppendLearning {
    type Input = Input;
    type Output = Appended;

    const DECLARATION: Declaration = Declaration {
        name: "append_learning",
        toolset: Toolset::Plan,
        cli: &["journal", "add-learning"],
        sdk: "journal.append_learning",
        effect: Effect::Write,
        idempotent: false,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "A line",
            cli: &["journal", "add-learning", "The tests need PostgreSQL"],
            input: r#"{"text": "The tests need PostgreSQL"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<Appended> {
        Journal::Learnings.append(&context, &input.text)
    }
}
