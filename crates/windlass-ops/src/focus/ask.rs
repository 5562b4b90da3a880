use crate::prelude::*;
use serde_json::json;

use super::signal::{Acknowledged, comment, required, say};

pub struct Ask;

/// Ask a person to decide. With a blocking question, the task waits for the answer once you give
/// it back with partial or stuck.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The question.
    pub question: String,
    /// Choices.
    #[serde(default)]
    #[arg(long = "option")]
    pub options: Vec<String>,
    /// Your choice.
    #[serde(default)]
    #[arg(long)]
    pub preferred: Option<String>,
    /// Work cannot continue without it.
    #[serde(default)]
    #[arg(long)]
    pub blocking: bool,
}

impl Operation for Ask {
    type Input = Input;
    type Output = Acknowledged;

    const DECLARATION: Declaration = Declaration::write("ask", Toolset::Focus)
        .sdk("focus.ask")
        .examples(&[Example::call("Which database", r#"{"question": "Which database?", "options": ["SQLite", "PostgreSQL"], "preferred": "SQLite", "blocking": true}"#)]);

    async fn run(context: Context, input: Input) -> Result<Acknowledged> {
        required("question", &input.question)?;
        let body = json!({
            "question": input.question,
            "options": input.options,
            "preferred": input.preferred,
            "blocking": input.blocking,
        });
        say(&context, "ask", &body, |writer, current| {
            let mut text = format!("Question: {}", input.question);
            if !input.options.is_empty() {
                text = format!("{text}\nOptions: {}", input.options.join("; "));
            }
            if let Some(preferred) = &input.preferred {
                text = format!("{text}\nPreferred: {preferred}");
            }
            comment(writer, current, &text)?;
            Ok("Asked. Continue with what does not depend on the answer.".to_owned())
        })
    }
}
