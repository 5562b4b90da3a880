use crate::prelude::*;
use windlass_core::workflow::{HelpCategory, NewHelp};

use crate::workflow::common;
use crate::workflow::outputs::HelpOutput;

pub struct HelpRequest;

/// Ask a person for help: the task waits until a person has answered and resumed it. Do not use it
/// for failing gates.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The task: its number, or at least 4 hex digits of its id.
    pub task_id: Id,
    /// clarification, decision, technical_blocker or unexpected.
    pub category: String,
    /// What you need to know, and why.
    pub reason: String,
    /// Answers to choose from, at most 10.
    #[serde(default)]
    #[arg(long = "option", value_name = "TEXT")]
    pub suggested_options: Vec<String>,
}

impl Operation for HelpRequest {
    type Input = Input;
    type Output = HelpOutput;

    const DECLARATION: Declaration = Declaration::write("help_request", Toolset::Workflow)
        .sdk("help.request")
        .cli(&["questions", "ask"])
        .examples(&[Example::new("A decision is needed", &[ "questions", "ask", "12", "decision", "Which format?", "--option", "HTML", "--option", "PDF", ], r#"{"task_id": "12", "category": "decision", "reason": "Which format?", "suggested_options": ["HTML", "PDF"]}"#)]);

    async fn run(context: Context, input: Input) -> Result<HelpOutput> {
        let category = HelpCategory::parse(&input.category)
            .ok_or_else(|| Error::invalid_enum("category", &input.category, HelpCategory::NAMES))?;
        let new = NewHelp {
            category,
            reason: input.reason,
            suggested_options: input.suggested_options,
        };
        let request = context.write(|writer| {
            let task = common::task(writer, "task_id", &input.task_id)?;
            writer.request_help(&task.id, &new)
        })?;
        context.read(|reader| HelpOutput::read(reader, request))
    }
}
