use crate::prelude::*;

use crate::about::{About, Topic};
use crate::arguments::Words;

pub struct ContextOperation;

/// What is known about a topic, within a budget of tokens: decisions in force, tasks, notes,
/// components, learnings and their relations, newest first.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Words, a question or a number.
    #[command(flatten)]
    #[serde(rename = "topic")]
    pub topic: Words,
    /// About how many tokens, 100 to 20,000.
    #[serde(default = "default_budget")]
    #[arg(long, default_value_t = default_budget())]
    pub budget: u32,
}

pub fn default_budget() -> u32 {
    2_000
}

impl ReadOperation for ContextOperation {
    type Input = Input;
    type Output = About;

    const DECLARATION: Declaration = Declaration::read("context", Toolset::Knowledge)
        .sdk("search.context")
        .cli(&["context"])
        .blocking()
        .examples(&[Example::new(
            "What is known about the database",
            &["context", "database", "--budget", "1000"],
            r#"{"topic": "database", "budget": 1000}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<About> {
        About::read(&context, &Topic::new(&input.topic.0, input.budget)?)
    }
}
