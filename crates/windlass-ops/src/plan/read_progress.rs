use super::journal::{Journal, JournalText};
use crate::prelude::*;

pub struct ReadProgress;

/// Read .windlass/progress.txt: what was done in this project, in order.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {}

impl ReadOperation for ReadProgress {
    type Input = Input;
    type Output = JournalText;

    const DECLARATION: Declaration = Declaration::read("read_progress", Toolset::Plan)
        .sdk("journal.read_progress")
        .blocking()
        .cli(&["journal", "progress"])
        .examples(&[Example::new(
            "The whole file",
            &["journal", "progress"],
            "{}",
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<JournalText> {
        let Input {} = input;
        Journal::Progress.read(&context)
    }
}
