use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::journal::{Journal, JournalText};

use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct ReadLearnings;

/// Read .windlass/learnings.txt: what was learnt in this project.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {}

impl Operation for ReadLearnings {
    type Input = Input;
    type Output = JournalText;

    const DECLARATION: Declaration = Declaration {
        name: "read_learnings",
        toolset: Toolset::Plan,
        cli: &["journal", "learnings"],
        sdk: "journal.read_learnings",
        effect: Effect::Read,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "The whole file",
            cli: &["journal", "learnings"],
            input: "{}",
        }],
    };

    async fn run(context: Context, input: Input) -> Result<JournalText> {
        let Input {} = input;
        Journal::Learnings.read(&context)
    }
}
