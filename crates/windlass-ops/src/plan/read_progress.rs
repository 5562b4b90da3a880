use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::journal::{Journal, JournalText};

use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct ReadProgress;

/// Read .windlass/progress.txt: what was done in this project, in order.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {}

impl Operation for ReadProgress {
    type Input = Input;
    type Output = JournalText;

    const DECLARATION: Declaration = Declaration {
        name: "read_progress",
        toolset: Toolset::Plan,
        cli: &["journal", "progress"],
        sdk: "journal.read_progress",
        effect: Effect::Read,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "The whole file",
            cli: &["journal", "progress"],
            input: "{}",
        }],
    };

    async fn run(context: Context, input: Input) -> Result<JournalText> {
        let Input {} = input;
        Journal::Progress.read(&context)
    }
}
