use super::journal::{Appended, Journal};
use crate::prelude::*;

pub struct AppendProgress;

/// Append a line with a timestamp to .windlass/progress.txt.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The text.
    pub text: String,
}

impl Operation for AppendProgress {
    type Input = Input;
    type Output = Appended;

    const DECLARATION: Declaration = Declaration::write("append_progress", Toolset::Plan)
        .sdk("journal.append_progress")
        .cli(&["journal", "add-progress"])
        .examples(&[Example::new(
            "A line",
            &["journal", "add-progress", "Login works"],
            r#"{"text": "Login works"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<Appended> {
        Journal::Progress.append(&context, &input.text)
    }
}
