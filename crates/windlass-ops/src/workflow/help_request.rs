use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::workflow::{HelpCategory, NewHelp};
use windlass_core::{Error, Result};

use super::answers::HelpView;
use super::common;
use crate::arguments::Id;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct HelpRequest;

/// Ask a person for help: the task waits until a person has answered and lets it go on. Not for gates that fail.
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
    type Output = HelpView;

    const DECLARATION: Declaration = Declaration {
        name: "help_request",
        toolset: Toolset::Workflow,
        cli: &["help-requests", "request"],
        sdk: "help.request",
        effect: Effect::Write,
        idempotent: false,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "A decision is needed",
            cli: &[
                "help-requests",
                "request",
                "12",
                "decision",
                "Which format?",
                "--option",
                "HTML",
                "--option",
                "PDF",
            ],
            input: r#"{"task_id": "12", "category": "decision", "reason": "Which format?", "suggested_options": ["HTML", "PDF"]}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<HelpView> {
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
        context.read(|reader| HelpView::read(reader, request))
    }
}
