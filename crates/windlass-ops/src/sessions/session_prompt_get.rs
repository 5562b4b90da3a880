use super::{briefing, named};
use crate::prelude::*;

pub struct SessionPrompt;

/// Get the briefing of a session for its agent: project, task, feature, discipline and tools. Use it
/// as the client's first message.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The session; the caller's if absent.
    #[serde(default)]
    pub id: Option<String>,
}

impl ReadOperation for SessionPrompt {
    type Input = Input;
    type Output = Briefing;

    const DECLARATION: Declaration = Declaration::read("session_prompt_get", Toolset::Sessions)
        .sdk("sessions.prompt")
        .blocking()
        .cli(&["session", "prompt"])
        .examples(&[Example::new(
            "The session of the sample",
            &["session", "prompt", "focus-2-sample"],
            r#"{"id": "focus-2-sample"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<Briefing> {
        let record = context.read(|reader| named(reader, &context, input.id.as_deref()))?;
        Ok(Briefing {
            session: record.id.clone(),
            prompt: briefing::text(&context, &record)?,
        })
    }
}

/// The briefing of a session's agent.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Briefing {
    pub session: String,
    /// Markdown.
    pub prompt: String,
}

impl Render for Briefing {
    fn view(&self) -> View {
        View::default().text(self.prompt.trim_end())
    }
}
