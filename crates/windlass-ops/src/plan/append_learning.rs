use super::journal::{Appended, Journal};
use crate::prelude::*;

pub struct AppendLearning;

/// Append a line with a timestamp to .windlass/learnings.txt.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The text.
    pub text: String,
}

impl Operation for AppendLearning {
    type Input = Input;
    type Output = Appended;

    const DECLARATION: Declaration = Declaration::write("append_learning", Toolset::Plan)
        .sdk("journal.append_learning")
        .cli(&["journal", "add-learning"])
        .examples(&[Example::new(
            "A line",
            &["journal", "add-learning", "The tests need PostgreSQL"],
            r#"{"text": "The tests need PostgreSQL"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<Appended> {
        Journal::Learnings.append(&context, &input.text)
    }
}
