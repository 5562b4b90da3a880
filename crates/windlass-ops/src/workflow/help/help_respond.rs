use crate::prelude::*;
use crate::workflow::outputs::HelpOutput;

pub struct HelpRespond;

/// Answer a help request with a text or one of its suggestions. Only for people. help_resume then
/// continues the task.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The help request: its number, or at least 4 hex digits of its id.
    pub id: Id,
    /// The answer.
    #[serde(default)]
    pub response: Option<String>,
    /// One of the suggestions, counted from 0.
    #[serde(default)]
    #[arg(long)]
    pub chosen_option: Option<i64>,
    /// Resume the task immediately.
    #[serde(default)]
    #[arg(long)]
    pub resume: bool,
}

impl Operation for HelpRespond {
    type Input = Input;
    type Output = HelpOutput;

    const DECLARATION: Declaration = Declaration::write("help_respond", Toolset::Workflow)
        .sdk("help.respond")
        .cli(&["questions", "answer"])
        .human_only()
        .examples(&[Example::new(
            "By a suggestion",
            &["questions", "answer", "1", "--chosen-option", "0"],
            r#"{"id": "1", "chosen_option": 0}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<HelpOutput> {
        let phases = context.workspace.phases()?;
        let request = context.write(|writer| {
            let response = input.response.as_deref();
            let answered = writer.respond_to_help(&input.id.0, response, input.chosen_option)?;
            if input.resume {
                return writer.resume_task(&answered.task, phases);
            }
            Ok(answered)
        })?;
        context.read(|reader| HelpOutput::read(reader, request))
    }
}
