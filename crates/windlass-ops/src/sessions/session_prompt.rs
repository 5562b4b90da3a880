use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::{briefing, named};
use crate::view::{Render, View};

use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct SessionPrompt;

/// The briefing of a session for its agent: project, task, feature, discipline, and the tools that
/// it has. Print it into the client's first message.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The session; the caller's own if absent.
    #[serde(default)]
    pub id: Option<String>,
}

impl Operation for SessionPrompt {
    type Input = Input;
    type Output = Briefing;

    const DECLARATION: Declaration = Declaration {
        name: "session_prompt_get",
        toolset: Toolset::Sessions,
        cli: &["session", "prompt"],
        sdk: "sessions.prompt",
        effect: Effect::Read,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "The session of the sample",
            cli: &["session", "prompt", "focus-2-sample"],
            input: r#"{"id": "focus-2-sample"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<Briefing> {
        let record = context.read(|reader| named(reader, &context, input.id.as_deref()))?;
        Ok(Briefing {
            session: record.id.clone(),
            prompt: briefing::text(&context, &record)?,
        })
    }
}

/// What the agent of a session is told first.
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
