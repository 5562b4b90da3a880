use super::journal::{Journal, JournalText};
use crate::prelude::*;

pub struct ReadLearnings;

/// Read .windlass/learnings.txt: the learnings of this project.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {}

impl ReadOperation for ReadLearnings {
    type Input = Input;
    type Output = JournalText;

    const DECLARATION: Declaration = Declaration::read("read_learnings", Toolset::Plan)
        .sdk("journal.read_learnings")
        .blocking()
        .cli(&["journal", "learnings"])
        .examples(&[Example::new(
            "The whole file",
            &["journal", "learnings"],
            "{}",
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<JournalText> {
        let Input {} = input;
        Journal::Learnings.read(&context)
    }
}
